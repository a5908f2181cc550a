package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

func ExampleAddition() {
	data := Join(Addition(100, 2, 0, rand.NewPCG(1, 0)), Addition(100, 6, 0, rand.NewPCG(2, 0)))
	m := twornn.Evaluate(AdditionModel(), data)
	fmt.Printf("%d sequences, RMSE below 1e-12: %t\n", m.N, m.RMSE < 1e-12)
	// Output: 200 sequences, RMSE below 1e-12: true
}

func TestAddition(t *testing.T) {
	for _, length := range []int{0, 1, 5} {
		for _, q := range collect(Addition(50, length, 0, rand.NewPCG(3, 0))) {
			var want float64
			var x mat.Matrix
			if length > 0 {
				x = q.X
			} else if q.X != nil {
				t.Fatal("the empty word has inputs")
			}
			for i := range length {
				row := q.X.RawRowView(i)
				if len(row) != 3 || row[0] != 1 {
					t.Fatalf("input %v", row)
				}
				want += row[2] - row[1]
			}
			// Sums of a few numbers of size 1.
			if got := q.Y.At(0, 0); math.Abs(got-want) > 1e-14 || math.Abs(AdditionModel().Predict(nil, x)[0]-want) > 1e-13 {
				t.Errorf("length %d: %v, model %v, want %v", length, got, AdditionModel().Predict(nil, x)[0], want)
			}
		}
	}
}

// Inputs are N(0, I) and outputs the model's plus N(0, noise²).
func TestFromModel(t *testing.T) {
	m := twornn.Random(3, 2, 2, .5, rand.NewPCG(4, 0))
	const n, length, noise = 20000, 3, .25
	var sum, squares, cross, e1, e2 float64
	count := 0
	for q := range FromModel(m, n, length, noise, rand.NewPCG(5, 0)) {
		count++
		if r, c := q.Y.Dims(); r != 1 || c != 2 {
			t.Fatalf("Y is %d×%d", r, c)
		}
		for i := range length {
			x := q.X.RawRowView(i)
			sum += x[0] + x[1]
			squares += x[0]*x[0] + x[1]*x[1]
			cross += x[0] * x[1]
		}
		y := m.Predict(nil, q.X)
		for j := range y {
			e := q.Y.At(0, j) - y[j]
			e1 += e
			e2 += e * e
		}
	}
	if count != n {
		t.Errorf("%d sequences", count)
	}
	// Five standard errors each: of 120,000 inputs, 60,000 products, 40,000 noises.
	near := func(what string, got, want, tol float64) {
		if math.Abs(got-want) > tol {
			t.Errorf("%s is %v, want %v ± %v", what, got, want, tol)
		}
	}
	near("mean input", sum/(2*n*length), 0, 5/math.Sqrt(2*n*length))
	near("variance of inputs", squares/(2*n*length), 1, 5*math.Sqrt(2./(2*n*length)))
	near("covariance of inputs", cross/(n*length), 0, 5/math.Sqrt(n*length))
	near("mean noise", e1/(2*n), 0, 5*noise/math.Sqrt(2*n))
	near("noise", math.Sqrt(e2/(2*n)), noise, 5*noise/math.Sqrt(4*n))
}

func TestFromModelRepeats(t *testing.T) {
	m := twornn.Random(3, 2, 1, .5, rand.NewPCG(6, 0))
	src := rand.NewPCG(7, 0)
	q := FromModel(m, 20, 3, .1, src)
	other := FromModel(m, 20, 3, .1, src)
	quiet := FromModel(m, 20, 3, 0, rand.NewPCG(7, 0))
	a, b, c, d := collect(q), collect(q), collect(quiet), collect(other)
	for i := range a {
		if !mat.Equal(a[i].X, b[i].X) || !mat.Equal(a[i].Y, b[i].Y) {
			t.Fatal("the second pass differs")
		}
		if !mat.Equal(a[i].X, c[i].X) {
			t.Fatal("the noise changes the inputs")
		}
		if mat.Equal(a[i].Y, c[i].Y) || c[i].Y.At(0, 0) != m.Predict(nil, c[i].X)[0] {
			t.Fatal("the noise is not on the outputs alone")
		}
		if mat.Equal(a[i].X, d[i].X) {
			t.Fatal("two calls with one source give the same data")
		}
	}
	empty := collect(FromModel(m, 2, 0, 0, src))
	if len(empty) != 2 || empty[0].X != nil || empty[0].Y.At(0, 0) != m.Predict(nil, nil)[0] {
		t.Errorf("empty words: %v", empty)
	}
	for range q {
		break
	}
}

func TestSyntheticMisuse(t *testing.T) {
	m := twornn.NewModel(1, 1, 1)
	src := rand.NewPCG(8, 0)
	panics(t, "n < 0", func() { FromModel(m, -1, 1, 0, src) })
	panics(t, "length < 0", func() { FromModel(m, 1, -1, 0, src) })
	panics(t, "noise < 0", func() { Addition(1, 1, -1, src) })
	panics(t, "noise NaN", func() { Addition(1, 1, math.NaN(), src) })
	panics(t, "no model", func() { FromModel(nil, 1, 1, 0, src) })
}
