package baseline

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// targets are the training rows as the learner sees them: x, the rows standardised, and
// for each horizon z, what a line (or the mean) through all rows leaves of the row that
// many ahead. The units of z are the errors of the line, which are about the noise that
// no state can foretell. What a state adds is a line (or a mean) through z.
type targets struct {
	y, x  []float64
	z     [][]float64 // by horizon; as long as rows
	rows  int         // rows that have all horizons ahead
	means bool
	all   []AutomatonLine // through all rows, in the units of y, about the mean of y
	mean  float64
	scale float64
	unit  []float64 // of z, in the units of y
}

func newTargets(y []float64, horizons []int, means bool) *targets {
	tg := &targets{y: y, means: means, rows: len(y) - horizons[len(horizons)-1]}
	tg.mean, tg.scale = stat.MeanStdDev(y, nil)
	if !(tg.scale > constant*math.Abs(tg.mean)) {
		tg.scale = 1
	}
	tg.x = make([]float64, len(y))
	for t, v := range y {
		tg.x[t] = (v - tg.mean) / tg.scale
	}
	for _, h := range horizons {
		tg.add(tg.x[h : h+tg.rows])
	}
	return tg
}

// add takes in the horizon at which the rows are followed by those given.
func (tg *targets) add(ahead []float64) {
	x := tg.x[:tg.rows]
	a, b := stat.LinearRegression(x, ahead, nil, false)
	if math.IsNaN(b) { // all rows are alike
		a, b = stat.Mean(ahead, nil), 0
	}
	var squares float64
	for t, v := range ahead {
		e := v - a - b*x[t]
		squares += e * e
	}
	unit := math.Sqrt(squares / float64(tg.rows))
	if unit < constant { // a perfect line: nothing for states to add
		unit = 1
	}
	if tg.means {
		a, b = stat.Mean(ahead, nil), 0
	}
	z := make([]float64, tg.rows)
	for t, v := range ahead {
		z[t] = (v - a - b*x[t]) / unit
	}
	tg.z = append(tg.z, z)
	tg.unit = append(tg.unit, unit*tg.scale)
	tg.all = append(tg.all, AutomatonLine{Mean: tg.mean + tg.scale*a, Slope: b})
}

// sums are what lines through the z of some rows need.
type sums struct {
	n, x, xx float64
	z, xz    []float64 // by horizon
}

func newSums(horizons int) *sums {
	return &sums{z: make([]float64, horizons), xz: make([]float64, horizons)}
}

// add takes row t in, or out again with sign −1.
func (s *sums) add(tg *targets, t int, sign float64) {
	x := tg.x[t]
	s.n += sign
	s.x += sign * x
	s.xx += sign * x * x
	for k, z := range tg.z {
		s.z[k] += sign * z[t]
		s.xz[k] += sign * x * z[t]
	}
}

// shrinkage is how many rows on the line through all rows a state's own line starts from:
// a state of ten rows goes half its way. The mean of all rows is a worse place to start
// from, and one row of it is enough.
func (tg *targets) shrinkage() float64 {
	if tg.means {
		return 1
	}
	return 10
}

// line returns a + b x, the line through the z of horizon k, drawn in towards 0.
func (s *sums) line(tg *targets, k int) (a, b float64) {
	if s.n <= 0 {
		return 0, 0
	}
	center := s.x / s.n
	a = s.z[k] / (s.n + tg.shrinkage())
	if !tg.means {
		b = (s.xz[k] - center*s.z[k]) / (max(0, s.xx-center*s.x) + tg.shrinkage())
	}
	return a - b*center, b
}

// gain returns how much less the squares of the z are about the line a + b x than about
// 0, for horizon k.
func (s *sums) gain(k int, a, b float64) float64 {
	return 2*(a*s.z[k]+b*s.xz[k]) - a*a*s.n - 2*a*b*s.x - b*b*s.xx
}

// own returns the gain of the rows' own lines, as a mean over the horizons.
func (s *sums) own(tg *targets) float64 { return s.under(tg, s) }

// under returns the gain of the lines of other rows.
func (s *sums) under(tg *targets, other *sums) (gain float64) {
	for k := range s.z {
		a, b := other.line(tg, k)
		gain += s.gain(k, a, b)
	}
	return gain / float64(len(s.z))
}
