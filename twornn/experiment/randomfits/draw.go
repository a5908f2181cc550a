package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/twornn/spectral/twornn"
	"gonum.org/v1/gonum/mat"
)

// sample is one case: training data, test data of the same source, and what is true of them.
type sample struct {
	seed    uint64
	inputs  string // what the inputs are like
	target  string // what the outputs are like
	layout  string
	n, d, p int // n: states of the truth
	N       int // training sequences
	noise   float64
	options twornn.Options

	train, test, long []twornn.Sequence // long: inputs of ten times the length, from the same source
	affine            bool              // outputs have a constant part and inputs none
	outliers          bool              // a few values hold most of the squares
	series            bool              // outputs are inputs one step later
}

func (c *sample) String() string {
	return fmt.Sprintf("seed %d: %s, %s, %s, n %d, d %d, p %d, N %d, noise %g, rank %d, L %d", c.seed, c.inputs, c.target, c.layout, c.n, c.d, c.p, c.N, c.noise, c.options.Rank, c.options.L)
}

const (
	testSequences = 500
	longRuns      = 200
)

// draw returns the case of a seed.
func draw(seed uint64) *sample {
	r := rand.New(rand.NewPCG(seed, 14))
	c := &sample{seed: seed, n: 1 + r.IntN(6), d: 1 + r.IntN(6), p: 1 + r.IntN(3)}
	c.N = int(math.Exp(math.Log(5) + r.Float64()*math.Log(400)))
	if r.IntN(7) == 0 {
		c.N = 5 + r.IntN(16)
	}
	c.noise = []float64{0, 0.01, 0.1, 0.3, 1, 3}[r.IntN(6)]
	c.inputs = pick(r, kinds{{"normal", 24}, {"scaled", 7}, {"collinear", 7}, {"one-hot", 8}, {"bias", 14}, {"constant column", 4},
		{"constant up to rounding", 3}, {"heavy tails", 6}, {"one input of 1e6", 5}, {"sine", 5}, {"moves later", 4}, {"series", 13}})
	c.target = pick(r, kinds{{"2-RNN", 56}, {"affine", 11}, {"zero", 3}, {"independent", 6}, {"one output of 1e6", 6}, {"scaled outputs", 5}, {"long memory", 8}, {"repeated rows", 4}})
	if c.inputs == "series" {
		c.target = pick(r, kinds{{"autoregression", 4}, {"random walk", 2}, {"season", 2}, {"rain", 2}, {"one output of 1e6", 1}})
	}
	c.layout = pick(r, kinds{{"windows", 6}, {"lengths 1, 2, 3", 2}, {"lengths 1 to 5", 1}, {"lengths 2, 4, 5", 1}})
	switch r.IntN(12) {
	case 0, 1:
		c.options.Rank = 1 + r.IntN(8)
	case 2:
		c.options.L = 1 + r.IntN(2)
	}
	if c.inputs == "series" {
		c.drawSeries(r)
		return c
	}
	c.drawSequences(r)
	return c
}

type kinds []struct {
	name   string
	weight int
}

func pick(r *rand.Rand, of kinds) string {
	sum := 0
	for _, k := range of {
		sum += k.weight
	}
	at := r.IntN(sum)
	for _, k := range of {
		if at -= k.weight; at < 0 {
			return k.name
		}
	}
	panic("no kind")
}

// drawSequences draws sequences that are independent of each other.
func (c *sample) drawSequences(r *rand.Rand) {
	in := newSource(c, r)
	steps := 3 + r.IntN(4)
	lengths := map[string][]int{"lengths 1, 2, 3": {1, 2, 3}, "lengths 1 to 5": {1, 2, 3, 4, 5}, "lengths 2, 4, 5": {2, 4, 5}}[c.layout]
	if c.options.L == 2 {
		steps = max(steps, 5)
		if c.layout == "lengths 1, 2, 3" {
			c.options.L = 1
		}
	}
	f := newTruth(c, in.d, r)
	one := func(i int, test bool) twornn.Sequence {
		k := steps
		if lengths != nil {
			k = lengths[i%len(lengths)]
		}
		z, x := in.next(k, test)
		y := f.outputs(z)
		if lengths != nil {
			y = mat.DenseCopyOf(y.Slice(k-1, k, 0, c.p))
		}
		return twornn.Sequence{X: x, Y: y}
	}
	for i := range c.N {
		c.train = append(c.train, one(i, false))
	}
	for i := range testSequences {
		c.test = append(c.test, one(i, true))
	}
	for range longRuns {
		_, x := in.next(max(100, 10*longest(c.train)), true)
		c.long = append(c.long, twornn.Sequence{X: x})
	}
	if c.target == "repeated rows" {
		for i := range c.train {
			c.train[i] = c.train[i%max(2, len(c.train)/10)]
		}
	}
	c.finish(f, r)
}

// finish brings outputs to unit size, adds noise, and then scales and wrong values.
func (c *sample) finish(f *truth, r *rand.Rand) {
	size := rms(c.train, c.p)
	unit := make([]float64, c.p)
	for o := range unit {
		unit[o] = 1
		if c.target == "scaled outputs" {
			unit[o] = math.Pow(10, 16*r.Float64()-8)
		}
	}
	done := map[*mat.Dense]bool{} // repeated rows share their outputs
	for _, data := range [][]twornn.Sequence{c.train, c.test} {
		for _, s := range data {
			if done[s.Y] {
				continue
			}
			done[s.Y] = true
			rows, _ := s.Y.Dims()
			for t := range rows {
				for o := range c.p {
					v := s.Y.At(t, o)
					if size[o] > 0 {
						v /= size[o]
					}
					v += f.offset[o]
					if c.target != "zero" {
						v += c.noise * r.NormFloat64()
					}
					s.Y.Set(t, o, v*unit[o])
				}
			}
		}
	}
	c.spoil(r)
}

// rms returns the root mean square of each output.
func rms(data []twornn.Sequence, p int) []float64 {
	size, n := make([]float64, p), 0.0
	for _, s := range data {
		rows, _ := s.Y.Dims()
		for t := range rows {
			for o := range p {
				size[o] += s.Y.At(t, o) * s.Y.At(t, o)
			}
			n++
		}
	}
	for o := range size {
		size[o] = math.Sqrt(size[o] / n)
	}
	return size
}

func longest(data []twornn.Sequence) (k int) {
	for _, s := range data {
		k = max(k, s.Len())
	}
	return k
}

// source draws inputs: z, of unit size, from which outputs follow, and x, which the fit sees.
type source struct {
	c     *sample
	r     *rand.Rand
	d     int // of z
	scale []float64
	mix   *mat.Dense // x = z mix
	at    float64    // of a sine
	wild  bool       // the one wrong input is still to come
	count int
}

func newSource(c *sample, r *rand.Rand) *source {
	s := &source{c: c, r: r, d: c.d, scale: make([]float64, c.d)}
	for i := range s.scale {
		s.scale[i] = 1
	}
	switch c.inputs {
	case "scaled":
		for i := range s.scale {
			s.scale[i] = math.Pow(10, 16*r.Float64()-8)
		}
	case "collinear":
		if c.d < 2 {
			c.d++
			s.scale = append(s.scale, 1)
		}
		s.d = c.d - 1
		s.mix = mat.NewDense(s.d, c.d, nil)
		for i := range s.d {
			s.mix.Set(i, i, 1)
			s.mix.Set(i, s.d, r.NormFloat64())
		}
	case "constant column", "moves later", "constant up to rounding":
		c.d = max(c.d, 2)
		s.d = c.d
		s.scale = append(s.scale, 1)[:c.d]
		s.scale[c.d-1] = 5
	case "bias":
		c.d = max(c.d, 2)
		s.d = c.d
		s.scale = append(s.scale, 1)[:c.d]
	case "one-hot":
		c.d = max(c.d, 2)
		s.d = c.d
		s.scale = append(s.scale, 1)[:c.d]
	case "one input of 1e6":
		s.wild = true
		c.outliers = true
	case "heavy tails":
		c.outliers = true
	}
	s.at = 2 * math.Pi * r.Float64()
	return s
}

// next returns k steps of inputs. Those of the test are of the same kind but for columns that
// move only then, and for wrong values.
func (s *source) next(k int, test bool) (z, x *mat.Dense) {
	z = mat.NewDense(k, s.d, nil)
	r := s.r
	s.count++
	phase := 2 * math.Pi * r.Float64()
	for t := range k {
		for i := range s.d {
			v := r.NormFloat64()
			switch s.c.inputs {
			case "heavy tails":
				v /= math.Sqrt((sq(r.NormFloat64()) + sq(r.NormFloat64())) / 2) // Student, two degrees
			case "sine":
				v = math.Sqrt2 * math.Sin(phase+0.4*float64(t)+float64(i))
			}
			z.Set(t, i, v)
		}
		switch s.c.inputs {
		case "one-hot":
			row := z.RawRowView(t)
			clear(row)
			row[r.IntN(s.d)] = 1
		case "bias":
			z.Set(t, 0, 1)
		case "constant column", "constant up to rounding":
			z.Set(t, s.d-1, 1)
		case "moves later":
			z.Set(t, 0, 1)
			z.Set(t, s.d-1, 1)
		}
	}
	if s.wild && !test && (s.count == s.c.N/2+1) {
		z.Set(r.IntN(k), r.IntN(s.d), 1e6)
		s.wild = false
	}
	x = mat.DenseCopyOf(z)
	if s.mix != nil {
		x.Reset()
		x.Mul(z, s.mix)
	}
	for t := range k {
		for i := range s.c.d {
			x.Set(t, i, x.At(t, i)*s.scale[i])
		}
		switch s.c.inputs {
		case "constant up to rounding":
			x.Set(t, s.c.d-1, x.At(t, s.c.d-1)*(1+1e-15*r.NormFloat64()))
		case "moves later":
			if test {
				x.Set(t, s.c.d-1, 6+r.NormFloat64()) // z, and so the outputs, take no notice
			}
		}
	}
	return z, x
}

func sq(v float64) float64 { return v * v }

// truth is what the outputs follow.
type truth struct {
	c      *sample
	r      *rand.Rand
	m      *twornn.Model
	lags   []*mat.Dense // of a linear function with memory
	offset []float64
}

// newTruth returns it for d inputs of unit size.
func newTruth(c *sample, d int, r *rand.Rand) *truth {
	f := &truth{c: c, r: r, offset: make([]float64, c.p)}
	switch c.target {
	case "zero", "independent":
		return f
	case "affine", "long memory":
		lags := 1 + r.IntN(2)
		if c.target == "long memory" {
			lags = 3
		}
		for range lags {
			g := mat.NewDense(d, c.p, nil)
			for i := range d {
				for o := range c.p {
					g.Set(i, o, r.NormFloat64())
				}
			}
			f.lags = append(f.lags, g)
		}
		if c.target == "affine" {
			for o := range f.offset {
				f.offset[o] = 2 * r.NormFloat64()
			}
			c.affine = !hasConstant(c.inputs)
		}
		return f
	}
	f.m = twornn.Random(c.n, d, c.p, 1, r)
	gain := 0.5 + 0.8*r.Float64()
	for _, a := range f.m.A {
		a.Scale(gain/math.Sqrt(float64(c.n*d)), a)
	}
	return f
}

func hasConstant(inputs string) bool {
	switch inputs {
	case "bias", "constant column", "constant up to rounding", "moves later", "series", "one-hot":
		return true
	}
	return false
}

// outputs returns those after each step, without noise.
func (f *truth) outputs(z *mat.Dense) *mat.Dense {
	k, d := z.Dims()
	y := mat.NewDense(k, f.c.p, nil)
	switch {
	case f.m != nil:
		f.m.OutputsTo(y, z)
	case f.c.target == "independent":
		for t := range k {
			for o := range f.c.p {
				y.Set(t, o, f.r.NormFloat64())
			}
		}
	}
	for t := range k {
		for j, g := range f.lags {
			for i := range d {
				for o := range f.c.p {
					if t >= j {
						y.Set(t, o, y.At(t, o)+z.At(t-j, i)*g.At(i, o))
					}
				}
			}
		}
	}
	return y
}

// drawSeries draws windows of a series, whose outputs are its next row, beside a constant.
func (c *sample) drawSeries(r *rand.Rand) {
	c.series, c.layout = true, "windows"
	columns := max(1, c.d-1)
	bias := r.IntN(5) > 0
	c.p = min(c.p, columns)
	c.options = twornn.Options{}
	s := c.rows(c.N+2*testSequences, columns, r)
	window := func(from, k int) twornn.Sequence { return windowOf(s, from, k, c.p, bias) }
	k := 3 + r.IntN(3)
	if r.IntN(4) == 0 && bias { // one run
		c.layout = "one run"
		c.train = []twornn.Sequence{window(0, c.N)}
	} else {
		for i := range c.N {
			c.train = append(c.train, window(i, k))
		}
	}
	for i := range testSequences {
		c.test = append(c.test, window(c.N+testSequences/2+i, k))
	}
	if c.layout == "one run" {
		c.test = []twornn.Sequence{window(c.N, testSequences)}
	}
	for i := range longRuns {
		c.long = append(c.long, window(c.N+i, 100))
	}
	_, c.d = c.train[0].X.Dims()
	c.affine = !bias && c.target != "random walk"
	c.spoil(r)
}

// spoil sets one output to 1e6 where that is what the case is about.
func (c *sample) spoil(r *rand.Rand) {
	if c.target != "one output of 1e6" {
		return
	}
	y := c.train[r.IntN(len(c.train))].Y
	rows, _ := y.Dims()
	y.Set(r.IntN(rows), r.IntN(c.p), 1e6)
	c.outliers = true
}

// rows returns those of a series.
func (c *sample) rows(n, columns int, r *rand.Rand) *mat.Dense {
	s := mat.NewDense(n, columns, nil)
	level := make([]float64, columns)
	keep := 0.5 + 0.45*r.Float64()
	mean := 5 * r.NormFloat64()
	wet := false
	for t := range n {
		if r.Float64() < 0.15 {
			wet = !wet
		}
		for i := range columns {
			e := r.NormFloat64()
			switch c.target {
			case "random walk":
				level[i] += e
				s.Set(t, i, level[i])
			case "season":
				s.Set(t, i, mean+3*math.Sin(float64(t)*2*math.Pi/12+float64(i))+c.noise/3*e)
			case "rain":
				if wet {
					s.Set(t, i, sq(e))
				}
			default:
				level[i] = keep*level[i] + 0.2*level[(i+1)%columns]*r.Float64() + e
				s.Set(t, i, mean+level[i])
			}
		}
	}
	return s
}

// windowOf returns k rows of a series as inputs, beside a constant or not, and the first p columns
// of those one row later as outputs.
func windowOf(s *mat.Dense, from, k, p int, bias bool) twornn.Sequence {
	_, d := s.Dims()
	if bias {
		d++
	}
	x, y := mat.NewDense(k, d, nil), mat.NewDense(k, p, nil)
	for t := range k {
		row := x.RawRowView(t)
		if bias {
			row[0] = 1
			row = row[1:]
		}
		copy(row, s.RawRowView(from+t))
		copy(y.RawRowView(t), s.RawRowView(from + t + 1)[:p])
	}
	return twornn.Sequence{X: x, Y: y}
}
