package moments

import "slices"

// Outputs gathers the mean and the spread of each output, by Welford's update, which
// keeps its digits when the mean is large.
type Outputs struct {
	N        float64
	Mean, M2 []float64
	Largest  float64 // |y|
}

// NewOutputs returns the sums over no rows of p outputs.
func NewOutputs(p int) Outputs { return Outputs{Mean: make([]float64, p), M2: make([]float64, p)} }

// Add takes the p outputs of a row.
func (o *Outputs) Add(y []float64) {
	o.N++
	for j, v := range y {
		o.Largest = max(o.Largest, v, -v)
		delta := v - o.Mean[j]
		o.Mean[j] += delta / o.N
		o.M2[j] += delta * (v - o.Mean[j])
	}
}

// Merge adds those of b.
func (o *Outputs) Merge(b Outputs) {
	if b.N == 0 {
		return
	}
	n := o.N + b.N
	o.Largest = max(o.Largest, b.Largest)
	for j := range o.Mean {
		delta := b.Mean[j] - o.Mean[j]
		o.Mean[j] += delta * b.N / n
		o.M2[j] += b.M2[j] + delta*delta*o.N*b.N/n
	}
	o.N = n
}

// scaled returns the gathered outputs, each times its scale.
func (o Outputs) scaled(scale []float64) Outputs {
	q := Outputs{o.N, slices.Clone(o.Mean), slices.Clone(o.M2), o.Largest}
	for j, f := range scale {
		q.Mean[j] *= f
		q.M2[j] *= f * f
	}
	return q
}

// Energy returns Σ y² over all outputs.
func (o Outputs) Energy() (e float64) {
	for j, v := range o.Mean {
		e += o.M2[j] + o.N*v*v
	}
	return e
}
