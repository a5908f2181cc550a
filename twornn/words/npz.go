package words

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/store"
)

// WriteNPZ writes w as an .npz archive for numpy.load: the arrays alpha (n), A (d×n×n),
// Omega (p×n), float64, and alphabet (d), text. The numbers are the same bits.
// It errs if w is empty, has a weight that is not finite, a symbol with NUL, which ends texts there, or
// that is no valid UTF-8, or one symbol twice.
func WriteNPZ(out io.Writer, w *twornn.WFA) error {
	if err := checkWFA(w); err != nil {
		return err
	}
	for _, s := range w.Alphabet {
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			return fmt.Errorf("words: the symbol %q cannot stand in an npz archive, whose texts are Unicode without NUL; name it in letters", s)
		}
	}
	if err := distinct(w.Alphabet); err != nil {
		return err
	}
	return writeNPZ(out, w)
}

// writeNPZ is WriteNPZ, whatever the weights.
func writeNPZ(out io.Writer, w *twornn.WFA) error {
	m := w.Model()
	n, d, p := m.Dims()
	var a []float64
	for _, x := range m.A {
		a = append(a, x.RawMatrix().Data...)
	}
	z := zip.NewWriter(out)
	for _, e := range []struct {
		name  string
		data  []float64
		shape []int
	}{
		{"alpha", m.H0.RawVector().Data, []int{n}},
		{"A", a, []int{d, n, n}},
		{"Omega", m.Omega.RawMatrix().Data, []int{p, n}},
	} {
		b := make([]byte, 0, 8*len(e.data))
		for _, v := range e.data {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		if err := writeNPY(z, e.name, "<f8", e.shape, b); err != nil {
			return err
		}
	}
	longest := 1
	for _, s := range w.Alphabet {
		longest = max(longest, utf8.RuneCountInString(s))
	}
	text := make([]byte, 0, 4*longest*d)
	for _, s := range w.Alphabet {
		k := 0
		for _, r := range s {
			text = binary.LittleEndian.AppendUint32(text, uint32(r))
			k++
		}
		text = append(text, make([]byte, 4*(longest-k))...)
	}
	if err := writeNPY(z, "alphabet", fmt.Sprintf("<U%d", longest), []int{d}, text); err != nil {
		return err
	}
	return z.Close()
}

// writeNPY adds an array in the .npy format 1.0.
func writeNPY(z *zip.Writer, name, kind string, shape []int, data []byte) error {
	dims := make([]string, len(shape))
	for i, k := range shape {
		dims[i] = strconv.Itoa(k)
	}
	tuple := strings.Join(dims, ", ")
	if len(shape) == 1 {
		tuple += ","
	}
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, tuple)
	// The data begin at a multiple of 64.
	for (10+len(head)+1)%64 != 0 {
		head += " "
	}
	head += "\n"
	f, err := z.Create(name + ".npy")
	if err != nil {
		return err
	}
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	b = append(append(b, head...), data...)
	_, err = f.Write(b)
	return err
}

// ReadNPZ reads an archive of WriteNPZ, or one that numpy.savez wrote with arrays of these
// names and shapes, in either order of memory; without alphabet the symbols are
// numbered. It errs, with the array, if one is missing, of another kind or larger than 256 MiB,
// or holds a number that is not finite.
func ReadNPZ(in io.Reader) (*twornn.WFA, error) { return readNPZ(in, store.Limit) }

func readNPZ(in io.Reader, limit int64) (*twornn.WFA, error) {
	raw, err := store.ReadAll(given(in), limit)
	if err != nil {
		return nil, fmt.Errorf("words: the npz archive %w", err)
	}
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return nil, fmt.Errorf("words: this is no npz archive: %w; write it with numpy.savez(file, alpha=…, A=…, Omega=…)", err)
	}
	arrays, other := make(map[string]*npy), ""
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok || !slices.Contains([]string{"alpha", "A", "Omega", "alphabet"}, name) {
			other = f.Name
			continue
		}
		if arrays[name] != nil {
			return nil, fmt.Errorf("words: npz: array %s occurs twice; write each once", name)
		}
		if arrays[name], err = readNPY(f, limit); err != nil {
			return nil, fmt.Errorf("words: npz: array %s: %w", name, err)
		}
	}
	if arrays["alphabet"] == nil && other != "" {
		return nil, fmt.Errorf("words: npz: there is %.40q and no array alphabet; write alpha, A, Omega and alphabet", other)
	}
	for k, name := range []string{"alpha", "Omega", "A"} {
		a, dims := arrays[name], k+1
		if a == nil {
			return nil, fmt.Errorf("words: npz: there is no array %s; an automaton is alpha (n), A (d×n×n) and Omega (p×n)", name)
		}
		if len(a.shape) != dims || a.kind != "<f8" {
			return nil, fmt.Errorf("words: npz: array %s is %.20q of shape %v; make it float64 of %d dimensions", name, a.kind, a.shape, dims)
		}
		for i, v := range a.floats() {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("words: npz: number %d of array %s is %v; an automaton has finite numbers alone", i+1, name, v)
			}
		}
	}
	return assemble(arrays["alpha"], arrays["A"], arrays["Omega"], arrays["alphabet"])
}

// assemble makes an automaton of arrays whose shapes must agree.
func assemble(alpha, a, omega, alphabet *npy) (*twornn.WFA, error) {
	n, d, p := alpha.shape[0], a.shape[0], omega.shape[0]
	if n == 0 || d == 0 || p == 0 || a.shape[1] != n || a.shape[2] != n || omega.shape[1] != n {
		return nil, fmt.Errorf("words: npz: alpha %v, A %v and Omega %v disagree; they must be n, d×n×n and p×n", alpha.shape, a.shape, omega.shape)
	}
	m := twornn.NewModel(n, d, p)
	copy(m.H0.RawVector().Data, alpha.floats())
	all := a.floats()
	for s := range d {
		copy(m.A[s].RawMatrix().Data, all[s*n*n:])
	}
	copy(m.Omega.RawMatrix().Data, omega.floats())
	names := datasets.Numbered(d)
	if alphabet != nil {
		var err error
		if names, err = alphabet.texts(); err != nil || len(names) != d {
			return nil, fmt.Errorf("words: npz: the alphabet must be %d texts, one a symbol", d)
		}
	}
	seen := make(map[string]bool, d)
	for _, s := range names {
		if seen[s] {
			return nil, fmt.Errorf("words: npz: the symbol %.40q occurs twice in the alphabet; name them apart", s)
		}
		seen[s] = true
	}
	return m.WFA(names), nil
}

// npy is an array of such a file.
type npy struct {
	kind    string
	fortran bool
	shape   []int
	data    []byte
}

var npyHead = regexp.MustCompile(`'descr': '([^']*)', 'fortran_order': (True|False), 'shape': \(([0-9, ]*)\)`)

func readNPY(f *zip.File, limit int64) (*npy, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := store.ReadAll(r, limit) // whatever size the archive claims
	if err != nil {
		return nil, fmt.Errorf("it %w", err)
	}
	if len(b) < 10 || string(b[:6]) != "\x93NUMPY" {
		return nil, errors.New("it is no .npy file")
	}
	size, at := int(binary.LittleEndian.Uint16(b[8:])), 10
	if b[6] > 1 && len(b) >= 12 {
		size, at = int(binary.LittleEndian.Uint32(b[8:])), 12
	}
	if len(b) < at+size {
		return nil, errors.New("its header breaks off")
	}
	head := npyHead.FindSubmatch(b[at : at+size])
	if head == nil {
		return nil, errors.New("its header cannot be read")
	}
	a := &npy{kind: string(head[1]), fortran: string(head[2]) == "True", data: b[at+size:]}
	total := 1
	for _, s := range strings.FieldsFunc(string(head[3]), func(r rune) bool { return r == ',' || r == ' ' }) {
		k, err := strconv.Atoi(s)
		if err != nil || k < 0 || k > len(b) || total > len(b) {
			return nil, fmt.Errorf("its shape has %.20q entries, more than its data", s)
		}
		a.shape = append(a.shape, k)
		total *= k
	}
	width, err := strconv.Atoi(strings.TrimLeft(a.kind, "<>=|fUiu"))
	if strings.HasPrefix(a.kind, "<U") {
		width *= 4
	}
	if err != nil || len(a.data) != width*total {
		return nil, fmt.Errorf("it has %d bytes for the shape %v of %.20q", len(a.data), a.shape, a.kind)
	}
	return a, nil
}

// floats returns the numbers in the order of C.
func (a *npy) floats() []float64 {
	v := make([]float64, len(a.data)/8)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(a.data[8*i:]))
	}
	if !a.fortran || len(a.shape) < 2 {
		return v
	}
	c := make([]float64, len(v))
	index := make([]int, len(a.shape))
	for i := range c {
		at := 0
		for k := len(index) - 1; k >= 0; k-- {
			at = at*a.shape[k] + index[k]
		}
		c[i] = v[at]
		for k := len(index) - 1; k >= 0; k-- {
			if index[k]++; index[k] < a.shape[k] {
				break
			}
			index[k] = 0
		}
	}
	return c
}

// texts returns the strings of a U array.
func (a *npy) texts() ([]string, error) {
	if !strings.HasPrefix(a.kind, "<U") || len(a.shape) != 1 || a.shape[0] == 0 {
		return nil, errors.New("no texts")
	}
	width := len(a.data) / a.shape[0]
	v := make([]string, a.shape[0])
	for i := range v {
		var b strings.Builder
		for k := 0; k+4 <= width; k += 4 {
			if r := binary.LittleEndian.Uint32(a.data[i*width+k:]); r != 0 {
				b.WriteRune(rune(r))
			}
		}
		v[i] = b.String()
	}
	return v, nil
}
