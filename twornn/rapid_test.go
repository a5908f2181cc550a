package twornn

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/twornn/spectral/twornn/tt"
)

// The same draws each time; -rapid.seed draws others.
func init() { _ = flag.Set("rapid.seed", "1") }

// drawModel draws a model of few states, with parameters of ordinary size.
func drawModel(t *rapid.T) *Model {
	n, d, p := rapid.IntRange(1, 4).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "d"), rapid.IntRange(1, 2).Draw(t, "p")
	return Random(n, d, p, 0.7, pcg(rapid.Uint64().Draw(t, "seed")))
}

// sizeOf is a bound on what a model's sums over words of up to l symbols are made of.
func sizeOf(m *Model, l int) float64 {
	a := 0.0
	for _, x := range m.A {
		a += mat.Norm(x, 2)
	}
	return mat.Norm(m.Omega, 2) * mat.Norm(m.H0, 2) * math.Pow(max(1, a), float64(l))
}

func alphabet(d int) []string { return []string{"a", "b", "c"}[:d] }

// TestConversions: model, automaton, Hankel tensor, another basis, fewest states and a file are
// one function.
func TestConversions(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		n, d, p := m.Dims()
		w := m.WFA(alphabet(d))
		word := rapid.SliceOfN(rapid.IntRange(0, d-1), 0, 4).Draw(t, "word")
		x := mat.NewDense(max(len(word), 1), d, nil)
		var names []string
		for k, s := range word {
			x.Set(k, s, 1)
			names = append(names, w.Alphabet[s])
		}
		var rows mat.Matrix = x
		if len(word) == 0 {
			rows = nil
		}
		want := m.Predict(nil, rows)
		near := func(what string, got []float64) {
			for i := range want {
				if !(math.Abs(got[i]-want[i]) <= 1e-9*sizeOf(m, 4)) {
					t.Fatalf("%s: %v, want %v", what, got, want)
				}
			}
		}
		value, err := w.Value(names...)
		if err != nil {
			t.Fatal(err)
		}
		near("the automaton", value)
		near("and back", w.Model().Predict(nil, rows))
		least := m.Minimize(0)
		if k, _, _ := least.Dims(); k > n {
			t.Fatalf("%d states are fewest of %d", k, n)
		}
		near("fewest states", least.Predict(nil, rows))
		basis := mat.NewDense(n, n, nil)
		rnd := rand.New(pcg(7))
		for i := range n {
			for j := range n {
				basis.Set(i, j, rnd.NormFloat64()/4)
			}
			basis.Set(i, i, 2) // far from singular
		}
		turned, err := m.ChangeBasis(basis)
		if err != nil {
			t.Fatal(err)
		}
		near("another basis", turned.Predict(nil, rows))
		if len(word) > 0 {
			h := m.Hankel(len(word))
			got := make([]float64, p)
			for i := range got {
				got[i] = h.At(append(append([]int(nil), word...), i)...)
			}
			near("the Hankel tensor", got)
		}
		path := filepath.Join(dir, "m.json")
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		if back, err := Load(path); err != nil || !sameModel(m, back) {
			t.Fatalf("the file: %v", err)
		}
		// A function is its own, and no other that differs on a word.
		if equal, _, err := Equal(m, turned, 1e-6); err != nil || !equal {
			t.Fatalf("another basis is another function: %v", err)
		}
		if mat.Norm(m.Omega, 2)*mat.Norm(m.H0, 2) > 1e-3 {
			other := m.clone()
			other.Omega.Scale(2, other.Omega)
			far := false
			for _, u := range Words(d, n) {
				for i, v := range m.value(u) {
					far = far || math.Abs(v-other.value(u)[i]) > 1e-3
				}
			}
			if equal, _, err := Equal(m, other, 1e-6); far && (err != nil || equal) {
				t.Fatalf("twice the function is the same: %v", err)
			}
		}
	})
}

// TestSpectralInverts: from exact Hankel tensors of a function comes the function, where its
// words of length L tell all.
func TestSpectralInverts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		_, d, _ := m.Dims()
		const L = 2
		words := [][]int{}
		for _, u := range Words(d, L) {
			if len(u) == L {
				words = append(words, u)
			}
		}
		n, _, _ := m.Minimize(1e-6).Dims()
		if !m.Complete(words, words, 1e-4) { // a block without the rank of the function, or hardly
			return
		}
		h := map[int]*tt.Tensor{L: m.Hankel(L), 2 * L: m.Hankel(2 * L), 2*L + 1: m.Hankel(2*L + 1)}
		got, s, err := Spectral(h, L, n, EqualLength)
		if err != nil {
			t.Fatal(err)
		}
		if s[n-1] < 1e-4*s[0] {
			return
		}
		same := func(what string, got *Model) {
			for _, u := range Words(d, 3) {
				for i, v := range m.value(u) {
					if math.Abs(got.value(u)[i]-v) > 1e-5*sizeOf(m, 3) {
						t.Fatalf("%s: f%v is %v, want %v; singular values %v", what, u, got.value(u), v, s)
					}
				}
			}
		}
		same("words of length L", got)
		for l := range 2*L + 2 {
			h[l] = m.Hankel(l)
		}
		if got, s, err = Spectral(h, L, n, UpToLength); err != nil {
			t.Fatal(err)
		}
		same("words up to length L", got)
		// Any factors will do: here P of the block's rows, S so that P S is the block.
		block, err := h[2*L].Unfold(L)
		if err != nil {
			t.Fatal(err)
		}
		var svd mat.SVD
		if !svd.Factorize(block, mat.SVDThin) {
			t.Fatal("no factors")
		}
		var U, V mat.Dense
		svd.UTo(&U)
		svd.VTo(&V)
		rows, _ := block.Dims()
		_, cols := block.Dims()
		P, S := mat.DenseCopyOf(U.Slice(0, rows, 0, n)), mat.DenseCopyOf(V.Slice(0, cols, 0, n).T())
		for k, v := range svd.Values(nil)[:n] {
			for j := range cols {
				S.Set(k, j, S.At(k, j)*v)
			}
		}
		if got, err = FromFactors(P, S, h, L); err != nil {
			t.Fatal(err)
		}
		same("factors", got)
	})
}

// TestRecoveriesInvert: from measurements without noise, twice as many as there are unknowns,
// every recovery gives back the tensor.
func TestRecoveriesInvert(t *testing.T) {
	recoveries := map[string]Recovery{"LeastSquares": LeastSquares{}, "IHT": IHT{}, "TIHT": TIHT{}, "NuclearNorm": NuclearNorm{}, "ALS": ALS{}}
	for name, r := range recoveries {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				m := drawModel(t)
				n, d, p := m.Dims()
				longest := 3
				if name == "NuclearNorm" {
					longest = 2 // a path of penalties takes its time
				}
				l := rapid.IntRange(1, longest).Draw(t, "l")
				unknowns := int(math.Pow(float64(d), float64(l)))
				rnd := rand.New(pcg(rapid.Uint64().Draw(t, "data")))
				scale := math.Pow(10, float64(rapid.IntRange(-3, 3).Draw(t, "scale")))
				var data []Sequence
				for range 3*unknowns + 20 {
					x := mat.NewDense(l, d, nil)
					for k := range l {
						for j := range d {
							x.Set(k, j, rnd.NormFloat64())
						}
					}
					y := mat.NewDense(1, p, m.Predict(nil, x))
					y.Scale(scale, y)
					data = append(data, Sequence{X: x, Y: y})
				}
				c, err := CollectRows(sequences(data...), l)
				if err != nil {
					t.Fatal(err)
				}
				got, _, err := r.Recover(context.Background(), c[l], n, nil)
				if err != nil {
					t.Fatal(err)
				}
				h, err := got.Full()
				if err != nil {
					t.Fatal(err)
				}
				want, _ := m.Hankel(l).Full()
				off, all := 0.0, 0.0
				for i := range want {
					off += (h[i]/scale - want[i]) * (h[i]/scale - want[i])
					all += want[i] * want[i]
				}
				tol := 1e-5
				if name == "NuclearNorm" {
					tol = 0.05 // the penalty draws towards zero
				}
				if math.Sqrt(off) > tol*math.Sqrt(all)+1e-9 {
					t.Fatalf("%v off, of %v", math.Sqrt(off), math.Sqrt(all))
				}
			})
		})
	}
}
