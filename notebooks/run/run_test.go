package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
