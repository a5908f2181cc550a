package twornn

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/phrase"
	"github.com/twornn/spectral/twornn/internal/store"
)

// file is the form of a saved model: a JSON object with h0 (n), A (n×d×n: old state, input,
// new state) and Omega (p×n), as the paper shapes them. Files of other programs hold these
// three alone.
type file struct {
	Format  string          `json:"format"`
	Version int             `json:"version"`
	H0      json.RawMessage `json:"h0"`
	A       json.RawMessage `json:"A"`
	Omega   json.RawMessage `json:"Omega"`
	SHA256  *string         `json:"sha256,omitempty"` // put there by store.Seal
}

// modelVersion is raised when the form changes.
const modelFormat, modelVersion = "twornn model", 1

// Save writes m to a JSON file that Load reads back bit for bit: h0 (n numbers),
// A (n×d×n: old state, input, new state) and Omega (p×n), with a checksum. The file is
// written under another name and then renamed, so that an interrupted Save leaves what was
// there. A link stays one. It errs if a parameter is not finite, m is not fitted, what is
// there is no regular file, or the file would be larger than Load reads, 256 MiB.
func (m *Model) Save(path string) error {
	if err := m.fitted(); err != nil {
		return err
	}
	text, err := m.encode()
	if err == nil {
		err = store.Write(path, append(store.Seal(text), '\n'))
	}
	if err != nil {
		return fmt.Errorf("twornn: cannot save the model: %w", err)
	}
	return nil
}

// encode returns the object without its checksum.
func (m *Model) encode() ([]byte, error) {
	n, d, p := m.Dims()
	a, omega := make([][][]float64, n), make([][]float64, p)
	for k := range a {
		a[k] = make([][]float64, d)
		for i := range d {
			a[k][i] = mat.Row(nil, k, m.A[i])
			for j, v := range a[k][i] {
				if !isFinite(v) {
					return nil, fmt.Errorf("the entry A[%d][%d][%d] is %v; fit it again", k, i, j, v)
				}
			}
		}
	}
	for i := range omega {
		omega[i] = mat.Row(nil, i, m.Omega)
		for j, v := range omega[i] {
			if !isFinite(v) {
				return nil, fmt.Errorf("the entry Omega[%d][%d] is %v; fit it again", i, j, v)
			}
		}
	}
	for i, v := range m.h0() {
		if !isFinite(v) {
			return nil, fmt.Errorf("the entry h0[%d] is %v; fit it again", i, v)
		}
	}
	return json.Marshal(struct {
		Format  string        `json:"format"`
		Version int           `json:"version"`
		H0      []float64     `json:"h0"`
		A       [][][]float64 `json:"A"`
		Omega   [][]float64   `json:"Omega"`
	}{modelFormat, modelVersion, m.h0(), a, omega})
}

// Load reads a model that Save wrote, or any JSON file with h0, A and Omega in that form. It
// errs, with the file's name, if it cannot be read, is no such JSON, is of a later version or
// larger than 256 MiB, its parts disagree, or it was changed since Save wrote it. Memory is taken for
// the numbers that are there, not for those that the shapes ask for.
func Load(path string) (*Model, error) {
	text, err := store.Read(path, store.Limit)
	if err != nil {
		return nil, fmt.Errorf("twornn: cannot load a model: %w", err)
	}
	m, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("twornn: %s is no saved model: %w", path, err)
	}
	return m, nil
}

func decode(text []byte) (*Model, error) {
	var f file
	if err := store.Unmarshal(text, &f); err != nil {
		return nil, err
	}
	switch {
	case f.Format != "" && f.Format != modelFormat:
		return nil, fmt.Errorf("it holds a %.40q", f.Format)
	case f.Version > modelVersion:
		return nil, fmt.Errorf("it is of version %d, and this program reads up to %d; load it with a newer one", f.Version, modelVersion)
	}
	sealed, err := store.Open(text)
	if err != nil {
		return nil, err
	}
	if !sealed && (f.Format != "" || f.Version != 0 || f.SHA256 != nil) {
		return nil, store.ErrDamaged
	}
	return f.model()
}

// model reads the numbers, and compares shapes as they come.
func (f *file) model() (*Model, error) {
	if f.H0 == nil || f.A == nil || f.Omega == nil {
		return nil, errors.New("h0, A or Omega is missing; a model is h0 (n numbers), A (n×d×n) and Omega (p×n)")
	}
	h0, err := store.Append(nil, f.H0)
	if err != nil {
		return nil, fmt.Errorf("h0: %w", err)
	}
	n := len(h0)
	a, slices, d, err := f.transitions(n)
	if err != nil {
		return nil, err
	}
	omega, p, err := f.outputs(n)
	if err != nil {
		return nil, err
	}
	if n == 0 || p == 0 || slices != n || d == 0 {
		return nil, fmt.Errorf("h0 has %d entries, A %d slices of %s, Omega %s; want n, n of d, and p", n, slices, phrase.Count(d, "input"), phrase.Count(p, "row"))
	}
	m := NewModel(n, d, p)
	copy(m.H0.RawVector().Data, h0)
	for k := range n {
		for i := range d {
			m.A[i].SetRow(k, a[(k*d+i)*n:(k*d+i+1)*n])
		}
	}
	copy(m.Omega.RawMatrix().Data, omega)
	return m, nil
}

// transitions returns the numbers of A in their order, and how many slices of how many inputs.
func (f *file) transitions(n int) (a []float64, slices, d int, err error) {
	err = store.List(f.A, func(k int, byInput []byte) error {
		rows := 0
		err := store.List(byInput, func(i int, row []byte) error {
			rows++
			at := len(a)
			var err error
			if a, err = store.Append(a, row); err != nil {
				return fmt.Errorf("row A[%d][%d]: %w", k, i, err)
			}
			if len(a)-at != n {
				return fmt.Errorf("row A[%d][%d] has %d entries for %s", k, i, len(a)-at, phrase.Count(n, "state"))
			}
			return nil
		})
		if slices++; k == 0 {
			d = rows
		}
		if err == nil && rows != d {
			err = fmt.Errorf("slice A[%d] has %s, A[0] has %d", k, phrase.Count(rows, "input"), d)
		}
		return err
	})
	return a, slices, d, err
}

// outputs returns the numbers of Omega, and how many rows.
func (f *file) outputs(n int) (omega []float64, p int, err error) {
	err = store.List(f.Omega, func(i int, row []byte) error {
		p++
		at := len(omega)
		var err error
		if omega, err = store.Append(omega, row); err != nil {
			return fmt.Errorf("row Omega[%d]: %w", i, err)
		}
		if len(omega)-at != n {
			return fmt.Errorf("row Omega[%d] has %d entries for %s", i, len(omega)-at, phrase.Count(n, "state"))
		}
		return nil
	})
	return omega, p, err
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
