package lsq

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// someRuns returns runs of different lengths with outputs at some of their steps.
func someRuns(rnd *rand.Rand, d, p, parts int) []Run {
	var runs []Run
	for k := range 7 {
		r := Run{}
		for t := range 3 + 5*k {
			r.X = append(r.X, 1)
			for range d - 1 {
				r.X = append(r.X, rnd.NormFloat64())
			}
			if rnd.IntN(3) > 0 {
				r.At = append(r.At, t+1)
				r.Fold = append(r.Fold, rnd.IntN(parts))
				for range p {
					r.Y = append(r.Y, rnd.NormFloat64())
				}
			}
		}
		runs = append(runs, r)
	}
	return append(runs, Run{Y: make([]float64, p), At: []int{0}, Fold: []int{0}}) // the empty word
}

// TestRunsDerivatives: JᵀJ and Jᵀe of all patterns against rows of J from central differences
// of the outputs, the sum of squares against the outputs themselves.
func TestRunsDerivatives(t *testing.T) {
	for _, c := range []struct {
		n, d, p int
		pattern func(n, d, p int) Pattern
	}{
		{3, 2, 1, Every},
		{2, 1, 2, Every},
		{4, 3, 2, func(n, d, p int) Pattern { return Affine(n, d, p, true) }},
		{4, 3, 2, func(n, d, p int) Pattern { return Affine(n, d, p, false) }},
	} {
		rnd := rand.New(rand.NewPCG(1, uint64(c.n)))
		r := &Runs{Shape: Shape{c.n, c.d, c.p}, Data: someRuns(rnd, c.d, c.p, 1), Pattern: c.pattern(c.n, c.d, c.p)}
		for range r.Pattern.All {
			r.Base = append(r.Base, 0.4*rnd.NormFloat64())
		}
		theta := r.Pattern.Take(r.Base)
		k := r.Dim()
		outputs := func(th []float64) (all []float64) {
			for _, run := range r.Data {
				r.At(th)(run, nil, func(i int, y []float64) { all = append(all, y...) })
			}
			return all
		}
		var y []float64
		for _, run := range r.Data {
			y = append(y, run.Y...)
		}
		const h = 1e-5
		J := mat.NewDense(len(y), k, nil)
		for j := range k {
			up, down := append([]float64(nil), theta...), append([]float64(nil), theta...)
			up[j] += h
			down[j] -= h
			a, b := outputs(up), outputs(down)
			for i := range y {
				J.Set(i, j, (a[i]-b[i])/(2*h))
			}
		}
		e := mat.NewDense(len(y), 1, nil)
		sse := 0.0
		for i, v := range outputs(theta) {
			e.Set(i, 0, y[i]-v)
			sse += (y[i] - v) * (y[i] - v)
		}
		N, g := mat.NewSymDense(k, nil), make([]float64, k)
		got := r.Normal(theta, N, g)
		if math.Abs(got-sse) > 1e-12*sse || math.Abs(r.SSE(theta)-sse) > 1e-12*sse {
			t.Errorf("%v: sums of squares %g and %g, want %g", r.Shape, got, r.SSE(theta), sse)
		}
		var JJ, Je mat.Dense
		JJ.Mul(J.T(), J)
		Je.Mul(J.T(), e)
		// Central differences lose h² of the third derivative, and eps/h of the outputs.
		size := mat.Norm(&JJ, math.Inf(1))
		for i := range k {
			if math.Abs(g[i]-Je.At(i, 0)) > 1e-6*size {
				t.Errorf("%v: g[%d] = %g, want %g", r.Shape, i, g[i], Je.At(i, 0))
			}
			for j := range k {
				if math.Abs(N.At(i, j)-JJ.At(i, j)) > 1e-6*size {
					t.Errorf("%v: N[%d,%d] = %g, want %g", r.Shape, i, j, N.At(i, j), JJ.At(i, j))
				}
			}
		}
	}
}

// TestRunsByFolds: the folds' sums add up to those of all, and what is left out is left out.
func TestRunsByFolds(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	r := &Runs{Shape: Shape{3, 2, 2}, Data: someRuns(rnd, 2, 2, 4), Pattern: Every(3, 2, 2), Folds: 4}
	for range r.Pattern.All {
		r.Base = append(r.Base, 0.4*rnd.NormFloat64())
	}
	theta := r.Pattern.Take(r.Base)
	k := r.Dim()
	normal := func(r *Runs) (float64, *mat.SymDense, []float64) {
		N, g := mat.NewSymDense(k, nil), make([]float64, k)
		return r.Normal(theta, N, g), N, g
	}
	whole := *r
	whole.Folds = 0
	sse, N, g := normal(&whole)
	sum, M := 0.0, 0
	for f, s := range r.Sums(theta) {
		M += s.M
		sum += s.SSE
		without := *r
		without.Leave = f + 1
		part, Nf, gf := normal(&without)
		if math.Abs(part+s.SSE-sse) > 1e-12*sse || math.Abs(without.SSE(theta)-part) > 1e-12*sse {
			t.Errorf("without fold %d the sum of squares is %g and %g, of the fold %g, of all %g", f, part, without.SSE(theta), s.SSE, sse)
		}
		for i := range k {
			if math.Abs(gf[i]+s.G[i]-g[i]) > 1e-12*sse || math.Abs(Nf.At(0, i)+s.N[i]-N.At(0, i)) > 1e-11*sse {
				t.Errorf("without fold %d: entry %d of g or N does not add up", f, i)
			}
		}
		without.Known, without.Data = &Known{theta, r.Sums(theta)}, nil // no pass is needed
		known, Nk, gk := normal(&without)
		if math.Abs(known-part) > 1e-12*sse || !mat.EqualApprox(Nk, Nf, 1e-11*sse) || !floats.EqualApprox(gk, gf, 1e-12*sse) {
			t.Errorf("without fold %d: not the same from sums that are known", f)
		}
	}
	outputs := 0
	for _, run := range r.Data {
		outputs += len(run.Y)
	}
	if M != outputs || math.Abs(sum-sse) > 1e-12*sse {
		t.Errorf("folds hold %d outputs with a sum of %g, want %d and %g", M, sum, outputs, sse)
	}
}

// TestRunLost: a run that grows without bound has an infinite sum, and no NaN.
func TestRunLost(t *testing.T) {
	r := &Runs{Shape: Shape{1, 1, 1}, Pattern: Every(1, 1, 1), Base: []float64{1, 10, 1}}
	run := Run{At: []int{400}, Y: []float64{1}}
	for range 400 {
		run.X = append(run.X, 1)
	}
	r.Data = []Run{run, run, run}
	theta := r.Pattern.Take(r.Base)
	N, g := mat.NewSymDense(3, nil), make([]float64, 3)
	if s := r.SSE(theta); !math.IsInf(s, 1) {
		t.Errorf("sum of squares %g, want +Inf", s)
	}
	if s := r.Normal(theta, N, g); !math.IsInf(s, 1) {
		t.Errorf("sum of squares %g with derivatives, want +Inf", s)
	}
}

// TestRunsThinned: with the rows of JᵀJ drawn by lot the sum of squares and its derivatives are still those of all
// rows, and JᵀJ is near that of all, also where few rows tell of a parameter, as of a start that decays.
func TestRunsThinned(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 8))
	const n, d, p, steps = 2, 2, 2, 4000
	r := &Runs{Shape: Shape{n, d, p}, Pattern: Every(n, d, p)}
	for range r.Pattern.All {
		r.Base = append(r.Base, 0.4*rnd.NormFloat64())
	}
	run := Run{}
	for i := range steps {
		run.X = append(run.X, 1, rnd.NormFloat64())
		run.At, run.Y = append(run.At, i+1), append(run.Y, rnd.NormFloat64(), rnd.NormFloat64())
	}
	r.Data = []Run{run}
	theta, k := r.Pattern.Take(r.Base), r.Dim()
	N, g := mat.NewSymDense(k, nil), make([]float64, k)
	thin, thinned := mat.NewSymDense(k, nil), make([]float64, k)
	sse := r.Normal(theta, N, g)
	r.Thin = true
	if got := r.Normal(theta, thin, thinned); math.Abs(got-sse) > 1e-12*sse || !floats.EqualApprox(thinned, g, 1e-9*floats.Norm(g, 2)) {
		t.Errorf("sum of squares %g, want %g; derivatives %.6g, want %.6g", got, sse, thinned, g)
	}
	if mat.Equal(thin, N) {
		t.Fatal("nothing was thinned")
	}
	v := mat.NewVecDense(k, nil)
	for range 100 {
		for j := range k {
			v.SetVec(j, rnd.NormFloat64())
		}
		// Of a thousand rows a mean of squares errs by some twentieth.
		if ratio := mat.Inner(v, thin, v) / mat.Inner(v, N, v); math.Abs(ratio-1) > 0.2 {
			t.Errorf("vᵀNv is %.3g times that of all rows", ratio)
		}
	}
}
