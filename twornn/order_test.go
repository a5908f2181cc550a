package twornn

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestBeginningsThatMislead: inputs that hardly move, or hardly differ, in the first
// thousands of sequences and do later give the same fit as in the opposite order.
func TestBeginningsThatMislead(t *testing.T) {
	m := Random(2, 2, 1, 0.7, pcg(1))
	for name, early := range map[string]func(z, w float64) (float64, float64){
		"collinear": func(z, w float64) (float64, float64) { return z, z * (1 + 1e-6*w) },
		"constant":  func(z, w float64) (float64, float64) { return 1 + 1e-6*z, 2 + 1e-6*w },
		"bias":      func(_, w float64) (float64, float64) { return 1, 3 + 1e-6*w },
	} {
		rnd := rand.New(pcg(3)).NormFloat64
		var data []Sequence
		for i := range 6000 {
			x := mat.NewDense(3, 2, nil)
			for k := range 3 {
				a, b := rnd(), rnd()
				if i < 4000 {
					a, b = early(a, b)
				}
				x.SetRow(k, []float64{a, b})
			}
			data = append(data, Sequence{X: x, Y: mat.NewDense(1, 1, []float64{m.Predict(nil, x)[0] + 0.1*rnd()})})
		}
		reversed := slices.Clone(data)
		slices.Reverse(reversed)
		{
			r := LeastSquares{}
			a, st, err := r.Recover(context.Background(), collected(t, data, 3)[3], 0, nil)
			b, _, err2 := r.Recover(context.Background(), collected(t, reversed, 3)[3], 0, nil)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			x, _ := a.Full()
			y, _ := b.Full()
			for i := range x {
				if math.Abs(x[i]-y[i]) > 1e-6 {
					t.Fatalf("%s: entry %d of H is %v, in the opposite order %v; rank %d", name, i, x[i], y[i], st.Rank)
				}
			}
		}
		var every []Sequence // outputs after every step, for Fit
		for _, s := range data {
			y := new(mat.Dense)
			m.OutputsTo(y, s.X)
			for k := range 3 {
				y.Set(k, 0, y.At(k, 0)+0.1*rnd())
			}
			every = append(every, Sequence{X: s.X, Y: y})
		}
		f := fit(t, slices.Values(every), Options{})
		if f.Has(Collinear) || f.Rank != 2 || !(f.MSE < 0.0105) {
			t.Errorf("%s: %v", name, f)
		}
	}
}

// TestManyEmptyWords: they measure f(λ) as any number of others do.
func TestManyEmptyWords(t *testing.T) {
	m := Random(2, 2, 1, 0.7, pcg(1))
	for _, n := range []int{1, 4, 300, 5000} {
		data := all(m, 200, 3, 0, true, 2)
		for range n {
			data = append(data, Sequence{Y: mat.NewDense(1, 1, []float64{m.Predict(nil, nil)[0]})})
		}
		f := fit(t, slices.Values(data), Options{L: 1, Rank: 2})
		if e := math.Abs(f.Predict(nil, nil)[0] - m.Predict(nil, nil)[0]); e > 1e-9 {
			t.Errorf("%d empty words: f(λ) is off by %v", n, e)
		}
	}
}

// TestMergeKeepsLongSequences: also where the greatest length measured differs.
func TestMergeKeepsLongSequences(t *testing.T) {
	m := Random(2, 2, 1, 0.7, pcg(1))
	long := all(m, 50, 20, 0, false, 3)
	a := collected(t, append(all(m, 5, 1, 0, true, 4), long[:1]...), 1, 2, 3)
	b := collected(t, append(all(m, 100, 3, 0, true, 2), long[1:]...), 1, 2, 3)
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	if ls := a.Lengths(); a[ls[len(ls)-1]].of.Long.N != 50 {
		t.Errorf("%d of 50 long sequences are left", a[ls[len(ls)-1]].of.Long.N)
	}
	c := collected(t, append(all(m, 100, 2, 0, true, 2), long[:10]...), 1, 2)
	if err := c.Merge(a); err != nil {
		t.Fatal(err)
	}
	if c[3].of.Long.N != 60 || c[2].of.Long.N != 0 {
		t.Errorf("%d and %d long sequences, want 60 with the greatest length", c[3].of.Long.N, c[2].of.Long.N)
	}
}

// TestManyShards: rows that wait in many small shards are folded in as they join.
func TestManyShards(t *testing.T) {
	m := Random(2, 2, 1, 0.7, pcg(1))
	data := all(m, 6000, 3, 0.1, true, 2)
	whole, merged := collected(t, data), Collection{}
	for from := 0; from < len(data); from += 50 {
		if err := merged.Merge(collected(t, data[from:from+50])); err != nil {
			t.Fatal(err)
		}
	}
	h := Random(2, 2, 1, 0.7, pcg(4)).Hankel(3)
	want, _ := whole[3].SquaredError(h)
	got, err := merged[3].SquaredError(h)
	if err != nil || math.Abs(got-want) > 1e-10*want {
		t.Errorf("squared error %v, want %v (%v)", got, want, err)
	}
	if n := merged[3].of.Waiting(); n >= 256 {
		t.Errorf("%d rows of a part wait", n)
	}
}
