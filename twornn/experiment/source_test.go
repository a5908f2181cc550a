package experiment

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSourceDir(t *testing.T) {
	if _, err := os.Stat(filepath.Join(SourceDir(), "twornn", "experiment", "source_test.go")); err != nil {
		t.Errorf("%q is not the folder of the repository: %v", SourceDir(), err)
	}
	if v := SourceVersion(); len(v) != 16 || v != SourceVersion() {
		t.Errorf("%q, then %q", v, SourceVersion())
	}
}

// The version changes with each source file, and not with tests or other files.
func TestSourceVersion(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{"": true}
	for _, c := range []struct {
		name, text string
		other      bool
	}{
		{"twornn/model.go", "package twornn", true},
		{"twornn/model.go", "package twornn // changed", true},
		{"twornn/tt/tensor.go", "package tt", true},
		{"twornn/internal/linalg/qr.go", "package linalg", true},
		{"datasets/csv.go", "package datasets", true},
		{"go.mod", "module m", true},
		{"twornn/model_test.go", "package twornn", false},
		{"plotting/show.go", "package plotting", false},
		{"twornn/notes.txt", "notes", false},
	} {
		write(c.name, c.text)
		v := sourceVersion(dir)
		if seen[v] == c.other {
			t.Errorf("after %s, %q, the version %q was seen before: %t", c.name, c.text, v, seen[v])
		}
		seen[v] = true
	}
	if v := sourceVersion(""); v != "" {
		t.Errorf("without source it is %q", v)
	}
}
