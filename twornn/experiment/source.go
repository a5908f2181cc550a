package experiment

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// SourceDir returns the folder of the repository that the running program was compiled
// from, or "" if its source is not at hand.
func SourceDir() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		return ""
	}
	dir := filepath.Join(filepath.Dir(file), "..", "..")
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		return ""
	}
	return dir
}

// SourceVersion returns a hash of the source files that a row depends on, "" if they are
// not at hand. As RunOptions.Version it makes a cache forget the rows of other code.
func SourceVersion() string { return sourceVersion(SourceDir()) }

func sourceVersion(dir string) string {
	if dir == "" {
		return ""
	}
	h := sha256.New()
	for _, p := range []string{"datasets/*.go", "twornn/*.go", "twornn/*/*.go", "twornn/*/*/*.go", "go.mod"} {
		files, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(p)))
		if err != nil {
			panic(err) // the patterns are well formed
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return ""
			}
			fmt.Fprintf(h, "%s %d\n%s", filepath.Base(file), len(text), text)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}
