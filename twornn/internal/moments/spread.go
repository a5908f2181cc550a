package moments

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// Targets returns how many outputs there are, each target counted once.
func (k *Kept) Targets() (n int) {
	for _, r := range k.Runs {
		n += len(r.At) - r.Fresh
	}
	return n
}

// Different returns how many of these there are after different inputs: sequences that repeat others tell nothing
// more of what a model is elsewhere.
func (k *Kept) Different() (n int) {
	seen := map[uint64]bool{}
	for _, r := range k.Runs {
		if key := linalg.Digest(r.X); !seen[key] {
			seen[key] = true
			n += len(r.At) - r.Fresh
		}
	}
	return n
}

// InputMoments returns the mean of the inputs and their covariance.
func (k *Kept) InputMoments(d int) (mean []float64, C *mat.SymDense) {
	mean, C = make([]float64, d), mat.NewSymDense(d, nil)
	steps := 0.0
	for x := range k.inputs(d, math.MaxInt) {
		floats.Add(mean, x)
		steps++
	}
	floats.Scale(1/steps, mean)
	centred := make([]float64, d)
	for x := range k.inputs(d, math.MaxInt) {
		floats.SubTo(centred, x, mean)
		C.SymRankOne(C, 1/steps, mat.NewVecDense(d, centred))
	}
	return mean, C
}

// OutputMoments returns the mean of each output, each target counted once, and what brings its
// spread to 1.
func (k *Kept) OutputMoments(p int) (mean, scale []float64) {
	o := NewOutputs(p)
	for _, r := range k.Runs {
		for i := r.Fresh; i < len(r.At); i++ {
			o.Add(r.Y[i*p : (i+1)*p])
		}
	}
	scale = make([]float64, p)
	for j := range scale {
		scale[j] = 1
		if sd := math.Sqrt(o.M2[j] / o.N); sd > Rounding*math.Abs(o.Mean[j]) {
			scale[j] = 1 / sd
		}
	}
	return slices.Clone(o.Mean), scale
}

// Sizes returns the root mean square of each output.
func (k *Kept) Sizes(p int) []float64 {
	o := NewOutputs(p)
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

// Largest returns the largest absolute value of each input.
func (k *Kept) Largest(d int) []float64 {
	most := make([]float64, d)
	for x := range k.inputs(d, math.MaxInt) {
		for j, v := range x {
			most[j] = max(most[j], math.Abs(v))
		}
	}
	return most
}

// Rounding is the spread of a column beside its mean that is rounding: it does not move.
const Rounding = 1e-12

// Still returns the inputs that do not move but for rounding.
func (k *Kept) Still(d int) (still []int) {
	in := NewOutputs(d) // of the inputs: a running mean and spread of each
	for x := range k.inputs(d, math.MaxInt) {
		in.Add(x)
	}
	for j := range d {
		if math.Sqrt(in.M2[j]/max(in.N, 1)) <= Rounding*math.Abs(in.Mean[j]) {
			still = append(still, j)
		}
	}
	return still
}

// Classes returns how many inputs are 0 or 1 at every step, and now the one and now the other, and what they add up to
// where that is the same at every step: the number of classifications. It is 0 elsewhere.
func (k *Kept) Classes(d int) (columns, sum int) {
	ones, other := make([]int, d), make([]bool, d)
	steps := 0
	for x := range k.inputs(d, math.MaxInt) {
		for j, v := range x {
			switch v {
			case 0:
			case 1:
				ones[j]++
			default:
				other[j] = true
			}
		}
		steps++
	}
	of := make([]bool, d)
	for j := range d {
		if of[j] = !other[j] && ones[j] > 0 && ones[j] < steps; of[j] {
			columns++
		}
	}
	sum = -1
	for x := range k.inputs(d, math.MaxInt) {
		now := 0
		for j, v := range x {
			if of[j] && v == 1 {
				now++
			}
		}
		if sum >= 0 && now != sum {
			return columns, 0
		}
		sum = now
	}
	return columns, max(sum, 0)
}
