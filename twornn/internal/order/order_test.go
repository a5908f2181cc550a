package order

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheck: functions, fields and methods of a later file are found, with their line, also
// where an import is not at hand; what an earlier file declares is not.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"doc.go":    "// Package p.\n//\n//\ta.go  first\n//\tb.go  second\n//\tgone.go  third\npackage p\n",
		"a.go":      "package p\n\nimport \"example.org/x\"\n\ntype A struct{ b B; X x.Y }\n\nfunc (a A) f() int { return a.b.n + a.b.g() }\n",
		"b.go":      "package p\n\ntype B struct{ n int }\n\nfunc (b B) g() int { return 1 }\n\nvar _ = A{}\n",
		"extra.go":  "package p\n",
		"a_test.go": "package p\n\nvar _ = later\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Check(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a.go:5: B is declared in b.go, which comes later",
		"a.go:7: g is declared in b.go, which comes later",
		"a.go:7: n is declared in b.go, which comes later",
		"doc.go:1: there is no gone.go",
		"extra.go:1: doc.go does not list it",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestFilesReadInOrder: the packages of this module that promise it.
func TestFilesReadInOrder(t *testing.T) {
	for _, dir := range []string{"../moments", "../lsq", "../als", "../tangent", "../affine", "../symbols", "../rivals", "../wide", "../store", "../..", "../../forecast"} {
		faults, err := Check(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range faults {
			t.Errorf("%s/%s", filepath.Base(dir), f)
		}
	}
}
