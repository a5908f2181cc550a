package twornn

import (
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/lsq"
)

// TestBalanced: the same function; both Gramians the same diagonal matrix; the weights are
// the singular values of the Hankel block over the words, written out.
func TestBalanced(t *testing.T) {
	const n, d, p, steps = 4, 2, 2, 2
	m := Random(n, d, p, 0.7, pcg(1))
	net, weights := lsq.Balanced((*lsq.Net)(m), n, steps)
	b := (*Model)(net)
	if e := relativeError(t, b, m, 6); e > 1e-10 {
		t.Errorf("the function changed by %.2g", e)
	}
	C, O := lsq.Gramians(net, steps)
	D := mat.NewDiagDense(n, weights)
	if !mat.EqualApprox(C, D, 1e-9*weights[0]) || !mat.EqualApprox(O, D, 1e-9*weights[0]) {
		t.Errorf("not balanced: %v\n%v\n%v", weights, mat.Formatted(C), mat.Formatted(O))
	}
	var rows []*mat.Dense
	for l := range steps + 1 {
		words(d, l, func(_ []int, x *mat.Dense) { rows = append(rows, x) })
	}
	H := mat.NewDense(len(rows), len(rows)*p, nil)
	for i, u := range rows {
		for k, v := range rows {
			uv := new(mat.Dense)
			switch {
			case u == nil:
				uv = v
			case v == nil:
				uv = u
			default:
				uv.Stack(u, v)
			}
			var y []float64
			if uv == nil {
				y = m.Predict(nil, nil)
			} else {
				y = m.Predict(nil, uv)
			}
			copy(H.RawRowView(i)[k*p:], y)
		}
	}
	_, s, _, err := linalg.SVD(H)
	if err != nil {
		t.Fatal(err)
	}
	if !floats.EqualApprox(s[:n], weights, 1e-9*s[0]) {
		t.Errorf("weights %v, singular values %v", weights, s)
	}
	// A state that carries nothing is cut without loss.
	padded := NewModel(n+1, d, p)
	for i := range n {
		padded.H0.SetVec(i, m.H0.AtVec(i))
		for j := range p {
			padded.Omega.Set(j, i, m.Omega.At(j, i))
		}
		for k := range n {
			for a := range d {
				padded.A[a].Set(i, k, m.A[a].At(i, k))
			}
		}
	}
	cut, _ := lsq.Balanced((*lsq.Net)(padded), n, steps)
	if e := relativeError(t, (*Model)(cut), m, 6); e > 1e-6 { // the roots of the Gramians keep half the digits
		t.Errorf("cutting an idle state changed the function by %.2g", e)
	}
}
