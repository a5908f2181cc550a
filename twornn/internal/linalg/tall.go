package linalg

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Products of a large matrix with one of few columns, as the outputs are: gonum's Mul
// works along the rows of the result, which here are two or three numbers long. These
// work along the rows of the large one.

// wide is the number of columns from which Mul is as good.
const wide = 16

// Times returns A H.
func Times(A, H *mat.Dense) *mat.Dense {
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

// TransposedTimes returns Aᵀ E.
func TransposedTimes(A, E *mat.Dense) *mat.Dense {
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

// Residual returns B − A H.
func Residual(A, B, H *mat.Dense) *mat.Dense {
	e := Times(A, H)
	e.Sub(B, e)
	return e
}

// Squared returns ‖a‖²_F.
func Squared(a *mat.Dense) float64 {
	norm := mat.Norm(a, 2)
	return norm * norm
}

// Inner returns Σ a_ij b_ij.
func Inner(a, b *mat.Dense) (s float64) {
	r, _ := a.Dims()
	for i := range r {
		s += Dot(a.RawRowView(i), b.RawRowView(i))
	}
	return s
}

// AddMultiple adds f b to a, both without gaps between their rows.
func AddMultiple(a *mat.Dense, f float64, b *mat.Dense) {
	floats.AddScaled(a.RawMatrix().Data, f, b.RawMatrix().Data)
}

// AddGram adds the upper triangle of JᵀJ to N, J having k columns. It works in room, on J
// transposed: rows times vectors, for which gonum has its fastest kernel at these sizes.
func AddGram(N, J []float64, k int, room *[]float64) {
	const chunk = 128
	for ; len(J) > 0; J = J[min(chunk*k, len(J)):] {
		m := min(chunk, len(J)/k)
		T := Sized(room, m*k)
		for r := range m {
			for c, v := range J[r*k : (r+1)*k] {
				T[c*m+r] = v
			}
		}
		for i := range k {
			rows := blas64.General{Rows: k - i, Cols: m, Stride: m, Data: T[i*m:]}
			blas64.Gemv(blas.NoTrans, 1, rows, blas64.Vector{N: m, Inc: 1, Data: T[i*m:]}, 1,
				blas64.Vector{N: k - i, Inc: 1, Data: N[i*k+i:]})
		}
	}
}
