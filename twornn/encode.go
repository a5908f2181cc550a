package twornn

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"
)

// file is the form of a saved model: JSON with h0 (n), A (n×d×n: old state, input,
// new state) and Omega (p×n), as the paper shapes them.
type file struct {
	H0    []number     `json:"h0"`
	A     [][][]number `json:"A"`
	Omega [][]number   `json:"Omega"`
}

// number is a float64 that is not taken from a null, which encoding/json would leave 0
// without a word.
type number float64

func (n *number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return errors.New("null stands where a number should")
	}
	return json.Unmarshal(text, (*float64)(n))
}

func numbers(v []float64) []number {
	out := make([]number, len(v))
	for i, x := range v {
		out[i] = number(x)
	}
	return out
}

func floatsOf(v []number) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

// Save writes m to a JSON file that Load reads back bit for bit: h0 (n numbers),
// A (n×d×n: old state, input, new state) and Omega (p×n). The file is written under
// another name and then renamed, so that an interrupted Save leaves what was there.
// It errs if a parameter is not finite or m is not fitted.
func (m *Model) Save(path string) error {
	if err := m.fitted(); err != nil {
		return err
	}
	n, d, p := m.Dims()
	f := file{H0: numbers(m.h0()), A: make([][][]number, n), Omega: make([][]number, p)}
	for a := range n {
		f.A[a] = make([][]number, d)
		for i := range d {
			f.A[a][i] = numbers(mat.Row(nil, a, m.A[i]))
		}
	}
	for i := range p {
		f.Omega[i] = numbers(mat.Row(nil, i, m.Omega))
	}
	text, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("twornn: cannot save the model: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("twornn: cannot save the model: %w", err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(append(text, '\n'))
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("twornn: cannot save the model: %w", err)
	}
	return nil
}

// Load reads a model that Save wrote, or any JSON file of that form. It errs, with
// the file's name, if it cannot be read, is no such JSON, or its parts disagree.
func Load(path string) (*Model, error) {
	r, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("twornn: cannot load a model: %w", err)
	}
	defer r.Close()
	m, err := decode(r)
	if err != nil {
		return nil, fmt.Errorf("twornn: %s is no saved model: %w", path, err)
	}
	return m, nil
}

func decode(r io.Reader) (*Model, error) {
	var f file
	dec := json.NewDecoder(r)
	if err := dec.Decode(&f); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("something follows the model")
	}
	n, p := len(f.H0), len(f.Omega)
	if n == 0 || p == 0 || len(f.A) != n || len(f.A[0]) == 0 {
		return nil, fmt.Errorf("h0 has %d entries, A %d slices, Omega %d rows; want n, n and p", n, len(f.A), p)
	}
	m := NewModel(n, len(f.A[0]), p)
	copy(m.H0.RawVector().Data, floatsOf(f.H0))
	for a, byInput := range f.A {
		if len(byInput) != len(m.A) {
			return nil, fmt.Errorf("slice A[%d] has %d inputs, A[0] has %d", a, len(byInput), len(m.A))
		}
		for i, row := range byInput {
			if len(row) != n {
				return nil, fmt.Errorf("row A[%d][%d] has %d entries for %d states", a, i, len(row), n)
			}
			m.A[i].SetRow(a, floatsOf(row))
		}
	}
	for i, row := range f.Omega {
		if len(row) != n {
			return nil, fmt.Errorf("row Omega[%d] has %d entries for %d states", i, len(row), n)
		}
		m.Omega.SetRow(i, floatsOf(row))
	}
	return m, nil
}
