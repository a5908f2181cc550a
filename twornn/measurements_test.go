package twornn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// direct returns X and Y of the sequences of length l, row by row.
func direct(t *testing.T, m *Model, data []Sequence, l int) (X, Y *mat.Dense) {
	t.Helper()
	_, d, p := m.Dims()
	X, Y = mat.NewDense(len(data), linalg.Pow(d, l), nil), mat.NewDense(len(data), p, nil)
	for r, s := range data {
		k := mat.NewDense(1, 1, []float64{1})
		for step := range l {
			var next mat.Dense
			next.Kronecker(k, s.X.Slice(step, step+1, 0, d))
			k = &next
		}
		X.SetRow(r, k.RawRowView(0))
		rows, _ := s.Y.Dims()
		row := 0
		if rows > 1 {
			row = l - 1
		}
		Y.SetRow(r, s.Y.RawRowView(row))
	}
	return X, Y
}

func collected(t *testing.T, data []Sequence, lengths ...int) Collection {
	t.Helper()
	c, err := Collect(sequences(data...), lengths...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func all(m *Model, n, length int, noise float64, every bool, seed uint64) (out []Sequence) {
	for s := range draw(m, n, length, noise, every, seed) {
		out = append(out, s)
	}
	return out
}

// TestCollectKeepsTheNormalEquations: XᵀX, XᵀY and squared errors come out as if X
// had been kept, below and far above the number of rows at which it is folded.
func TestCollectKeepsTheNormalEquations(t *testing.T) {
	m := Random(3, 2, 2, 0.7, pcg(1))
	for _, n := range []int{1, 5, 34, 35, 300, 2000} {
		data := all(m, n, 3, 0.3, true, uint64(n))
		c := collected(t, data)
		if got := fmt.Sprint(c.Lengths()); got != "[1 2 3]" {
			t.Fatalf("lengths %v", got)
		}
		for l := 1; l <= 3; l++ {
			X, Y := direct(t, m, data, l)
			A, B, err := c[l].System()
			if err != nil {
				t.Fatal(err)
			}
			var want, got, wantY, gotY mat.Dense
			want.Mul(X.T(), X)
			got.Mul(A.T(), A)
			wantY.Mul(X.T(), Y)
			gotY.Mul(A.T(), B)
			if tol := 1e-11 * float64(n); !mat.EqualApprox(&got, &want, tol) || !mat.EqualApprox(&gotY, &wantY, tol) {
				t.Errorf("N = %d, l = %d: the normal equations changed", n, l)
			}
			h := Random(3, 2, 2, 0.7, pcg(2)).Hankel(l)
			H, _ := h.Unfold(l)
			var e mat.Dense
			e.Mul(X, H)
			e.Sub(&e, Y)
			norm := mat.Norm(&e, 2)
			sse, err := c[l].SquaredError(h)
			if err != nil || math.Abs(sse-norm*norm) > 1e-11*norm*norm {
				t.Errorf("N = %d, l = %d: squared error %v, want %v (%v)", n, l, sse, norm*norm, err)
			}
			if rows := c[l].of.Waiting(); rows > 256 {
				t.Errorf("N = %d: %d rows are still kept", n, rows)
			}
			if c[l].N() != n || c[l].Unknowns() != math.Pow(2, float64(l)) {
				t.Errorf("N = %d, unknowns %v", c[l].N(), c[l].Unknowns())
			}
		}
	}
}

func TestMergedShardsEqualTheWhole(t *testing.T) {
	m := Random(3, 2, 2, 0.7, pcg(3))
	for _, sizes := range [][2]int{{3, 4}, {400, 3}, {3, 400}, {700, 900}} {
		data := all(m, sizes[0]+sizes[1], 3, 0.1, true, 5)
		whole := collected(t, data)
		a, b := collected(t, data[:sizes[0]]), collected(t, data[sizes[0]:])
		if err := a.Merge(b); err != nil {
			t.Fatal(err)
		}
		empty := Collection{}
		if err := empty.Merge(a); err != nil {
			t.Fatal(err)
		}
		for l := 1; l <= 3; l++ {
			h := Random(2, 2, 2, 0.7, pcg(4)).Hankel(l)
			want, _ := whole[l].SquaredError(h)
			for _, c := range []Collection{a, empty} {
				if got, err := c[l].SquaredError(h); err != nil || math.Abs(got-want) > 1e-11*want || c[l].N() != whole[l].N() {
					t.Errorf("%v, l = %d: squared error %v of the merged, %v of the whole (%v)", sizes, l, got, want, err)
				}
			}
		}
		if !mat.EqualApprox(a.set().SecondMoments(2), whole.set().SecondMoments(2), 1e-12) {
			t.Error("the inputs' moments differ")
		}
		for l, m := range whole {
			if e := a[l].Energy(); math.Abs(e-m.Energy()) > 1e-12*m.Energy() || math.Abs(a[l].of.Outputs.Energy()-e) > 1e-12*e {
				t.Errorf("‖Y‖² is %v merged, %v by moments, %v whole", e, a[l].of.Outputs.Energy(), m.Energy())
			}
		}
	}
	other := collected(t, all(Random(2, 3, 2, 1, pcg(5)), 3, 2, 0, true, 6))
	c := collected(t, all(m, 3, 2, 0, true, 7))
	if err := c.Merge(other); err == nil || c[1].N() != 3 {
		t.Errorf("shards with other inputs merge: %v", err)
	}
}

func TestCollectTakesWhatIsAskedFor(t *testing.T) {
	m := Random(2, 2, 1, 1, pcg(6))
	last := all(m, 4, 3, 0, false, 1)
	every := all(m, 5, 3, 0, true, 2)
	word := Sequence{Y: mat.NewDense(1, 1, []float64{2})}
	data := append(append(last, every...), word)
	for _, c := range []struct {
		lengths []int
		want    string
	}{
		{nil, "map[0:1 1:5 2:5 3:9]"},
		{[]int{3}, "map[3:9]"},
		{[]int{0, 2, 7}, "map[0:1 2:5]"},
	} {
		got := map[int]int{}
		for l, m := range collected(t, data, c.lengths...) {
			got[l] = m.N()
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("lengths %v: collected %v, want %v", c.lengths, got, c.want)
		}
	}
}

// TestCollectKeepsRowsBeyondTheDenseLimit: d^l = 5^9 cannot be written out, so the
// rows are kept, and a dense recovery says why it will not do.
func TestCollectKeepsRowsBeyondTheDenseLimit(t *testing.T) {
	m := Random(2, 5, 1, 0.4, pcg(7))
	c := collected(t, all(m, 500, 9, 0, false, 3), 9)
	if c[9].N() != 500 || !c[9].HasRows() {
		t.Errorf("%d measurements, rows kept %v", c[9].N(), c[9].HasRows())
	}
	if _, _, err := (LeastSquares{}).Recover(context.Background(), c[9], 0, nil); err == nil || !strings.Contains(err.Error(), "H(9) has 1.953e+06 unknowns") {
		t.Errorf("error %v", err)
	}
	other := Random(3, 5, 1, 0.4, pcg(8))
	var want float64
	for _, s := range all(m, 500, 9, 0, false, 3) {
		e := s.Y.At(0, 0) - other.Predict(nil, s.X)[0]
		want += e * e
	}
	if got, err := c[9].SquaredError(other.Hankel(9)); err != nil || math.Abs(got-want) > 1e-10*want {
		t.Errorf("squared error %v, want %v (%v)", got, want, err)
	}
}

func TestCollectErrsOnBadSequences(t *testing.T) {
	good := Sequence{X: mat.NewDense(2, 2, nil), Y: mat.NewDense(1, 1, nil)}
	cause := errors.New("the file breaks off")
	for _, c := range []struct {
		name string
		s    Sequence
		want string
	}{
		{"no Y", Sequence{X: good.X}, "twornn: sequence 2: it has no output Y"},
		{"rows", Sequence{X: mat.NewDense(3, 2, nil), Y: mat.NewDense(2, 1, nil)}, "sequence 2: it has 2 rows of Y for 3 steps"},
		{"inputs", Sequence{X: mat.NewDense(2, 3, nil), Y: good.Y}, "sequence 2 has 3 inputs, those before it 2"},
		{"outputs", Sequence{X: good.X, Y: mat.NewDense(1, 2, nil)}, "sequence 2 has 2 outputs, those before it 1"},
		{"NaN", Sequence{X: mat.NewDense(2, 2, []float64{0, 1, math.NaN(), 0}), Y: good.Y}, "sequence 2: input 1 of step 2 is NaN"},
		{"Inf", Sequence{X: good.X, Y: mat.NewDense(1, 1, []float64{math.Inf(-1)})}, "sequence 2: output 1 of step 1 is -Inf"},
	} {
		_, err := Collect(sequences(good, c.s))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if e := Evaluate(NewModel(1, 2, 1), sequences(good, c.s)); e.Err == nil {
			t.Errorf("%s: Evaluate scores it", c.name)
		}
	}
	if _, err := Collect(sequences(good, Sequence{Err: cause})); !errors.Is(err, cause) {
		t.Errorf("the source's error is lost: %v", err)
	}
	if _, err := Collect(sequences()); err == nil {
		t.Error("no data is no error")
	}
	mustPanic(t, "negative length", func() { _, _ = Collect(sequences(good), -1) })
}

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
