package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twornn/spectral/twornn"
	"gonum.org/v1/gonum/mat"
)

// verdict is what became of a fit.
//
// Errors on the test data are means over the outputs of mean squared errors in units of the
// mean square of each. A failure is one of
//
//	silent    the error is more than 1.2 times that of the better of zero and a ridge
//	          regression with a constant (see ridge), without a warning
//	cause     an error that names no cure, or one with which there is an error again
//	panic, NaN, late (more than a second of the processor after the context ended)
//	slow      more than 30 s of the processor
type verdict struct {
	Seed                   uint64
	Case                   string
	Inputs, Target, Layout string
	Failure                string `json:",omitempty"`
	Error                  string `json:",omitempty"`
	Seconds                float64
	Late                   float64         // seconds of the processor after the context ended; 0 where it was not tried
	Stopped                bool            // it was tried
	Fallback               bool            // the zero function came back
	Warnings               map[string]bool `json:",omitempty"` // by kind, whether right
	Model, Zero, Ridge     float64         // errors on the test data
	Rank                   int
}

func (v verdict) String() string {
	s := fmt.Sprintf("%s: %s", v.Failure, v.Case)
	if v.Error != "" {
		return s + ": " + v.Error
	}
	return fmt.Sprintf("%s: model %.3g, zero %.3g, ridge %.3g, rank %d, warnings %v, %.1f s", s, v.Model, v.Zero, v.Ridge, v.Rank, v.Warnings, v.Seconds)
}

const (
	worse    = 1.2 // times the better of the rivals
	slow     = 30  // seconds
	late     = 1
	rounding = 1e-9 // of the mean square, below which an error is none
)

// judge fits a case and judges what came of it.
func judge(ctx context.Context, c *sample, limit time.Duration) (v verdict) {
	v = verdict{Seed: c.seed, Case: c.String(), Inputs: c.inputs, Target: c.target, Layout: c.layout}
	defer func() {
		if p := recover(); p != nil {
			v.Failure, v.Error = "panic", fmt.Sprint(p)
		}
	}()
	start := cpu()
	r, err := fit(ctx, c, c.options, limit)
	v.Seconds = cpu() - start
	if c.seed%5 == 0 {
		v.Late, v.Stopped = stopLate(c, v.Seconds), true
	}
	switch {
	case err != nil:
		v.Error = err.Error()
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			v.Failure = "slow"
		case !cured(ctx, c, err, limit):
			v.Failure = "cause"
		}
	default:
		v.score(c, r)
	}
	switch {
	case v.Failure != "":
	case v.Seconds > slow:
		v.Failure = "slow"
	case v.Late > late:
		v.Failure = "late"
	}
	return v
}

func fit(ctx context.Context, c *sample, o twornn.Options, limit time.Duration) (*twornn.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return twornn.Fit(ctx, slices.Values(c.train), o)
}

// stopLate fits again with a context that ends within the time that the fit takes, and returns how
// many seconds of the processor it goes on for.
func stopLate(c *sample, seconds float64) float64 {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r := rand.New(rand.NewPCG(c.seed, 15))
	after := time.Duration(r.Float64() * seconds * float64(time.Second))
	ended := make(chan float64, 1)
	go func() {
		time.Sleep(after)
		ended <- cpu()
		cancel()
	}()
	_, _ = twornn.Fit(ctx, slices.Values(c.train), c.options)
	now := cpu()
	select {
	case at := <-ended:
		return max(0, now-at)
	default:
		return 0 // it was done before
	}
}

// cure finds what an error tells to do with the options.
var cure = regexp.MustCompile(`(L|Rank): (\d+)`)

// cured reports whether an error names a cure and the fit goes through with it: of the options, or
// of the data, where lengths are asked for.
func cured(ctx context.Context, c *sample, err error, limit time.Duration) bool {
	o := c.options
	found := cure.FindAllStringSubmatch(err.Error(), -1)
	for _, m := range found {
		n, _ := strconv.Atoi(m[2])
		if m[1] == "L" {
			o.L = n
		} else {
			o.Rank = n
		}
	}
	if len(found) == 0 {
		return strings.Contains(err.Error(), "that fits no L: L = 1 needs outputs after 1, 2 and 3 steps") && !laidOut(c)
	}
	_, err = fit(ctx, c, o, limit)
	return err == nil
}

// laidOut reports whether the training data have outputs after L, 2L and 2L+1 steps for some L.
func laidOut(c *sample) bool {
	has := map[int]bool{}
	for _, s := range c.train {
		each(s, func(t int, _ []float64) { has[t] = true })
	}
	for L := range 100 {
		if L > 0 && has[L] && has[2*L] && has[2*L+1] {
			return true
		}
	}
	return false
}

// score judges a model.
func (v *verdict) score(c *sample, r *twornn.Result) {
	_, d, p := r.Dims()
	g := fitRidge(c.train, d, p, true)
	v.Zero = relative(twornn.NewModel(1, d, p), c)
	v.Ridge = relative(g, c)
	v.Model = relative(r, c)
	v.Rank, v.Fallback = r.Rank, r.Fallback
	best := min(v.Zero, v.Ridge)
	bad := !(v.Model <= worse*best+rounding)
	if math.IsNaN(v.Model) {
		v.Failure, v.Model = "NaN", -1
	}
	v.Warnings = map[string]bool{}
	j := &jury{c: c, r: r, v: v, bad: bad, d: d, p: p}
	for _, w := range r.Warnings {
		v.Warnings[w.Kind.String()] = j.right(w.Kind)
	}
	if bad && len(r.Warnings) == 0 {
		v.Failure = "silent"
	}
	for _, x := range []*float64{&v.Model, &v.Zero, &v.Ridge} {
		if math.IsInf(*x, 0) || *x > 1e300 {
			*x = 1e300 // JSON has no infinity
		}
	}
}

// relative returns the mean over the outputs of the mean squared error on all test outputs over
// the mean square of each; of an output that is zero throughout, the error itself.
func relative(f twornn.Predictor, c *sample) float64 {
	p := c.p
	sum, square, n := make([]float64, p), make([]float64, p), 0.0
	var all mat.Dense
	for _, s := range c.test {
		if m, ok := f.(interface {
			OutputsTo(dst *mat.Dense, x mat.Matrix)
		}); ok {
			all.Reset()
			m.OutputsTo(&all, s.X)
		}
		k := s.Len()
		each(s, func(t int, y []float64) {
			if c.layout == "windows" && c.series && t < k {
				return // windows of a series are forecasts after their last step
			}
			var hat []float64
			if !all.IsEmpty() {
				hat = all.RawRowView(t - 1)
			} else {
				hat = f.Predict(nil, s.X.Slice(0, t, 0, s.X.RawMatrix().Cols))
			}
			for o, w := range y {
				sum[o] += sq(w - hat[o])
				square[o] += w * w
			}
			n++
		})
	}
	total := 0.0
	for o := range sum {
		if square[o] == 0 {
			square[o] = n
		}
		total += sum[o] / square[o] / float64(p)
	}
	return total
}

// jury says whether warnings are right.
type jury struct {
	c    *sample
	r    *twornn.Result
	v    *verdict
	bad  bool // the model is worse than a rival
	d, p int
}

// short reports whether the model is further from the best possible than noise explains: the
// error above that of the noise alone is more than a twentieth of the outputs' mean square.
func (j *jury) short() bool {
	floor := sq(j.c.noise) / (1 + sq(j.c.noise))
	return j.bad || j.v.Model > floor+0.05
}

// right reports whether a warning of the kind is.
func (j *jury) right(k twornn.WarningKind) bool {
	switch k {
	case twornn.Unstable:
		return j.explodes()
	case twornn.Drifting:
		return j.drifts() || j.explodes()
	case twornn.RankCut:
		return j.spare()
	case twornn.RankLow:
		return j.c.n > j.r.Rank || j.short()
	case twornn.WorseThanZero: // a regression, with a constant if the inputs hold one, finds little either
		ridge := j.v.Ridge
		if j.c.affine {
			ridge = relative(fitRidge(j.c.train, j.d, j.p, false), j.c)
		}
		return ridge > 0.9*j.v.Zero
	case twornn.Collinear:
		return j.dependent()
	case twornn.Unexcited:
		return j.c.inputs == "sine" || j.c.inputs == "moves later" || j.c.target == "repeated rows"
	case twornn.NoConstant:
		without := relative(fitRidge(j.c.train, j.d, j.p, false), j.c)
		return j.c.affine || j.v.Ridge < 0.95*min(j.v.Model, without)
	case twornn.StartCounts: // the beginning of the test run tells of its start
		return startHelps(j.c, j.r)
	case twornn.Outliers:
		return j.c.outliers
	case twornn.Outdone, twornn.TooFew: // by a rival, on data of the same kind, or it is hardly better
		rival := min(j.v.Zero, j.v.Ridge)
		if j.c.series {
			rival = min(rival, relative(persistence{j.d}, j.c))
		}
		return j.v.Model > rival || k == twornn.TooFew && j.v.Model > 0.9*rival
	}
	return j.short() // Deficient, NotConverged and the like: the model is not what it could be
}

// spare reports whether the states left out of a model of fewer than were asked for would not have helped: there are
// no more in truth, or the likeliest model with all of them does not do clearly better on fresh data.
func (j *jury) spare() bool {
	o := j.c.options
	if j.r.Rank >= j.c.n {
		return true
	}
	ctx := context.Background()
	data, err := twornn.Collect(slices.Values(j.c.train))
	if err != nil {
		return true
	}
	starts, _ := twornn.Start(ctx, data, o)
	for _, s := range starts {
		m, err := twornn.Likelihood(ctx, data, s.Model, o)
		if n, _, _ := s.Model.Dims(); err == nil && n == o.Rank && relative(m.Model, j.c) < 0.9*j.v.Model {
			return false
		}
	}
	return true
}

// startHelps reports whether the model does clearly better on the test run if it begins where the first
// quarter of it tells.
func startHelps(c *sample, r *twornn.Result) bool {
	s := c.test[0]
	k := s.Len() / 4
	_, d, p := r.Dims()
	m := r.WithStart(s.X.Slice(0, k, 0, d), s.Y.Slice(0, k, 0, p))
	return relative(m, c) < 0.9*relative(r, c)
}

// dependent reports whether some input is, in training, a linear combination of the others.
func (j *jury) dependent() bool {
	M := mat.NewSymDense(j.d, nil)
	for _, s := range j.c.train {
		for t := range s.Len() {
			M.SymRankOne(M, 1, mat.NewVecDense(j.d, mat.Row(nil, t, s.X)))
		}
	}
	C := mat.NewSymDense(j.d, nil)
	for a := range j.d {
		for b := a; b < j.d; b++ {
			C.SetSym(a, b, M.At(a, b)/math.Sqrt(M.At(a, a)*M.At(b, b)))
			if M.At(a, a) == 0 || M.At(b, b) == 0 {
				return true
			}
		}
	}
	var eig mat.EigenSym
	return !eig.Factorize(C, false) || eig.Values(nil)[0] < 1e-11*float64(j.d)
}

// persistence says that the last row goes on.
type persistence struct{ d int }

func (f persistence) Predict(dst []float64, x mat.Matrix) []float64 {
	k, d := x.Dims()
	row := mat.Row(nil, k-1, x)
	if d > 1 && row[0] == 1 {
		row = row[1:]
	}
	return row
}

// drifts reports whether on the test data, too, the mean squared error after more steps than were measured is more
// than a quarter above the training error, as the warning says.
func (j *jury) drifts() bool {
	sum, n := 0.0, 0
	for _, s := range j.c.test {
		var all mat.Dense
		j.r.OutputsTo(&all, s.X)
		each(s, func(t int, y []float64) {
			if t <= slices.Max(j.r.Lengths) {
				return
			}
			for o, v := range y {
				sum += sq(v - all.At(t-1, o))
				n++
			}
		})
	}
	return n > 0 && !(sum/float64(n) <= 1.25*j.r.MSE)
}

// explodes reports whether on runs over inputs of the same source, ten times as long as the longest
// sequence and at least a hundred steps, the root mean square of an output after some step is more
// than thirty times that of the training outputs.
func (j *jury) explodes() bool {
	size := rms(j.c.train, j.p)
	var squares []float64
	var y mat.Dense
	for _, s := range j.c.long {
		y.Reset()
		j.r.OutputsTo(&y, s.X)
		data := y.RawMatrix().Data
		if squares == nil {
			squares = make([]float64, len(data))
		}
		for i, v := range data[:min(len(data), len(squares))] {
			squares[i] += sq(v/max(size[i%j.p], 1e-300)) / float64(len(j.c.long))
		}
	}
	for _, v := range squares {
		if !(v <= 30*30) {
			return true
		}
	}
	return false
}

func init() {
	runtime.GOMAXPROCS(1) // so that seconds of the processor are those of a fit
}

// kindOf shortens an error to what it is about.
func kindOf(text string) string {
	text = strings.TrimPrefix(text, "twornn: ")
	return regexp.MustCompile(`\d+(\.\d+)?(e[+-]?\d+)?`).ReplaceAllString(text, "#")
}
