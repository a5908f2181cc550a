package twornn

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/moments"
)

// growthSteps is how far the check looks on independent inputs.
const growthSteps = 200

// growth returns by how much the outputs of m grow on inputs much longer than those
// it was fitted to: the largest root mean square of an output after any step of a
// long stretch of training inputs, or after independent inputs with the same second
// moments, over that of the training outputs. Scores on short sequences do not tell:
// with one rank too many they hardly move while long runs explode.
func growth(m *Model, c moments.Set) float64 {
	_, _, p := m.Dims()
	var rows, energy float64
	var stretch []float64
	for _, l := range c.Lengths() {
		rows += float64(c[l].N() * p)
		energy += c[l].Energy
		if len(c[l].Stretch) > len(stretch) {
			stretch = c[l].Stretch
		}
	}
	if energy == 0 {
		return 0
	}
	return math.Sqrt(max(independentGrowth(m, c), stretchGrowth(m, stretch)) / (energy / rows))
}

// growthOf is growth of a model that takes the inputs as they came, which c may hold in a frame.
func growthOf(m *Model, c moments.Set) float64 {
	if fr := c.Frame(); fr != nil {
		m = m.MapInputs(fr.T)
	}
	return growth(m, c)
}

// stretchGrowth returns the largest mean square of an output along the stretch.
func stretchGrowth(m *Model, stretch []float64) float64 {
	_, d, p := m.Dims()
	if len(stretch) == 0 {
		return 0
	}
	var y mat.Dense
	m.OutputsTo(&y, mat.NewDense(len(stretch)/d, d, stretch))
	var most float64
	for t := range len(stretch) / d {
		s := 0.0
		for _, v := range y.RawRowView(t) {
			s += v * v / float64(p)
		}
		if math.IsNaN(s) {
			return math.Inf(1)
		}
		most = max(most, s)
	}
	return most
}

// independentGrowth returns the mean square of the outputs after growthSteps
// independent inputs with the second moments M = E xxᵀ of the training inputs. It is
// exact, without a simulation: the second moments of the state follow
//
//	E h_t h_tᵀ = Σ_ij M_ij A[i]ᵀ (E h_{t−1} h_{t−1}ᵀ) A[j]
//
// in O(d² n³) a step.
func independentGrowth(m *Model, c moments.Set) float64 {
	n, d, p := m.Dims()
	M := c.SecondMoments(d)
	// Σ_i M_ij A[i], so that d and not d² pairs of products are needed.
	mixed := make([]*mat.Dense, d)
	for j := range mixed {
		mixed[j] = mat.NewDense(n, n, nil)
		for i, a := range m.A {
			var s mat.Dense
			s.Scale(M.At(i, j), a)
			mixed[j].Add(mixed[j], &s)
		}
	}
	h := mat.NewDense(n, n, nil)
	h.Mul(m.H0, m.H0.T())
	for range growthSteps {
		next := mat.NewDense(n, n, nil)
		for j, a := range m.A {
			var ah, aha mat.Dense
			ah.Mul(mixed[j].T(), h)
			aha.Mul(&ah, a)
			next.Add(next, &aha)
		}
		h = next
	}
	var oh, oho mat.Dense
	oh.Mul(m.Omega, h)
	oho.Mul(&oh, m.Omega.T())
	s := mat.Trace(&oho) / float64(p)
	if math.IsNaN(s) {
		return math.Inf(1)
	}
	return max(0, s) // rounding may leave a small negative trace where outputs die out
}

// damp returns the model with A scaled by the largest factor, to so many digits, with which
// it keeps to the bound on growth, and the factor.
func damp(m *Model, bound, digits float64, growth func(*Model) float64) (*Model, float64) {
	scaled := func(f float64) *Model {
		s := m.clone()
		for _, a := range s.A {
			a.Scale(f, a)
		}
		return s
	}
	f := damping(digits, func(f float64) bool { return growth(scaled(f)) <= bound })
	return scaled(f), f
}

// damping returns the largest factor from 0 to 1, to so many digits, that keeps to a bound; 0 if none does.
func damping(digits float64, keeps func(f float64) bool) float64 {
	low, high := 0.0, 1.0
	for high-low > digits {
		if mid := (low + high) / 2; keeps(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// exploding returns by how much the outputs of m grow in long runs over the training inputs: the
// largest root mean square, over the runs, of an output after some step, over that of the training
// outputs. m takes the inputs of the data and gives outputs in their units. Runs with an outlying
// input are left out, as they say nothing of what the model does by itself.
func exploding(m *Model, k *moments.Kept, wild []moments.Outlier) (most float64) {
	_, d, p := m.Dims()
	runs, length, n := k.LongRuns(d, wild)
	size, squares := k.Sizes(p), make([]float64, length*p)
	var y mat.Dense
	for x := range runs {
		y.Reset()
		m.OutputsTo(&y, mat.NewDense(length, d, x))
		for i, v := range y.RawMatrix().Data {
			g := v / max(size[i%p], 1e-300)
			squares[i] += g * g / float64(n)
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

// unstable is the text of the warning, for the growth.
const unstable = "run on and on over training inputs the outputs grow to %.3g times those of the training data, as those of what it learnt from may too; start it afresh on sequences about as long as it was fitted to, or set Options.MaxGrowth"

// explodes returns by how much outputs of a model of the data grow in long runs over the training
// inputs, and whether that is more than ordinary models do.
func explodes(m *Model, k *moments.Kept, by policy) (most float64, bad bool) {
	_, d, p := m.Dims()
	most = exploding(m, k, k.Outliers(d, p, by.Outlier, by.OutlierShare))
	return most, !(most <= by.MaxGrowth)
}
