package datasets

import (
	"fmt"
	"io"
	"os"
)

// ReadCSV reads the file at path. Besides the errors of package os, all that is
// wrong in the file is a *[CellError]. The file is read once, line by line.
//
// A byte order mark and CR LF are fine. A compressed file, UTF-16, line ends of CR
// alone, a pipe or device (for these there is Read), an empty file, a header alone,
// a row with too many or too few fields, a column without name, two of one name,
// text or an infinity in a column of numbers, a time that repeats or runs backwards:
// each is an error, and nothing is sorted, merged, filled or dropped, but for lines of
// comment and, in a file with times, rows with nothing in them, which are counted. What
// the columns hold is told from the first 200 rows. How they were read, where that was
// not plain, is in the notes of the series. With Columns
// set, columns that are not asked for may lack a name, share one, and hold what they
// like.
func ReadCSV(path string, o CSV) (*Series, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path, o)
}

// Read does as ReadCSV for a file that is open already; name is for the errors.
func Read(r io.Reader, name string, o CSV) (*Series, error) {
	if name == "" {
		name = "data"
	}
	all, err := readTable(r, name, o, nil)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// ReadGroups reads a file that stacks several series, told apart by the text in the
// columns by: each is a series of its own, with its own times and steps, so that no
// window bridges two. They come in the order in which they begin in the file, and are
// called by the file and their texts; Series.Name and Series.Group have these. Join
// makes one data set of the windows of them all. It errs as Read does, and if by is empty.
func ReadGroups(r io.Reader, name string, o CSV, by ...string) ([]*Series, error) {
	if len(by) == 0 {
		return nil, fmt.Errorf("datasets: ReadGroups needs the columns that tell the series of %s apart", inline(name))
	}
	return readTable(r, name, o, by)
}

// ReadCSVGroups does as ReadGroups for the file at path.
func ReadCSVGroups(path string, o CSV, by ...string) ([]*Series, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadGroups(f, path, o, by...)
}

// open opens a regular file.
func open(path string) (*os.File, error) {
	// Looked at first, since opening a pipe can wait for ever.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("datasets: %w", err)
	case info.IsDir():
		return nil, &CellError{File: path, Problem: "is a directory", Cure: "name a file in it"}
	case !info.Mode().IsRegular():
		return nil, &CellError{File: path, Problem: "is no regular file", Cure: "open it and give it to Read"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("datasets: %w", err)
	}
	return f, nil
}
