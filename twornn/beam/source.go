package beam

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/twornn/spectral/datasets"
)

// Files are files of series that have the same columns, and how to cut them into sequences.
type Files struct {
	// Pattern is the files, such as data/*.csv, in any file system that Beam was told of. Several
	// patterns are parted by commas. A file whose name ends in .parquet is read as Parquet, any other
	// as CSV.
	Pattern string
	// Window is how the series are cut. Its Scaler must be nil: a fit does not depend on units.
	Window datasets.Window
	// CSV is how the files are written. Of Parquet files Columns, Time, Missing, Range, Where
	// and Step count. Location must be nil, see Zone.
	CSV datasets.CSV
	// Zone is the name of CSV.Location. Empty means UTC.
	Zone string
	// Group are the columns by whose texts a file holds several series.
	Group []string
}

// mostRows keeps the sum of length and horizon a number of 64 bits.
const mostRows = 1 << 40

// check returns what is wrong with the choices themselves.
func (f Files) check() error {
	w := f.Window
	switch {
	case strings.TrimSpace(f.Pattern) == "":
		return errors.New("beam: no files are named; set Files.Pattern")
	case w.Length < 1 || w.Horizon < 0:
		return fmt.Errorf("beam: Window.Length is %d and Horizon %d; set the length to 1 or more, and the horizon to as much, or to 0 for 1", w.Length, w.Horizon)
	case w.Length > mostRows || w.Horizon > mostRows:
		return fmt.Errorf("beam: Window.Length is %d and Horizon %d; no file has so many rows, lower the length or the horizon", w.Length, w.Horizon)
	case w.Scaler != nil:
		return errors.New("beam: Window.Scaler is set; leave it nil, as a fit does not depend on units")
	case repeated(w.Targets) != "":
		return fmt.Errorf("beam: the target %s is named twice; name each once", repeated(w.Targets))
	case f.CSV.Location != nil:
		return errors.New("beam: CSV.Location is set; set Files.Zone to its name instead")
	}
	_, err := f.reading()
	return err
}

// repeated returns a name that is there twice, or none.
func repeated(names []string) string {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return name
		}
	}
	return ""
}

// portable returns f in a form that JSON keeps: it has no infinities.
func (f Files) portable() Files {
	f.CSV.Range = maps.Clone(f.CSV.Range)
	for name, r := range f.CSV.Range {
		for i, v := range r {
			r[i] = min(max(v, -math.MaxFloat64), math.MaxFloat64)
		}
		f.CSV.Range[name] = r
	}
	return f
}

// reading returns how to read a file.
func (f Files) reading() (datasets.CSV, error) {
	o := f.CSV
	if f.Zone == "" {
		return o, nil
	}
	var err error
	if o.Location, err = time.LoadLocation(f.Zone); err != nil {
		return o, fmt.Errorf("beam: Zone %q is no time zone that is known here: %w; name one such as Europe/Dublin", f.Zone, err)
	}
	return o, nil
}

// contents returns what is in a file. What is wrong with it is said by problem; err is what the
// file system did not do.
func contents(ctx context.Context, name string) (text []byte, problem string, err error) {
	text, err = readAll(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), err != nil && strings.Contains(err.Error(), "is a directory"):
		return nil, fmt.Sprintf("beam: a file cannot be read: %v; give files that all workers may read", err), nil
	case err != nil:
		return nil, "", err
	}
	return text, "", nil
}

// sumOf returns what tells two versions of a file apart.
func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// series returns the series of a file, none if it has no rows, or what is wrong with it.
func (f Files) series(text []byte, name string) (all []*datasets.Series, problem string) {
	o, err := f.reading()
	if err != nil {
		return nil, err.Error()
	}
	switch {
	case strings.HasSuffix(name, ".parquet"):
		all, err = readParquet(text, name, o, f.Group)
	case len(f.Group) > 0:
		all, err = datasets.ReadGroups(bytes.NewReader(text), name, o, f.Group...)
	default:
		var s *datasets.Series
		s, err = datasets.Read(bytes.NewReader(text), name, o)
		all = []*datasets.Series{s}
	}
	switch {
	case errors.Is(err, datasets.ErrNoRows):
		return nil, ""
	case err != nil:
		return nil, err.Error()
	}
	for _, target := range f.Window.Targets {
		if columns := all[0].Columns(); !slices.Contains(columns, target) {
			return nil, fmt.Sprintf("beam: %s has no column %s to be a target; it has %s", name, target, strings.Join(columns, ", "))
		}
	}
	return all, ""
}
