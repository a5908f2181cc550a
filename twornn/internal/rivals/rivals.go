package rivals

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/moments"
)

const (
	rivalLags     = 3         // inputs that a regression takes
	rivalFeatures = 250       // of a regression, at the most
	rivalWork     = 2_000_000 // outputs times features that go into one, about
)

// Target is an output that counts: of a run, the i-th, after step t, in one of the parts.
type Target struct{ Run, i, t, Fold int }

// Targets returns the outputs of the data that are targets of their own, each in one of so many
// parts: neighbours where they tell of each other, as windows of a series do, and every so
// manieth run where runs are apart. Where there are more than most, every so manieth run is
// taken, or of a few runs every so manieth output.
func Targets(k *moments.Kept, parts, most int) (out []Target) {
	fresh := 0
	for _, r := range k.Runs {
		fresh += len(r.At) - r.Fresh
	}
	stride := max(1, (fresh+most-1)/max(most, 1))
	apart := !k.Overlaps() && (len(k.Runs) >= 2*parts || len(k.Runs) == parts)
	n, part, seen := 0, 0, map[uint64]int{} // the part of each run, repeated ones all in one
	for r, run := range k.Runs {
		if apart && r%stride != 0 {
			continue
		}
		fold, ok := seen[linalg.Digest(run.X, run.Y)]
		if !ok {
			fold = part % parts
			seen[linalg.Digest(run.X, run.Y)] = fold
			part++
		}
		for i := run.Fresh; i < len(run.At); i++ {
			q := Target{Run: r, i: i, t: run.At[i], Fold: fold}
			if !apart {
				q.Fold = n * parts / fresh
				if n++; n%stride != 0 {
					continue
				}
			}
			out = append(out, q)
		}
	}
	return out
}

// regression is ridge regression of outputs on the last inputs, its weight by generalised
// cross-validation; outputs after one and after two steps have one of their own each.
type regression struct {
	kept     *moments.Kept
	d, p     int
	constant bool
	lags     int
}

// newRegression returns one for d inputs, and false if they are too many.
func newRegression(k *moments.Kept, d, p int, constant bool) (regression, bool) {
	g := regression{k, d, p, constant, min(rivalLags, rivalFeatures/max(d, 1))}
	return g, d > 0 && g.lags > 0
}

// class is how many inputs a target is regressed on.
func (g regression) class(q Target) int { return min(q.t, g.lags) }

// told returns the targets for which there are others after as many steps in another part. Of windows
// of a series the first alone has outputs after a single step: left out, nothing tells of them, and
// that one error might outweigh all others.
func (g regression) told(all []Target) (out []Target) {
	parts := map[int]map[int]bool{} // by class
	for _, q := range all {
		c := g.class(q)
		if parts[c] == nil {
			parts[c] = map[int]bool{}
		}
		parts[c][q.Fold] = true
	}
	for _, q := range all {
		if len(parts[g.class(q)]) > 1 {
			out = append(out, q)
		}
	}
	return out
}

// features writes those of a target: a constant and the last inputs, the latest first.
func (g regression) features(dst []float64, q Target) []float64 {
	dst = append(dst[:0], 1)
	x := g.kept.Runs[q.Run].X
	for j := range g.class(q) {
		t := q.t - 1 - j
		dst = append(dst, x[t*g.d:(t+1)*g.d]...)
	}
	return dst
}

// outputs returns those of a target.
func (g regression) outputs(q Target) []float64 { return g.kept.Runs[q.Run].Y[q.i*g.p : (q.i+1)*g.p] }

// errors returns the sum over the targets of each part of the squared errors of a regression on
// the other parts, outputs counting by their scale; nil where a part has no others.
func (g regression) errors(all []Target, parts int, scale []float64) []float64 {
	sum := make([]float64, parts)
	by := map[int][]Target{}
	for _, q := range all {
		by[g.class(q)] = append(by[g.class(q)], q)
	}
	for _, c := range slices.Sorted(maps.Keys(by)) { // in an order, so that sums have the same bits
		g.addErrors(sum, by[c], scale)
	}
	return sum
}

// addErrors adds those of one class.
func (g regression) addErrors(sum []float64, class []Target, scale []float64) {
	k := 1 + g.class(class[0])*g.d
	unit := g.units(class, k)
	of := make([]*gram, len(sum))
	for f := range of {
		of[f] = newGram(k, g.p)
	}
	var x []float64
	for _, q := range class {
		x = g.features(x, q)
		floats.Mul(x, unit)
		of[q.Fold].add(x, g.outputs(q), scale)
	}
	all := newGram(k, g.p)
	for _, part := range of {
		all = all.plus(1, part)
	}
	H := make([]*mat.Dense, len(sum))
	for f, part := range of {
		if part.n > 0 {
			H[f] = all.plus(-1, part).solve(g.constant)
		}
	}
	for _, q := range class {
		x = g.features(x, q)
		floats.Mul(x, unit)
		for o, y := range g.outputs(q) {
			e := y * scale[o]
			for j, v := range x {
				e -= v * H[q.Fold].At(j, o)
			}
			sum[q.Fold] += e * e
		}
	}
}

// units returns what brings features to a spread of 1: zero for one that does not move, and for
// the constant where there is to be none.
func (g regression) units(class []Target, k int) []float64 {
	mean, square := make([]float64, k), make([]float64, k)
	var x []float64
	for _, q := range class {
		x = g.features(x, q)
		floats.AddScaled(mean, 1/float64(len(class)), x)
	}
	for _, q := range class {
		x = g.features(x, q)
		for j, v := range x {
			square[j] += (v - mean[j]) * (v - mean[j]) / float64(len(class))
		}
	}
	unit := make([]float64, k)
	for j := range unit {
		sd := math.Sqrt(square[j])
		still := !(sd > moments.Rounding*math.Abs(mean[j]))
		size := math.Hypot(sd, mean[j])
		if g.constant {
			size = sd
		}
		if (!still || !g.constant && j > 0) && size > 0 {
			unit[j] = 1 / size
		}
	}
	if g.constant {
		unit[0] = 1
	}
	return unit
}

// gram is what least squares needs of rows.
type gram struct {
	n      float64
	XX     *mat.SymDense
	XY     *mat.Dense
	energy []float64
}

func newGram(k, p int) *gram {
	return &gram{XX: mat.NewSymDense(k, nil), XY: mat.NewDense(k, p, nil), energy: make([]float64, p)}
}

func (g *gram) add(x, y, scale []float64) {
	g.n++
	g.XX.SymRankOne(g.XX, 1, mat.NewVecDense(len(x), x))
	for o, v := range y {
		v *= scale[o]
		g.energy[o] += v * v
		for j, w := range x {
			g.XY.Set(j, o, g.XY.At(j, o)+w*v)
		}
	}
}

// plus returns g + f h: with f = −1 the sums without some rows.
func (g *gram) plus(f float64, h *gram) *gram {
	k, p := g.XY.Dims()
	q := newGram(k, p)
	q.n = g.n + f*h.n
	for i := range k {
		for j := i; j < k; j++ {
			q.XX.SetSym(i, j, g.XX.At(i, j)+f*h.XX.At(i, j))
		}
	}
	q.XY.Scale(f, h.XY)
	q.XY.Add(q.XY, g.XY)
	floats.AddScaledTo(q.energy, g.energy, f, h.energy)
	return q
}

// solve returns the coefficients, k×p; those of a constant, the first feature, are not shrunk.
func (g *gram) solve(constant bool) *mat.Dense {
	k, p := g.XY.Dims()
	H := mat.NewDense(k, p, nil)
	if g.n == 0 {
		return H
	}
	C, B, energy := mat.NewSymDense(k, nil), mat.DenseCopyOf(g.XY), append([]float64(nil), g.energy...)
	C.CopySym(g.XX)
	if constant {
		for i := range k {
			for j := i; j < k; j++ {
				C.SetSym(i, j, g.XX.At(i, j)-g.XX.At(0, i)*g.XX.At(0, j)/g.n)
			}
			for o := range p {
				B.Set(i, o, g.XY.At(i, o)-g.XX.At(0, i)*g.XY.At(0, o)/g.n)
			}
		}
		for o := range p {
			energy[o] -= g.XY.At(0, o) * g.XY.At(0, o) / g.n
		}
	}
	var eig mat.EigenSym
	if eig.Factorize(C, true) {
		var V, Z mat.Dense
		eig.VectorsTo(&V)
		Z.Mul(V.T(), B)
		for o := range p {
			H.SetCol(o, g.shrunk(&V, eig.Values(nil), mat.Col(nil, o, &Z), energy[o], constant))
		}
	}
	for o := 0; constant && o < p; o++ {
		mean := g.XY.At(0, o)
		for j := 1; j < k; j++ {
			mean -= H.At(j, o) * g.XX.At(0, j)
		}
		H.Set(0, o, mean/g.n)
	}
	return H
}

// shrunk returns the coefficients of an output by the weight of least generalised
// cross-validation.
func (g *gram) shrunk(V *mat.Dense, values, z []float64, energy float64, constant bool) []float64 {
	k := len(z)
	best, least := make([]float64, k), math.Inf(1)
	for e := -10.0; e <= 3; e++ {
		lambda, trace, sse := math.Pow(10, e)*g.n, 0.0, energy
		if constant {
			trace = 1
		}
		b := make([]float64, k)
		for i, v := range values {
			v = max(v, 0)
			trace += v / (v + lambda)
			b[i] = z[i] / (v + lambda)
			sse += v*b[i]*b[i] - 2*b[i]*z[i]
		}
		if free := g.n - trace; free > 0.5 {
			if score := max(sse, 1e-16*energy) / (free * free); score < least {
				best, least = b, score
			}
		}
	}
	var h mat.VecDense
	h.MulVec(V, mat.NewVecDense(k, best))
	return h.RawVector().Data
}

// persistence says that an input goes on: output o after step t is a + b x_t, where in the data
// it is a + b x_{t+1}.
type persistence struct {
	column []int
	a, b   []float64
}

// newPersistence returns it, and false unless each output is an input one step later.
func newPersistence(k *moments.Kept, d, p int) (f persistence, ok bool) {
	const most = 2000 // steps to look at
	var next, y []float64
	for _, r := range k.Runs {
		for i, t := range r.At {
			if (t+1)*d <= len(r.X) && len(next) < most*d {
				next = append(next, r.X[t*d:(t+1)*d]...)
				y = append(y, r.Y[i*p:(i+1)*p]...)
			}
		}
	}
	n := len(y) / max(p, 1)
	if n < 3 {
		return f, false
	}
	for o := range p {
		found := false
		for j := 0; j < d && !found; j++ {
			if a, b, exact := line(n, func(i int) float64 { return next[i*d+j] }, func(i int) float64 { return y[i*p+o] }); exact {
				f.column, f.a, f.b = append(f.column, j), append(f.a, a), append(f.b, b)
				found = true
			}
		}
		if !found {
			return f, false
		}
	}
	return f, true
}

// line returns the straight line through n points (x, y), and whether all are on it but for rounding.
func line(n int, x, y func(int) float64) (a, b float64, exact bool) {
	var mx, my, xx, xy, yy float64
	for i := range n {
		mx += x(i) / float64(n)
		my += y(i) / float64(n)
	}
	for i := range n {
		xx += (x(i) - mx) * (x(i) - mx)
		xy += (x(i) - mx) * (y(i) - my)
		yy += (y(i) - my) * (y(i) - my)
	}
	if !(xx > 1e-16*float64(n)*mx*mx) || !(yy > 0) {
		return 0, 0, false
	}
	b = xy / xx
	a = my - b*mx
	return a, b, yy-b*xy <= 1e-12*yy
}

// errors is that of regression, for persistence: nothing is fitted.
func (f persistence) errors(g regression, all []Target, parts int, scale []float64) []float64 {
	sum := make([]float64, parts)
	for _, q := range all {
		for o, y := range g.outputs(q) {
			e := y
			if q.t > 0 {
				e -= f.a[o] + f.b[o]*g.kept.Runs[q.Run].X[(q.t-1)*g.d+f.column[o]]
			}
			e *= scale[o]
			sum[q.Fold] += e * e
		}
	}
	return sum
}
