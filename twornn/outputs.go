package twornn

import "slices"

// outputs gathers the mean and the spread of each output, by Welford's update, which
// keeps its digits when the mean is large.
type outputs struct {
	n        float64
	mean, m2 []float64
	largest  float64 // |y|
}

func newOutputs(p int) outputs { return outputs{mean: make([]float64, p), m2: make([]float64, p)} }

func (o *outputs) add(y []float64) {
	o.n++
	for j, v := range y {
		o.largest = max(o.largest, v, -v)
		delta := v - o.mean[j]
		o.mean[j] += delta / o.n
		o.m2[j] += delta * (v - o.mean[j])
	}
}

func (o *outputs) merge(b outputs) {
	if b.n == 0 {
		return
	}
	n := o.n + b.n
	o.largest = max(o.largest, b.largest)
	for j := range o.mean {
		delta := b.mean[j] - o.mean[j]
		o.mean[j] += delta * b.n / n
		o.m2[j] += b.m2[j] + delta*delta*o.n*b.n/n
	}
	o.n = n
}

// scaled returns the gathered outputs, each times its scale.
func (o outputs) scaled(scale []float64) outputs {
	q := outputs{o.n, slices.Clone(o.mean), slices.Clone(o.m2), o.largest}
	for j, f := range scale {
		q.mean[j] *= f
		q.m2[j] *= f * f
	}
	return q
}

// energy returns Σ y² over all outputs.
func (o outputs) energy() (e float64) {
	for j, v := range o.mean {
		e += o.m2[j] + o.n*v*v
	}
	return e
}
