package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// figure returns a picture of one colour.
func figure(t *testing.T, c color.Color) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 40, 20))
	for i := range 40 * 20 {
		m.Set(i%40, i/40, c)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Pictures come from the outputs kept, the figure of the tagged cell; a notebook without
// one is reported, and the others have theirs.
func TestPictures(t *testing.T) {
	root := t.TempDir()
	cell := func(tags string, c color.Color) string {
		return fmt.Sprintf(`{"cell_type": "code", "metadata": {"tags": [%s]}, "source": "", "outputs": [
			{"output_type": "display_data", "metadata": {}, "data": {"image/png": %q}}]}`, tags, base64.StdEncoding.EncodeToString(figure(t, c)))
	}
	red, blue := color.RGBA{R: 255, A: 255}, color.RGBA{B: 255, A: 255}
	dir := filepath.Join(root, "notebooks")
	if err := os.MkdirAll(filepath.Join(dir, "pictures"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, cells := range map[string]string{
		"00_none":   "",
		"01_tagged": cell(`"picture"`, red) + "," + cell("", blue),
		"02_last":   cell("", red) + "," + cell("", blue),
	} {
		if err := os.WriteFile(filepath.Join(dir, name+".ipynb"), []byte(`{"cells": [`+cells+`]}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	a := &app{root: root, log: &progress{w: io.Writer(&out)}}
	if err := a.pictures(context.Background()); err != errReported || !strings.Contains(out.String(), "there is no figure") {
		t.Errorf("got %v, and printed %s", err, out.String())
	}
	for name, want := range map[string]color.RGBA{"01_tagged": red, "02_last": blue} {
		data, err := os.ReadFile(filepath.Join(dir, "pictures", name+".png"))
		if err != nil {
			t.Error(err)
			continue
		}
		m, err := png.Decode(bytes.NewReader(data))
		if err != nil || color.RGBAModel.Convert(m.At(5, 5)) != want {
			t.Errorf("%s: %v, want the picture of colour %v", name, err, want)
		}
	}
}
