package baseline

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// slow runs the LSTM by scalars, gate by gate, and returns the output after every
// step, the first after none.
func slow(nw *Network, x *mat.Dense, steps int) [][]float64 {
	u, d, p := nw.Dims()
	sigma := func(v float64) float64 { return (1 + math.Tanh(v/2)) / 2 }
	h, c := make([]float64, u), make([]float64, u)
	var ys [][]float64
	for t := 0; ; t++ {
		y := make([]float64, p)
		for j := range p {
			y[j] = nw.Out.At(0, j)
			for k := range u {
				y[j] += h[k] * nw.Out.At(1+k, j)
			}
		}
		if ys = append(ys, y); t == steps {
			return ys
		}
		next := make([]float64, u)
		for j := range u {
			var gate [4]float64
			for g := range gate {
				col := g*u + j
				gate[g] = nw.W.At(d, col)
				for i := range d {
					gate[g] += x.At(t, i) * nw.W.At(i, col)
				}
				for k := range u {
					gate[g] += h[k] * nw.W.At(d+1+k, col)
				}
			}
			c[j] = sigma(gate[1])*c[j] + sigma(gate[0])*math.Tanh(gate[3])
			next[j] = sigma(gate[2]) * math.Tanh(c[j])
		}
		h = next
	}
}

// sizes are units, inputs, outputs; the 20 units fill more than one block of gonum's.
var sizes = []struct{ u, d, p int }{{1, 1, 1}, {3, 2, 2}, {20, 3, 1}, {5, 4, 3}}

// randomTrainer returns a trainer of an LSTM with random weights whose one batch is all
// examples.
func randomTrainer(t testing.TB, u, d, p int, kinds ...kind) *trainer {
	return randomTrainerOf(t, lstmCell, u, d, p, kinds...)
}

// randomTrainerOf does so for any kind of cells.
func randomTrainerOf(t testing.TB, cells, u, d, p int, kinds ...kind) *trainer {
	set := readAll(t, d, p, kinds...)
	set.split(-1)
	tr := newTrainer(set, LSTM{Units: u, Batch: len(set.all)}.filled(), cells)
	for i := range tr.theta { // biases too
		tr.theta[i] = tr.rnd.NormFloat64() / math.Sqrt(float64(1+u))
	}
	return tr
}

// TestForward: Predict, OutputsTo and the batched pass all give what scalars give.
// 1e-13 is some hundred roundings of numbers of order 1.
func TestForward(t *testing.T) {
	for _, s := range sizes {
		kinds := append([]kind{{70, 2, true}}, allKinds...)
		tr := randomTrainer(t, s.u, s.d, s.p, kinds...)
		var want float64
		number := 0
		for q := range mixed(s.d, s.p, 5, kinds...) {
			ys := slow(tr.nw, q.X, q.Len())
			var x mat.Matrix
			if q.Len() > 0 {
				x = q.X
				var got mat.Dense
				tr.nw.OutputsTo(&got, x)
				for i := range q.Len() {
					if !near(got.RawRowView(i), ys[i+1], 1e-13) {
						t.Fatalf("%v, step %d: output %v, by scalars %v", s, i, got.RawRowView(i), ys[i+1])
					}
				}
			}
			if got := tr.nw.Predict(nil, x); !near(got, ys[q.Len()], 1e-13) {
				t.Fatalf("%v: prediction %v, by scalars %v", s, got, ys[q.Len()])
			}
			rows, _ := q.Y.Dims()
			for i := range rows {
				for j, y := range q.Y.RawRowView(i) {
					e := ys[len(ys)-rows+i][j] - y
					want += e * e
				}
			}
			number += rows * s.p
		}
		tr.pass.forward(tr.train[len(tr.train)-3:]) // leaves its numbers in the workspace
		sse, n := tr.pass.forward(tr.train)
		if n != number || !near([]float64{sse}, []float64{want}, 1e-13*want) {
			t.Errorf("%v: squared error %v of %d outputs, by scalars %v of %d", s, sse, n, want, number)
		}
	}
}

// near reports whether a and b differ by at most tol in each entry.
func near(a, b []float64, tol float64) bool {
	return slices.EqualFunc(a, b, func(v, w float64) bool { return math.Abs(v-w) <= tol })
}

// TestGradient holds every weight's derivative against a central difference. With
// h = 1e-5 that errs by h² = 1e-10 and by rounding 1e-16/h = 1e-11, times numbers of
// the order of the loss, about 10: 1e-8 leaves a factor of 10.
func TestGradient(t *testing.T) {
	for _, s := range sizes {
		for name, kinds := range map[string][]kind{
			"mixed": allKinds, "last": {{3, 5, false}}, "every": {{3, 5, true}}, "one step": {{2, 1, true}}, "empty": {{2, 0, false}, {1, 1, false}},
		} {
			for _, cells := range []int{lstmCell, plainCell} {
				checkGradient(t, fmt.Sprintf("%v, %s, %d gates", s, name, cells), randomTrainerOf(t, cells, s.u, s.d, s.p, kinds...))
			}
		}
	}
}

func checkGradient(t *testing.T, name string, tr *trainer) {
	const h = 1e-5
	loss := func() float64 {
		sse, n := tr.pass.forward(tr.train)
		return sse / float64(n)
	}
	for range 2 { // the second batch finds the first one's numbers in the workspace
		_, n := tr.pass.forward(tr.train)
		tr.pass.backward(tr.grad, 1/float64(n))
	}
	for i := range tr.theta {
		v := tr.theta[i]
		tr.theta[i] = v + h
		up := loss()
		tr.theta[i] = v - h
		down := loss()
		tr.theta[i] = v
		if want := (up - down) / (2 * h); math.Abs(tr.dir[i]-want) > 1e-8 {
			t.Fatalf("%s: derivative %d is %v, by differences %v", name, i, tr.dir[i], want)
		}
	}
}

func TestNetworkGob(t *testing.T) {
	tr := randomTrainer(t, 4, 3, 2, kind{2, 5, true})
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(tr.nw); err != nil {
		t.Fatal(err)
	}
	var back Network
	if err := gob.NewDecoder(&buf).Decode(&back); err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(back.W, tr.nw.W) || !mat.Equal(back.Out, tr.nw.Out) {
		t.Error("gob changes the network")
	}
}

func TestNetworkPanics(t *testing.T) {
	nw, _ := newNetwork(lstmCell, 3, 2, 1)
	for name, f := range map[string]func(){
		"dst":       func() { nw.Predict(make([]float64, 2), mat.NewDense(1, 2, nil)) },
		"x":         func() { nw.Predict(nil, mat.NewDense(1, 3, nil)) },
		"outputs":   func() { nw.OutputsTo(mat.NewDense(2, 1, nil), mat.NewDense(1, 2, nil)) },
		"no fit":    func() { new(Network).Predict(nil, mat.NewDense(1, 2, nil)) },
		"bad parts": func() { (&Network{nw.W, mat.NewDense(7, 1, nil)}).Dims() },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
