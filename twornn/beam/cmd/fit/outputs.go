package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/twornn/spectral/twornn/beam"
)

// outputs are the files that a run writes.
type outputs struct {
	model, sums string // sums is empty if the measurements are not kept
	part        string // where they are until they are whole
}

func isLocal(path string) bool { return !strings.Contains(path, "://") }

// reserve returns where to write, having looked that it can be done: not after an hour of work.
// It errs if a file that is read would be written over.
func reserve(ctx context.Context, f beam.Files) (out outputs, err error) {
	if !isLocal(*output) {
		return out, fmt.Errorf("--output %s is not on this machine; name a file here, and copy it", *output)
	}
	if out.model, err = writable("--output", *output); err != nil {
		return out, err
	}
	beside := out.model
	if *sums != "" {
		if out.sums, err = writable("--sums", *sums); err != nil {
			return out, err
		}
		if same(out.sums, out.model) {
			return out, fmt.Errorf("--output %s and --sums %s are one file; name two", *output, *sums)
		}
		beside = out.sums
	}
	out.part = beside + "." + rand.Text() + ".part"
	names, err := out.listed(ctx, f)
	if err != nil {
		return out, err
	}
	for _, name := range names {
		switch {
		case same(name, out.model):
			return out, fmt.Errorf("--output %s is one of the files to read, %s; name another", *output, name)
		case same(name, out.sums):
			return out, fmt.Errorf("--sums %s is one of the files to read, %s; name another", *sums, name)
		case filepath.Base(name) == filepath.Base(out.part):
			return out, fmt.Errorf("a file that is written beside %s for a while would be read as one of %s; write to another folder, or name the files to read more closely, as in 'data/*.csv'", beside, f.Pattern)
		}
	}
	return out, nil
}

// listed returns the files to read, as they are listed while the measurements are written.
func (out outputs) listed(ctx context.Context, f beam.Files) ([]string, error) {
	if isLocal(out.part) {
		if err := os.WriteFile(out.part, nil, 0o666); err != nil {
			return nil, err
		}
		defer os.Remove(out.part)
	}
	names, err := f.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !isLocal(name) {
			continue
		}
		r, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("a file cannot be read: %w; correct its permissions, or --input", err)
		}
		r.Close()
	}
	return names, nil
}

// keep gives the measurements their name, now that they are whole.
func (out outputs) keep(ctx context.Context) error {
	if out.sums == "" {
		return nil
	}
	store, err := filesystem.New(ctx, out.part)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := filesystem.Rename(ctx, store, out.part, out.sums); err != nil {
		return fmt.Errorf("the measurements cannot be written: %w; correct --sums", err)
	}
	return nil
}

// drop removes what is not to be kept. The run may have been interrupted.
func (out outputs) drop() {
	ctx := context.Background()
	store, err := filesystem.New(ctx, out.part)
	if err != nil {
		return
	}
	defer store.Close()
	if r, ok := store.(filesystem.Remover); ok {
		_ = r.Remove(ctx, out.part) // it may not be there
	}
}

// writable returns the file that path stands for, where links lead, and errs if it cannot be
// made or written anew.
func writable(name, path string) (string, error) {
	if path == "" {
		return "", fmt.Errorf("%s is empty; name a file", name)
	}
	if !isLocal(path) {
		if _, err := filesystem.New(context.Background(), path); err != nil {
			return "", fmt.Errorf("%s %s: %w", name, path, err)
		}
		return path, nil
	}
	at := path
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if at, err = filepath.EvalSymlinks(path); err != nil {
			return "", fmt.Errorf("%s %s is a link that leads to no file; remove it, or make the file", name, path)
		}
		info, err = os.Stat(at)
	}
	if err == nil && info.IsDir() {
		return "", fmt.Errorf("%s %s is a directory; name a file in it", name, path)
	}
	if err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s %s is a pipe or a device; name a file", name, path)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(at))
	if err == nil {
		dir, err = filepath.Abs(dir) // workers may have another working directory
	}
	if err == nil {
		err = tryIn(dir)
	}
	if err != nil {
		return "", fmt.Errorf("%s %s cannot be written: %w; make the folder, or name a file in one that can be written", name, path, err)
	}
	return filepath.Join(dir, filepath.Base(at)), nil
}

// tryIn errs if no file can be made in a folder.
func tryIn(dir string) error {
	tmp, err := os.CreateTemp(dir, ".*.part")
	if unnamed := (*fs.PathError)(nil); errors.As(err, &unnamed) {
		return fmt.Errorf("no file can be made in the folder %s: %w", dir, unnamed.Err) // whatever its name
	}
	if err != nil {
		return err
	}
	return errors.Join(tmp.Close(), os.Remove(tmp.Name()))
}

// same reports whether two paths lead to one file, or would: those that writable returns have
// no other spelling.
func same(a, b string) bool {
	if a == b || !isLocal(a) || !isLocal(b) {
		return a == b
	}
	i, err := os.Stat(a)
	if err != nil {
		return false
	}
	j, err := os.Stat(b)
	return err == nil && os.SameFile(i, j)
}
