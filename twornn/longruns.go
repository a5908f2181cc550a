package twornn

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/moments"
)

// Runs over the training inputs that are ten times as long as the longest sequence, but of no
// fewer steps than longLeast and no more than longMost: what a user may do with a model.
const (
	longTimes, longLeast, longMost = 10, 100, 1000
	longSteps                      = 10_000 // of all runs
)

// exploding returns by how much the outputs of m grow in long runs over the training inputs: the
// largest root mean square, over the runs, of an output after some step, over that of the training
// outputs. m takes the inputs of the data and gives outputs in their units. Sequences are joined as
// they came where they overlap, as windows of a series do, and else by chance; those with an
// outlying input are left out, as they say nothing of what the model does by itself.
func exploding(m *Model, k *moments.Kept, wild []outlier) (most float64) {
	_, d, p := m.Dims()
	size := sizes(k, p)
	steps := 0
	var usable []int
	for i, r := range k.Runs {
		steps = max(steps, len(r.X)/d)
		if len(r.X) > 0 && !beyond(r.X, d, wild) {
			usable = append(usable, i)
		}
	}
	if len(usable) == 0 {
		return 0
	}
	length := min(max(longTimes*steps, longLeast), longMost)
	rnd, overlap := rand.New(rand.NewPCG(9, 2)), overlapInputs(k, d)
	squares, runs := make([]float64, length*p), longSteps/length
	var y mat.Dense
	for range runs {
		y.Reset()
		m.OutputsTo(&y, mat.NewDense(length, d, longRun(k, usable, length*d, d, overlap, rnd)))
		for i, v := range y.RawMatrix().Data {
			g := v / max(size[i%p], 1e-300)
			squares[i] += g * g / float64(runs)
		}
	}
	for _, s := range squares {
		if math.IsNaN(s) {
			return math.Inf(1)
		}
		most = max(most, math.Sqrt(s))
	}
	return most
}

// sizes returns the root mean square of each output.
func sizes(k *moments.Kept, p int) []float64 {
	o := moments.NewOutputs(p)
	for _, r := range k.Runs {
		for i := range r.At {
			o.Add(r.Y[i*p : (i+1)*p])
		}
	}
	size := make([]float64, p)
	for j := range size {
		size[j] = math.Sqrt(o.M2[j]/o.N + o.Mean[j]*o.Mean[j])
	}
	return size
}

// beyond reports whether the inputs hold one that is as far out as an outlier of its column, or
// nearly so.
func beyond(x []float64, d int, wild []outlier) bool {
	for _, o := range wild {
		if o.what != "input" {
			continue
		}
		for t := o.column; t < len(x); t += d {
			if math.Abs(x[t]) > 0.1*math.Abs(o.value) {
				return true
			}
		}
	}
	return false
}

// overlapInputs reports whether most runs begin with the inputs of the one before but for its first.
func overlapInputs(k *moments.Kept, d int) bool {
	n := 0
	for i := 1; i < len(k.Runs); i++ {
		a, b := k.Runs[i-1].X, k.Runs[i].X
		if len(a) == len(b) && len(a) > d && slices.Equal(a[d:], b[:len(b)-d]) {
			n++
		}
	}
	return 2*n > len(k.Runs)
}

// longRun returns inputs of so many numbers, joined from the runs that are usable.
func longRun(k *moments.Kept, usable []int, numbers, d int, overlap bool, rnd *rand.Rand) []float64 {
	x := make([]float64, 0, numbers)
	at := rnd.IntN(len(usable))
	for first := true; len(x) < numbers; first = false {
		r := k.Runs[usable[at]].X
		if first && len(usable) == 1 {
			r = r[rnd.IntN(len(r)/d)*d:] // a single run begins anywhere
		}
		x = append(x, r[:min(len(r), numbers-len(x))]...)
		if at = (at + len(r)/d) % len(usable); !overlap { // else the window that goes on where this one ended
			at = rnd.IntN(len(usable))
		}
	}
	return x
}

// unstable is the text of the warning, for the growth.
const unstable = "run on and on over training inputs the outputs grow to %.3g times those of the training data; so may be those of what it learnt; start it afresh on sequences about as long as it was fitted to, or set MaxGrowth"

// explodes returns by how much outputs grow in long runs over the training inputs, and whether
// that is more than ordinary models do.
func (f *fitter) explodes(m *Model) (most float64, bad bool) {
	g := growth(m, f.c) // of independent inputs, exactly: large already where one run of very many grows
	k := f.c.Kept()
	if k == nil || g <= f.policy.MaxGrowth {
		return g, !(g <= f.policy.MaxGrowth)
	}
	if f.wild == nil {
		_, d := f.w.dims()
		wild := outliers(k, d, f.p, f.policy)
		f.wild = &wild
	}
	most = exploding(f.w.toData(m), k, *f.wild)
	return most, !(most <= f.policy.MaxGrowth)
}

// explodes is the same for a model of the data.
func explodes(m *Model, k *moments.Kept, by policy) (most float64, bad bool) {
	_, d, p := m.Dims()
	most = exploding(m, k, outliers(k, d, p, by))
	return most, !(most <= by.MaxGrowth)
}
