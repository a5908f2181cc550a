package baseline

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

// TestRNNForward: Predict, OutputsTo and the batched pass are what scalars give. 1e-13
// is some hundred roundings of numbers of order 1.
func TestRNNForward(t *testing.T) {
	for _, s := range sizes {
		tr := randomTrainerOf(t, plainCell, s.u, s.d, s.p, allKinds...)
		var want float64
		for q := range mixed(s.d, s.p, 5, allKinds...) {
			h, y := make([]float64, s.u), make([][]float64, q.Len()+1)
			for step := range y {
				if step > 0 {
					next := make([]float64, s.u)
					for j := range next {
						z := tr.nw.W.At(s.d, j)
						for i := range s.d {
							z += q.X.At(step-1, i) * tr.nw.W.At(i, j)
						}
						for k := range s.u {
							z += h[k] * tr.nw.W.At(s.d+1+k, j)
						}
						next[j] = math.Tanh(z)
					}
					h = next
				}
				y[step] = make([]float64, s.p)
				for j := range s.p {
					y[step][j] = tr.nw.Out.At(0, j)
					for k := range s.u {
						y[step][j] += h[k] * tr.nw.Out.At(1+k, j)
					}
				}
			}
			var x mat.Matrix
			if q.Len() > 0 {
				x = q.X
			}
			if got := tr.nw.Predict(nil, x); !near(got, y[q.Len()], 1e-13) {
				t.Fatalf("%v: prediction %v, by scalars %v", s, got, y[q.Len()])
			}
			rows, _ := q.Y.Dims()
			for i := range rows {
				for j, v := range q.Y.RawRowView(i) {
					e := y[len(y)-rows+i][j] - v
					want += e * e
				}
			}
		}
		if sse, _ := tr.pass.forward(tr.train); !near([]float64{sse}, []float64{want}, 1e-13*want) {
			t.Errorf("%v: squared error %v, by scalars %v", s, sse, want)
		}
	}
}

// TestFitRNN: sums of up to four inputs are learnt to a tenth of their deviation, by
// 20·(d+1+20) + 21 weights for d = 2, and the mean alone would leave all of it.
func TestFitRNN(t *testing.T) {
	data := mixed(2, 1, 3, kind{200, 4, false})
	nw, st, err := FitRNN(t.Context(), data, RNN{LearningRate: 0.01, Epochs: 200}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if u, d, p := nw.Dims(); u != 20 || d != 2 || p != 1 || st.Unknowns != 20*23+21 {
		t.Errorf("%d units, %d inputs, %d outputs, %v weights", u, d, p, st.Unknowns)
	}
	m := twornn.Evaluate(nw, data)
	if m.Err != nil || !(m.R2 > 0.99) {
		t.Errorf("R² %v, %v", m.R2, m.Err)
	}
}
