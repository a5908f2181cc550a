package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Limit is the size of the largest file that is written or read, in bytes: some twelve
// million numbers. What is read takes at most some ten times as much memory.
const Limit = 256 << 20

// Read returns the contents of a regular file of at most limit bytes. A pipe may never end
// and a device may not either: it errs on both.
func Read(path string, limit int64) ([]byte, error) {
	if path == "" {
		return nil, errors.New("no file is named")
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := regular(path, info.Mode()); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := ReadAll(f, limit)
	if err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	return text, nil
}

// ReadAll returns what r holds, and errs beyond limit bytes.
func ReadAll(r io.Reader, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("is larger than the %s that are read; it is no such file, or too large a one", size(limit))
	}
	return text, nil
}

func size(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

// Write puts text into the file of that name, or leaves what was there: it writes under
// another name and renames. A link stays one, and what it leads to is written. It errs on
// what is no regular file.
func Write(path string, text []byte) error {
	if path == "" {
		return errors.New("no file is named")
	}
	if len(text) > Limit {
		return fmt.Errorf("%s would have %d bytes, more than the %s that are read", path, len(text), size(Limit))
	}
	path, mode, err := place(path)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if unnamed := (*fs.PathError)(nil); errors.As(err, &unnamed) {
		return fmt.Errorf("%s cannot be written, as no file can be made in its folder: %w; make the folder, or name a file in one that can be written", path, unnamed.Err)
	}
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(text)
	if err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// place returns the file that path stands for, and the mode it is to have.
func place(path string) (string, fs.FileMode, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, 0o644, nil
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		link := path
		if path, err = filepath.EvalSymlinks(link); err != nil {
			return "", 0, fmt.Errorf("%s is a link that leads to no file: %w; remove it, or make the file", link, err)
		}
		info, err = os.Stat(path)
	}
	if err != nil {
		return "", 0, err
	}
	return path, info.Mode().Perm(), regular(path, info.Mode())
}

func regular(path string, mode fs.FileMode) error {
	if mode.IsRegular() {
		return nil
	}
	what := "a device or a pipe"
	if mode.IsDir() {
		what = "a folder"
	}
	return fmt.Errorf("%s is %s, no file; name a file", path, what)
}
