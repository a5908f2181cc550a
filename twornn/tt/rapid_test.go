package tt

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// The same draws each time; -rapid.seed draws others.
func init() { _ = flag.Set("rapid.seed", "1") }

// drawDims draws the dimensions of a tensor of up to some hundred entries.
func drawDims(t *rapid.T) []int { return rapid.SliceOfN(rapid.IntRange(1, 4), 1, 4).Draw(t, "dims") }

// drawTensor draws a tensor of the given dimensions, of ranks that may be more than can be,
// with entries of a scale that may be large or small.
func drawTensor(t *rapid.T, dims []int, label string) *Tensor {
	rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, label+" seed"), 1))
	scale := math.Pow(10, rapid.Float64Range(-6, 6).Draw(t, label+" scale"))
	cores := make([]Core, len(dims))
	left := 1
	for k, d := range dims {
		right := 1
		if k < len(dims)-1 {
			right = rapid.IntRange(1, 5).Draw(t, label+" rank")
		}
		cores[k] = NewCore(left, d, right)
		for i := range cores[k].Data {
			cores[k].Data[i] = rnd.NormFloat64()
		}
		left = right
	}
	for i := range cores[0].Data {
		cores[0].Data[i] *= scale
	}
	return New(cores...)
}

func entries(t *rapid.T, a *Tensor) []float64 {
	v, err := a.Full()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// near fails unless a and b agree to rounding, relative to a size.
func near(t *rapid.T, what string, a, b []float64, size float64) {
	if len(a) != len(b) {
		t.Fatalf("%s: %d entries, want %d", what, len(a), len(b))
	}
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= 1e-11*size+1e-300) {
			t.Fatalf("%s: entry %d is %v, want %v", what, i, a[i], b[i])
		}
	}
}

func norm(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x * x
	}
	return math.Sqrt(s)
}

// TestArithmetic: what is done with trains is what is done with all entries.
func TestArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := drawDims(t)
		a, b := drawTensor(t, dims, "a"), drawTensor(t, dims, "b")
		x, y := entries(t, a), entries(t, b)
		size := norm(x) + norm(y)
		f := rapid.Float64Range(-3, 3).Draw(t, "factor")
		var sum, scaled Tensor
		sum.Add(a, b)
		scaled.Scale(f, a)
		added, product, dot := make([]float64, len(x)), make([]float64, len(x)), 0.0
		for i := range x {
			added[i], product[i] = x[i]+y[i], f*x[i]
			dot += x[i] * y[i]
		}
		near(t, "the sum", entries(t, &sum), added, size)
		near(t, "the multiple", entries(t, &scaled), product, 3*size)
		near(t, "the inner product", []float64{Dot(a, b)}, []float64{dot}, norm(x)*norm(y))
		for i := range y {
			added[i] = x[i] - y[i]
		}
		// A distance is a difference of squares where tensors are near.
		if got, want := Distance(a, b)*norm(y), norm(added); norm(y) > 0 && math.Abs(got-want) > 1e-7*size {
			t.Fatalf("the distance is %v, want %v", got, want)
		}
		near(t, "a, afterwards", entries(t, a), x, 0)
	})
}

// TestRounding: to the ranks that are there nothing is lost; to lower ones the error is at
// most the root of the order times that of any tensor of these ranks, and the ranks are kept to.
func TestRounding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := drawDims(t)
		a := drawTensor(t, dims, "a")
		x := entries(t, a)
		var same, low Tensor
		if err := same.Round(a, 0, 0); err != nil {
			t.Fatal(err)
		}
		near(t, "the same", entries(t, &same), x, norm(x))
		left, right := 1, len(x)
		for k, r := range same.Ranks() {
			left, right = left*dims[k], right/dims[k]
			if r > min(left, right) {
				t.Fatalf("rank %d of a %d×%d unfolding", r, left, right)
			}
		}
		rank := rapid.IntRange(1, 3).Draw(t, "rank")
		if err := low.Round(a, rank, 0); err != nil {
			t.Fatal(err)
		}
		b := drawTensor(t, dims, "b")
		if err := b.Round(b, rank, 0); err != nil {
			t.Fatal(err)
		}
		y, z := entries(t, &low), entries(t, b)
		for i := range x {
			y[i], z[i] = y[i]-x[i], z[i]-x[i]
		}
		if norm(y) > math.Sqrt(float64(len(dims)))*norm(z)*(1+1e-9)+1e-11*norm(x) {
			t.Fatalf("rounding is %v off, another tensor of rank %d only %v", norm(y), rank, norm(z))
		}
		for _, r := range low.Ranks() {
			if r > rank {
				t.Fatalf("ranks %v, asked for %d", low.Ranks(), rank)
			}
		}
	})
}

// TestProducts: of modes with matrices and with vectors, and from all entries and back.
func TestProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := drawDims(t)
		a := drawTensor(t, dims, "a")
		x := entries(t, a)
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		vectors := make([][]float64, len(dims))
		for k, d := range dims {
			vectors[k] = make([]float64, d)
			for i := range vectors[k] {
				vectors[k][i] = rnd.NormFloat64()
			}
		}
		given := rapid.IntRange(0, len(dims)).Draw(t, "vectors")
		rest, err := a.Contract(vectors[:given]...)
		if err != nil {
			t.Fatal(err)
		}
		want, size := 0.0, 0.0
		for i, v := range x {
			at := i
			for k := len(dims) - 1; k >= 0; k-- {
				v *= vectors[k][at%dims[k]]
				at /= dims[k]
			}
			want += v
			size += math.Abs(v)
		}
		k := rapid.IntRange(0, len(dims)-1).Draw(t, "mode")
		// One mode by a matrix of one row, all others by their vectors.
		if got := contracted(t, a, vectors, k); math.Abs(got-want) > 1e-11*size {
			t.Fatalf("the product over all modes is %v, want %v", got, want)
		}
		if got := folded(rest, vectors[given:]); math.Abs(got-want) > 1e-11*size {
			t.Fatalf("with the first %d modes contracted before the others: %v, want %v", given, got, want)
		}
		back, err := SVD(x, dims, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "from all entries", entries(t, back), x, norm(x))
	})
}

// contracted multiplies all modes by vectors, mode k first.
func contracted(t *rapid.T, a *Tensor, vectors [][]float64, k int) float64 {
	order := []int{k}
	for j := range vectors {
		if j != k {
			order = append(order, j)
		}
	}
	for _, j := range order {
		var b Tensor
		b.ModeProduct(a, j, mat.NewDense(1, len(vectors[j]), vectors[j]))
		a = &b
	}
	return entries(t, a)[0]
}

// folded contracts entries in row-major order with a vector for each mode.
func folded(v []float64, vectors [][]float64) float64 {
	if len(vectors) == 0 {
		return v[0]
	}
	s, block := 0.0, len(v)/len(vectors[0])
	for i, x := range vectors[0] {
		s += x * folded(v[i*block:(i+1)*block], vectors[1:])
	}
	return s
}
