package twornn

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Products of a large matrix with one of few columns, as the outputs are: gonum's Mul
// works along the rows of the result, which here are two or three numbers long. These
// work along the rows of the large one.

// wide is the number of columns from which Mul is as good.
const wide = 16

// times returns A H.
func times(A, H *mat.Dense) *mat.Dense {
	r, _ := A.Dims()
	_, p := H.Dims()
	out := mat.NewDense(r, p, nil)
	if p >= wide {
		out.Mul(A, H)
		return out
	}
	T := mat.DenseCopyOf(H.T())
	for i := range r {
		row, dst := A.RawRowView(i), out.RawRowView(i)
		for j := range dst {
			dst[j] = floats.Dot(row, T.RawRowView(j))
		}
	}
	return out
}

// transposedTimes returns Aᵀ E.
func transposedTimes(A, E *mat.Dense) *mat.Dense {
	r, c := A.Dims()
	_, p := E.Dims()
	if p >= wide {
		var out mat.Dense
		out.Mul(A.T(), E)
		return &out
	}
	T := mat.NewDense(p, c, nil)
	for i := range r {
		row := A.RawRowView(i)
		for j, v := range E.RawRowView(i) {
			floats.AddScaled(T.RawRowView(j), v, row)
		}
	}
	return mat.DenseCopyOf(T.T())
}
