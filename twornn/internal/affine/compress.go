package affine

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/lsq"
)

// maxWidth is how many numbers a run may have to be compressed.
const maxWidth = 400

// compressed returns data on which every linear system has the sum of squares that it has on
// these, and the same moments of its states, from far fewer runs; nil if there are none. What
// a linear system gives along a run of k steps is linear in
//
//	(1, u_1, …, u_k)
//
// so of all runs alike the factor R of [1 u_1 … u_k | y] = QR tells all. Its rows, turned
// so that all have the same constant c = √(N/w), w of them, are runs that begin at c h₀ (the
// Size of a run), with inputs over c.
func (data *Data) compressed() *Data {
	if !data.many() || data.Own {
		return nil
	}
	out := &Data{D: data.D, P: data.P, For: len(data.Runs), Report: data.Report, Stop: data.Stop}
	rest := slices.Clone(data.Runs)
	for len(rest) > 0 {
		var alike []lsq.Run
		alike, rest = apart(rest)
		width := 1 + alike[0].Steps(data.D)*(data.D-1)
		if width > maxWidth {
			return nil
		}
		if len(alike) <= 2*width {
			for _, r := range alike {
				out.Add(r)
			}
			continue
		}
		out.addFactor(alike, width)
	}
	if len(out.Runs) > len(data.Runs)/2 {
		return nil
	}
	out.M = data.M
	return out
}

// apart returns the runs of the length of the first, with outputs at its steps, and the others.
func apart(runs []lsq.Run) (alike, others []lsq.Run) {
	for _, r := range runs {
		if len(r.X) == len(runs[0].X) && slices.Equal(r.At, runs[0].At) && r.Size == runs[0].Size {
			alike = append(alike, r)
		} else {
			others = append(others, r)
		}
	}
	return alike, others
}

// addFactor adds the runs that stand for these.
func (data *Data) addFactor(alike []lsq.Run, width int) {
	d, steps, outputs := data.D, alike[0].Steps(data.D), len(alike[0].At)*data.P
	all := mat.NewDense(len(alike), width+outputs, nil)
	for k, r := range alike {
		row := all.RawRowView(k)
		row[0] = 1
		for t := range steps {
			copy(row[1+t*(d-1):1+(t+1)*(d-1)], r.X[t*d+1:(t+1)*d])
		}
		copy(row[width:], r.Y)
	}
	linalg.R(all)
	R := mat.DenseCopyOf(all.Slice(0, width, 0, width+outputs))
	left := all.Slice(width, min(len(alike), width+outputs), width, width+outputs).(*mat.Dense)
	data.Rest += math.Pow(mat.Norm(left, 2), 2)
	spread(R)
	size := math.Abs(R.At(0, 0))
	for k := range width {
		row := R.RawRowView(k)
		sign := math.Copysign(1, row[0])
		q := lsq.Run{At: alike[0].At, Size: size}
		for t := range steps {
			q.X = append(q.X, 1)
			for _, v := range row[1+t*(d-1) : 1+(t+1)*(d-1)] {
				q.X = append(q.X, sign*v/size)
			}
		}
		for _, v := range row[width:] {
			q.Y = append(q.Y, sign*v)
		}
		data.Add(q)
	}
}

// spread turns the rows of R so that the first column, which is zero but for its first entry,
// has entries of one size.
func spread(R *mat.Dense) {
	n, cols := R.Dims()
	if n == 1 {
		return
	}
	v := make([]float64, n) // I − 2vvᵀ takes e₁ to (1, …, 1)/√n
	for i := range v {
		v[i] = -1 / math.Sqrt(float64(n))
	}
	v[0]++
	norm := linalg.Norm(v)
	dot := make([]float64, cols)
	for i := range v {
		v[i] /= norm
		linalg.Axpy(v[i], R.RawRowView(i), dot)
	}
	for i := range v {
		linalg.Axpy(-2*v[i], dot, R.RawRowView(i))
	}
}
