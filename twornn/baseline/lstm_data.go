package baseline

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

// examples are all sequences of a data set, copied, since many epochs need them.
type examples struct {
	d, p        int
	x, y        []float64 // the rows of all X and of all Y, one after the other
	all         []example
	train, held []int // indices into all
}

// example is one sequence: steps rows from x on, and rows of outputs from y on, as many or
// one, or after the steps at.
type example struct {
	steps, rows, x, y int
	at                []int
}

// readExamples copies the data. It leaves the checks, and so the wording of the
// errors, to Collect.
func readExamples(ctx context.Context, data iter.Seq[twornn.Sequence]) (*examples, error) {
	if data == nil {
		_, err := twornn.Collect(nil)
		return nil, err
	}
	set := &examples{}
	_, err := twornn.Collect(func(yield func(twornn.Sequence) bool) {
		for s := range data {
			if err := ctx.Err(); err != nil {
				s = twornn.Sequence{Err: err}
			}
			if !yield(s) {
				return
			}
			set.add(s)
		}
	}, 0)
	if err != nil {
		return nil, err
	}
	if set.d == 0 {
		return nil, errors.New("baseline: no sequence has an input")
	}
	return set, nil
}

func (set *examples) add(s twornn.Sequence) {
	rows, p := s.Y.Dims()
	set.p = p
	set.all = append(set.all, example{s.Len(), rows, len(set.x), len(set.y), slices.Clone(s.At)})
	for t := range s.Len() {
		set.d, _ = s.Dims()
		set.x = append(set.x, s.X.RawRowView(t)...)
	}
	for t := range rows {
		set.y = append(set.y, s.Y.RawRowView(t)...)
	}
}

// target returns the output of example i after step t, nil if the data give none.
func (set *examples) target(i, t int) []float64 {
	e := set.all[i]
	row, listed := slices.BinarySearch(e.at, t)
	switch {
	case e.at != nil && !listed:
		return nil
	case e.at != nil:
		t = row
	case t == e.steps:
		t = e.rows - 1
	case t == 0 || e.rows == 1:
		return nil
	default:
		t--
	}
	return set.y[e.y+t*set.p : e.y+(t+1)*set.p]
}

// split holds out the given fraction of the examples: of each length and number of
// outputs the last, so that windows of a series are judged on what comes later. With
// none to hold out, the training examples judge.
func (set *examples) split(fraction float64) {
	order := make([]int, len(set.all))
	for i := range order {
		order[i] = i
	}
	kind := func(i, j int) int {
		a, b := set.all[i], set.all[j]
		return cmp.Or(cmp.Compare(a.steps, b.steps), cmp.Compare(a.rows, b.rows))
	}
	slices.SortStableFunc(order, kind)
	set.train, set.held = nil, nil
	for i := 0; i < len(order); {
		end := i
		for end < len(order) && kind(order[i], order[end]) == 0 {
			end++
		}
		// Up to here, the fraction of all examples so far: kinds with few add up.
		hold := min(end-i, max(0, int(fraction*float64(end))-len(set.held)))
		set.train = append(set.train, order[i:end-hold]...)
		set.held = append(set.held, order[end-hold:end]...)
		i = end
	}
	switch {
	case len(set.held) == 0:
		set.held = slices.Clone(set.train)
	case len(set.train) == 0:
		set.train = slices.Clone(set.held)
	}
}

// affine maps data to the numbers trained on: (x_i − xShift_i)/xScale_i and
// (y_j − yShift_j)/yScale.
type affine struct {
	xShift, xScale, yShift []float64
	yScale                 float64
}

func identity(d, p int) affine {
	a := affine{make([]float64, d), make([]float64, d), make([]float64, p), 1}
	for i := range a.xScale {
		a.xScale[i] = 1
	}
	return a
}

// constant is the ratio of deviation to mean below which a column counts as constant:
// standardised, it would be little but rounding errors.
const constant = 1e-12

// standardise maps the examples by the moments of those trained on. These cannot
// overflow: Collect takes no value so large.
func (set *examples) standardise() affine {
	x, y := newMoments(set.d), newMoments(set.p)
	for _, i := range set.train {
		e := set.all[i]
		x.add(set.x[e.x : e.x+e.steps*set.d])
		y.add(set.y[e.y : e.y+e.rows*set.p])
	}
	a := identity(set.d, set.p)
	for i, mean := range x.mean {
		sd := math.Sqrt(x.m2[i] / x.n)
		switch {
		case sd > constant*math.Abs(mean):
			a.xShift[i], a.xScale[i] = mean, sd
		case mean != 0:
			a.xScale[i] = math.Abs(mean)
		}
	}
	copy(a.yShift, y.mean)
	sd := math.Sqrt(floats.Sum(y.m2) / (y.n * float64(set.p)))
	if most := floats.Norm(y.mean, math.Inf(1)); sd > constant*most {
		a.yScale = sd
	} else if most > 0 {
		a.yScale = most
	}
	for i := range set.x {
		j := i % set.d
		set.x[i] = (set.x[i] - a.xShift[j]) / a.xScale[j]
	}
	for i := range set.y {
		set.y[i] = (set.y[i] - a.yShift[i%set.p]) / a.yScale
	}
	return a
}

// energy returns Σy² over the outputs held out, in units of yScale².
func (a affine) energy(set *examples) float64 {
	var sum float64
	for _, i := range set.held {
		e := set.all[i]
		for j, v := range set.y[e.y : e.y+e.rows*set.p] {
			v += a.yShift[j%set.p] / a.yScale
			sum += v * v
		}
	}
	return sum
}

// fold changes nw, which maps mapped inputs to mapped outputs, to the data's units.
func (a affine) fold(nw *Network) {
	_, d, p := nw.Dims()
	bias := nw.W.RawRowView(d)
	for i := range d {
		w := nw.W.RawRowView(i)
		floats.Scale(1/a.xScale[i], w)
		floats.AddScaled(bias, -a.xShift[i], w)
	}
	nw.Out.Scale(a.yScale, nw.Out)
	out := nw.Out.Slice(0, 1, 0, p).(*mat.Dense).RawRowView(0)
	floats.Add(out, a.yShift)
}

// moments gathers means and sums of squares about them, by Welford's update.
type moments struct {
	n        float64
	mean, m2 []float64
}

func newMoments(d int) *moments {
	return &moments{mean: make([]float64, d), m2: make([]float64, d)}
}

func (m *moments) add(rows []float64) {
	for d := len(m.mean); len(rows) > 0; rows = rows[d:] {
		m.n++
		for i, v := range rows[:d] {
			delta := v - m.mean[i]
			m.mean[i] += delta / m.n
			m.m2[i] += delta * (v - m.mean[i])
		}
	}
}
