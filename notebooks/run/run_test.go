package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twornn/spectral/notebooks/internal/nb"
)

// Notebooks are looked for from the caller's folder, and one that is missing is said to
// be before anything is set up.
func TestLocate(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	path := filepath.Join(dir, "mine.ipynb")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mine.ipynb", "./mine.ipynb", path} {
		if got, err := locate([]string{name}); err != nil || len(got) != 1 || got[0] != path {
			t.Errorf("%s: got %v, %v, want %s", name, got, err, path)
		}
	}
	want := "there is no notebook " + filepath.Join(dir, "sub", "other.ipynb")
	if _, err := locate([]string{"mine.ipynb", "sub/other.ipynb"}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// The first page leads to every notebook, in order, by its title, and shows its picture.
func TestIndexPage(t *testing.T) {
	root, err := nb.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	names := []string{"01_automata_and_2rnns", "11_words"}
	if err := os.WriteFile(filepath.Join(dir, "solutions_11_words.html"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeIndex(root, dir, names); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for _, want := range []string{`href="paper.html"`, `href="01_automata_and_2rnns.html"`, "Weighted automata and 2-RNNs", `href="11_words.html"`, "Words: exact where", `href="solutions_11_words.html"`} {
		at := strings.Index(string(page), want)
		if at < last {
			t.Errorf("%s stands at %d, want it after %d", want, at, last)
		}
		last = at
	}
	if strings.Contains(string(page), "solutions_01") {
		t.Error("it leads to solutions that are not there")
	}
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(dir, name+".png")); err != nil {
			t.Error(err)
		}
	}
	if neighbour(names, -1) != "" || neighbour(names, 2) != "" || neighbour(names, 1) != "11_words" {
		t.Error("neighbours are wrong")
	}
}
