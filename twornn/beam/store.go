package beam

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// isLocal reports whether a path is one of this machine, and not of a store such as gs://.
func isLocal(path string) bool { return !strings.Contains(path, "://") }

// list returns the files of patterns parted by commas, by name. A file is there once, under the
// first of its names, whatever patterns and links lead to it. What is wrong with the patterns or
// the files is said by problem; err is what the file system did not do.
func list(ctx context.Context, patterns string) (names []string, problem string, err error) {
	for pattern := range strings.SplitSeq(patterns, ",") {
		if pattern = strings.TrimSpace(pattern); pattern == "" {
			continue
		}
		found, err := match(ctx, pattern)
		switch {
		case errors.Is(err, filepath.ErrBadPattern):
			return nil, fmt.Sprintf("beam: %q is no pattern: a bracket is not closed, or a backslash ends it; correct it", pattern), nil
		case err != nil:
			return nil, "", fmt.Errorf("beam: the files %s cannot be listed: %w", pattern, err)
		case len(found) == 0:
			// Also beside patterns that have files: a misspelt one would leave out data unseen.
			return nil, fmt.Sprintf("beam: no file is called %s; correct the pattern, or leave it out", pattern), nil
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	names, problem = distinct(slices.Compact(names))
	return names, problem, nil
}

func match(ctx context.Context, pattern string) ([]string, error) {
	store, err := filesystem.New(ctx, pattern)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	return store.List(ctx, pattern)
}

// distinct leaves out the names of files that have come before, and says what is no file.
func distinct(names []string) (kept []string, problem string) {
	type look struct {
		size int64
		time time.Time
	}
	known := map[look][]fs.FileInfo{} // files that are one look alike
	for _, name := range names {
		if isLocal(name) {
			info, err := os.Stat(name)
			if err == nil && !info.Mode().IsRegular() {
				return nil, "beam: " + irregular(name, info.Mode())
			}
			// A file that is not there is missed where it is read.
			if err == nil {
				as := look{info.Size(), info.ModTime()}
				if slices.ContainsFunc(known[as], func(o fs.FileInfo) bool { return os.SameFile(o, info) }) {
					continue
				}
				known[as] = append(known[as], info)
			}
		}
		kept = append(kept, name)
	}
	return kept, ""
}

func irregular(name string, mode fs.FileMode) string {
	if mode.IsDir() {
		return fmt.Sprintf("%s is a directory; name the files in it, as in '%s'", name, filepath.Join(name, "*.csv"))
	}
	return fmt.Sprintf("%s is a pipe or a device, and every file is read twice; write what it gives into a file first", name)
}

// readAll returns what is in a file of any file system.
func readAll(ctx context.Context, path string) ([]byte, error) {
	store, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	r, err := store.OpenRead(ctx, path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// writeAll puts text into a file of any file system, or leaves what was there: it writes under
// another name in the same folder and renames. A store that cannot rename shows a file only when it is
// whole.
func writeAll(ctx context.Context, path string, text []byte) error {
	store, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer store.Close()
	_, renames := store.(filesystem.Renamer)
	remover, removes := store.(filesystem.Remover)
	if !renames || !removes {
		return filesystem.Write(ctx, store, path, text)
	}
	// A name of its own: a bundle that is thought lost may still be writing.
	part := path + "." + rand.Text() + ".part"
	err = filesystem.Write(ctx, store, part, text)
	if err == nil {
		err = filesystem.Rename(ctx, store, part, path)
	}
	if err != nil {
		_ = remover.Remove(ctx, part) // it may not be there
	}
	return err
}
