package twornn

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

const (
	growthSteps = 200  // how far the check looks on independent inputs
	maxStretch  = 1024 // and on a stretch of the training inputs
	maxGrowth   = 30   // beyond it a model counts as unstable
)

// growth returns by how much the outputs of m grow on inputs much longer than those
// it was fitted to: the largest root mean square of an output after any step of a
// long stretch of training inputs, or after independent inputs with the same second
// moments, over that of the training outputs. Scores on short sequences do not tell:
// with one rank too many they hardly move while long runs explode.
func growth(m *Model, c Collection) float64 {
	_, _, p := m.Dims()
	var rows, energy float64
	var stretch []float64
	for _, l := range c.Lengths() {
		rows += float64(c[l].N() * p)
		energy += c[l].energy
		if len(c[l].stretch) > len(stretch) {
			stretch = c[l].stretch
		}
	}
	if energy == 0 {
		return 0
	}
	return math.Sqrt(max(independentGrowth(m, c), stretchGrowth(m, stretch)) / (energy / rows))
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
func independentGrowth(m *Model, c Collection) float64 {
	n, d, p := m.Dims()
	M := c.moments(d)
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

// stitcher joins sequences that overlap, as the windows of a series do, back into
// the series: if a sequence begins with all but the first step of the one before, it
// goes on where that ended. It keeps the longest run, up to maxStretch steps.
type stitcher struct {
	run, longest []float64 // d numbers a step
	last         int       // steps of the sequence at the end of run
}

func (s *stitcher) add(x *mat.Dense) {
	if x == nil || x.IsEmpty() {
		return
	}
	k, d := x.Dims()
	switch {
	case len(s.run) >= maxStretch*d:
		return
	case s.follows(x):
		s.run = append(s.run, x.RawRowView(k-1)...)
		return
	}
	s.end()
	for t := range k {
		s.run = append(s.run, x.RawRowView(t)...)
	}
	s.last = k
}

// end ends the run at hand.
func (s *stitcher) end() {
	if len(s.run) > len(s.longest) {
		s.run, s.longest = s.longest, s.run
	}
	s.run = s.run[:0]
}

// follows reports whether x starts with the last k−1 steps of the sequence before.
func (s *stitcher) follows(x *mat.Dense) bool {
	k, d := x.Dims()
	if s.last != k || k < 2 {
		return false
	}
	tail := s.run[len(s.run)-(k-1)*d:]
	for t := range k - 1 {
		if !slices.Equal(tail[t*d:(t+1)*d], x.RawRowView(t)) {
			return false
		}
	}
	return true
}

// sample keeps some hundred of the sequences that are longer than any length
// measured, evenly spread over the data, to see how a model does on them.
type sample struct {
	n      int  // sequences met
	stride int  // every stride-th is kept
	all    bool // all are
	kept   []Sequence
}

const maxSample = 512

func (s *sample) add(q Sequence) {
	if s.stride == 0 {
		s.stride = 1
	}
	if s.n%s.stride == 0 {
		s.kept = append(s.kept, q.clone())
	}
	s.n++
	s.thin()
}

// thin drops every other one when there are too many.
func (s *sample) thin() {
	for len(s.kept) > maxSample && !s.all {
		for i := range (len(s.kept) + 1) / 2 {
			s.kept[i] = s.kept[2*i]
		}
		s.kept = s.kept[:(len(s.kept)+1)/2]
		s.stride *= 2
	}
}

func (s *sample) merge(o sample) {
	s.n += o.n
	s.all = s.all || o.all
	s.kept = append(s.kept, o.kept...)
	s.stride = max(s.stride, o.stride, 1)
	s.thin()
}

// mapped returns the sample with W x in place of each input.
func (s sample) mapped(W *mat.Dense) sample {
	q := sample{n: s.n, stride: s.stride, all: s.all}
	for _, k := range s.kept {
		var x mat.Dense
		x.Mul(k.X, W.T())
		q.kept = append(q.kept, Sequence{X: &x, Y: k.Y})
	}
	return q
}

// scaled returns the sample with each output times its scale.
func (s sample) scaled(scale []float64) sample {
	q := sample{n: s.n, stride: s.stride, all: s.all}
	for _, k := range s.kept {
		y := mat.DenseCopyOf(k.Y)
		scaleColumns(y, 0, scale)
		q.kept = append(q.kept, Sequence{X: k.X, Y: y})
	}
	return q
}

// meanSquares returns the mean square of the errors of f on the last output of the
// sample, and of those outputs themselves, for each output; nil if it is empty.
func (s sample) meanSquares(f Predictor) (mse, zero []float64) {
	if len(s.kept) == 0 {
		return nil, nil
	}
	for _, o := range Evaluate(f, slices.Values(s.kept)).Outputs {
		mse = append(mse, o.MSE)
		zero = append(zero, o.Variance+o.Mean*o.Mean)
	}
	return mse, zero
}
