package nb

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
)

// withFigures makes a notebook of one code cell for each text: figures by letter, and a
// tag in front of a colon.
func withFigures(cells ...string) *Notebook {
	n := new(Notebook)
	for _, text := range cells {
		c := Cell{Type: "code"}
		if tag, rest, ok := strings.Cut(text, ":"); ok {
			c.Metadata.Tags, text = []string{tag}, rest
		}
		for _, letter := range text {
			png := fmt.Appendf(nil, "%q", base64.StdEncoding.EncodeToString([]byte(string(letter))))
			c.Outputs = append(c.Outputs, Output{Type: "display_data"}, Output{Type: "display_data"})
			c.Outputs[len(c.Outputs)-1].Data = map[string]json.RawMessage{"image/png": png}
		}
		n.Cells = append(n.Cells, c)
	}
	return n
}

func TestPicture(t *testing.T) {
	for _, c := range []struct {
		cells     []string
		want, err string
	}{
		{[]string{"a", "bc", ""}, "c", ""},
		{[]string{"a", "picture:bc", "d"}, "c", ""},
		{[]string{"picture:a", "b", "other:c"}, "a", ""},
		{[]string{"a", "picture:", "d"}, "", `cell [2] is tagged "picture" and has no figure`},
		{[]string{"picture:a", "b", "picture:c"}, "", "cells [1] and [3] are both tagged"},
		{[]string{"", ""}, "", "no figure"},
		{nil, "", "no figure"},
	} {
		got, err := withFigures(c.cells...).Picture()
		if string(got) != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: got %q, %v, want %q, %q", c.cells, got, err, c.want, c.err)
		}
	}
}

// The tag is where Jupyter keeps tags, and outlasts Clean.
func TestPictureTagInFile(t *testing.T) {
	data, err := Clean([]byte(`{"cells": [
		{"cell_type": "code", "metadata": {"tags": ["x", "picture"], "scrolled": true}, "source": "", "outputs": [
			{"output_type": "display_data", "metadata": {}, "data": {"image/png": "YQ==\n"}}]},
		{"cell_type": "code", "metadata": {}, "source": "", "outputs": [
			{"output_type": "display_data", "metadata": {}, "data": {"image/png": "Yg=="}}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	n, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := n.Picture(); string(got) != "a" || err != nil {
		t.Errorf("got %q, %v, want the first cell's figure", got, err)
	}
}

func encoded(t *testing.T, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A picture of more colours than are allowed keeps its ground, its line and its faint grid,
// and no point is far from what it was.
func TestReduce(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 200, 100))
	rnd := rand.New(rand.NewPCG(1, 1))
	line := color.RGBA{R: 0x12, G: 0x34, B: 0x56, A: 255}
	for y := range 100 {
		for x := range 200 {
			c := color.RGBA{255, 255, 255, 255}
			if y > 60 { // in no order that would make them easy to pack
				r, g := rnd.IntN(200), rnd.IntN(200)
				c = color.RGBA{uint8(r), uint8(g), uint8(r / 2), 255}
			} else if y == 50 {
				c = line
			} else if x%20 == 0 {
				c = color.RGBA{250, 250, 250, 255}
			}
			m.SetRGBA(x, y, c)
		}
	}
	data := encoded(t, m)
	less, err := Reduce(data, 128)
	if err != nil {
		t.Fatal(err)
	}
	if len(less) >= len(data) {
		t.Errorf("%d bytes, before %d", len(less), len(data))
	}
	got, err := png.Decode(bytes.NewReader(less))
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := got.(*image.Paletted); !ok || len(p.Palette) > 128 {
		t.Fatalf("got a %T", got)
	}
	far := 0
	for y := range 100 {
		for x := range 200 {
			a, b := m.RGBAAt(x, y), color.RGBAModel.Convert(got.At(x, y)).(color.RGBA)
			if y <= 60 && a != b {
				t.Fatalf("at %d, %d: %v has become %v", x, y, a, b)
			}
			for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B)} {
				far = max(far, d, -d)
			}
		}
	}
	// 200 × 200 shades in some 64 parts, of 25 × 25.
	if far > 30 {
		t.Errorf("a point is %d of 255 from its colour", far)
	}
	if again, err := Reduce(data, 128); err != nil || !bytes.Equal(again, less) {
		t.Error("the same picture gives other bytes")
	}
}

func TestReduceOfFewColours(t *testing.T) {
	for name, m := range map[string]image.Image{
		"one":  image.NewUniform(color.White),
		"two":  twoColours(),
		"none": image.NewRGBA(image.Rect(0, 0, 1, 1)), // transparent
	} {
		if u, ok := m.(*image.Uniform); ok {
			p := image.NewPaletted(image.Rect(0, 0, 3, 3), color.Palette{u.C})
			m = p
		}
		data := encoded(t, m)
		less, err := Reduce(data, 128)
		if err != nil || len(less) > len(data) {
			t.Errorf("%s: %d bytes of %d, %v", name, len(less), len(data), err)
			continue
		}
		got, err := png.Decode(bytes.NewReader(less))
		if err != nil {
			t.Fatal(err)
		}
		for y := range m.Bounds().Dy() {
			for x := range m.Bounds().Dx() {
				if color.RGBAModel.Convert(got.At(x, y)) != color.RGBAModel.Convert(m.At(x, y)) {
					t.Errorf("%s: a point at %d, %d has changed", name, x, y)
				}
			}
		}
	}
	if _, err := Reduce([]byte("no picture"), 128); err == nil {
		t.Error("no error for what is no picture")
	}
}

func twoColours() image.Image {
	m := image.NewRGBA(image.Rect(0, 0, 30, 30))
	for y := range 30 {
		for x := range 30 {
			m.Set(x, y, color.RGBA{uint8(255 * (x * y % 2)), 0, 0, 255})
		}
	}
	return m
}
