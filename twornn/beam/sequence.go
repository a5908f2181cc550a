package beam

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

func init() {
	sdk.RegisterCoder(reflect.TypeFor[Sequence](), encodeSequence, decodeSequence)
}

// Sequence is an example as an element of a PCollection: k inputs of d numbers, with an output
// of p numbers after every step or after the last alone.
type Sequence struct {
	// Place is where the sequence stands among all, from 1. Zero: not known.
	Place int64
	// Total is how many there are in all, if they are known to be of one size. Zero: not known.
	Total int64
	// Inputs and Outputs are d and p.
	Inputs, Outputs int
	// X has k·d numbers, step by step, Y has p or k·p.
	X, Y []float64
	// Err says why a source cannot go on; all else is zero then.
	Err string
}

// Of returns s as an element. It shares the numbers of s, unless they lie apart.
func Of(place, total int64, s twornn.Sequence) Sequence {
	if s.Err != nil {
		return Sequence{Err: s.Err.Error()}
	}
	q := Sequence{Place: place, Total: total, Y: numbers(s.Y)}
	if s.Y != nil {
		q.Inputs, q.Outputs = s.Dims()
	}
	if s.Len() > 0 {
		q.X = numbers(s.X)
	}
	return q
}

func numbers(m *mat.Dense) []float64 {
	if m == nil || m.IsEmpty() {
		return nil
	}
	r, c := m.Dims()
	if raw := m.RawMatrix(); raw.Stride == c {
		return raw.Data[:r*c]
	}
	return mat.DenseCopyOf(m).RawMatrix().Data
}

// Sequence returns the example, whose matrices share the numbers of s. Its Err is set if
// they do not make rows.
func (s Sequence) Sequence() (q twornn.Sequence) {
	if s.Err != "" {
		return twornn.Sequence{Err: errors.New(s.Err)}
	}
	if s.Outputs < 1 || len(s.Y) == 0 || len(s.Y)%s.Outputs != 0 || len(s.X) > 0 && (s.Inputs < 1 || len(s.X)%s.Inputs != 0) {
		return twornn.Sequence{Err: errors.New("beam: a sequence has numbers that make no rows of its inputs and outputs; set Inputs and Outputs")}
	}
	if len(s.X) > 0 {
		q.X = mat.NewDense(len(s.X)/s.Inputs, s.Inputs, s.X)
	}
	q.Y = mat.NewDense(len(s.Y)/s.Outputs, s.Outputs, s.Y)
	return q
}

// sequenceVersion begins every encoded sequence.
const sequenceVersion = 1

func encodeSequence(s Sequence) []byte {
	b := make([]byte, 0, 32+len(s.Err)+8*(len(s.X)+len(s.Y)))
	b = append(b, sequenceVersion)
	for _, n := range []int{int(s.Place), int(s.Total), s.Inputs, s.Outputs, len(s.X), len(s.Y)} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, v := range [][]float64{s.X, s.Y} {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	return append(b, s.Err...)
}

var errSequence = errors.New("beam: this is no sequence of this version; use one version on all machines")

func decodeSequence(b []byte) (s Sequence, err error) {
	if len(b) == 0 || b[0] != sequenceVersion {
		return s, errSequence
	}
	b = b[1:]
	var n [6]int
	for i := range n {
		v, size := binary.Uvarint(b)
		if size <= 0 || v > math.MaxInt64 {
			return s, errSequence
		}
		n[i], b = int(v), b[size:]
	}
	if most := len(b) / 8; n[4] > most || n[5] > most-n[4] {
		return s, errSequence
	}
	s = Sequence{Place: int64(n[0]), Total: int64(n[1]), Inputs: n[2], Outputs: n[3]}
	s.X, b = floats(b, n[4])
	s.Y, b = floats(b, n[5])
	s.Err = string(b)
	return s, nil
}

func floats(b []byte, n int) ([]float64, []byte) {
	if n == 0 {
		return nil, b
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return v, b[8*n:]
}
