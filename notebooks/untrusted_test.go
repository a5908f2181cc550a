package notebooks_test

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/twornn/spectral/notebooks/internal/nb"
)

// embedded finds the pictures that are part of a page.
var embedded = regexp.MustCompile(`(?s)<img\s[^>]*src="data:image/png;base64,([^"]+)"`)

// Read by somebody who does not trust it, as on a site that shows notebooks, each notebook
// keeps all its figures: what an untrusted page may not hold, such as SVG, is not used.
func TestUntrustedPage(t *testing.T) {
	root, jupyter := kernel(t)
	paths, err := nb.Course(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			committed, err := nb.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			want := len(committed.Figures())
			if want == 0 {
				t.Fatal("no figure is committed")
			}
			if got := figuresIn(t, untrusted(t, jupyter, path)); got != want {
				t.Errorf("the page shows %d figures, the notebook has %d", got, want)
			}
		})
	}
}

// The test above can fail: a drawing in SVG does not outlast the cleaning, nor a script.
func TestUntrustedPageIsClean(t *testing.T) {
	t.Parallel()
	_, jupyter := kernel(t)
	path := write(t, "fmt.Println()")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	display := `"outputs":[{"output_type":"display_data","metadata":{},"data":{"text/html":"<svg><path d=\"M0 0\"/></svg><script>alert(1)</script>"}}]`
	data = bytes.Replace(data, []byte(`"outputs":[]`), []byte(display), 1)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	page := untrusted(t, jupyter, path)
	for _, left := range []string{`<path d="M0 0"`, "<script>alert(1)"} {
		if strings.Contains(page, left) {
			t.Errorf("the page still has %s", left)
		}
	}
}

// untrusted is a notebook's page, with everything taken out that could run or reach out.
func untrusted(t *testing.T, jupyter *nb.Jupyter, path string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := jupyter.Command(t.Context(), filepath.Join(dir, "jupyter"), "nbconvert",
		"--to", "html", "--HTMLExporter.sanitize_html=True", "--output-dir", dir, "--output", "page", path)
	cmd.Env = append(cmd.Env, "JUPYTER_NO_CONFIG=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("nbconvert: %v\n%s", err, out)
	}
	page, err := os.ReadFile(filepath.Join(dir, "page.html"))
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// figuresIn counts the pictures of a page. Each must be PNG and have a size.
func figuresIn(t *testing.T, page string) int {
	t.Helper()
	pictures := embedded.FindAllStringSubmatch(page, -1)
	for i, m := range pictures {
		data := base64.NewDecoder(base64.StdEncoding, strings.NewReader(m[1])) // which skips line feeds
		if c, err := png.DecodeConfig(data); err != nil || c.Width == 0 || c.Height == 0 {
			t.Errorf("picture %d of the page: %d×%d, %v", i+1, c.Width, c.Height, err)
		}
	}
	return len(pictures)
}
