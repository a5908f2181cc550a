package wide

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/lsq"
)

// descent is Levenberg-Marquardt in which the steps come from conjugate gradients:
//
//	(JᵀJ + μK) δ = Jᵀe
//
// K, which damps and preconditions, is what JᵀJ would be if inputs, states and what outputs
// owe to states were independent: with E xxᵀ = I,
//
//	K = M₀ I ⊕ N (E hhᵀ ⊗ I_d ⊗ E Σ_s BᵀB) ⊕ M (E hhᵀ ⊗ I_p)
type descent struct {
	*stack
	theta  []float64
	sse    float64
	status lsq.Status

	iterations int
	report     func(residual float64) error
	energy     float64
	goal       float64 // what the sum of squares must come below to be of use; 0: anything
	worth      float64 // the gain, in variances of the noise, below which slow iterations end it
	sums       []float64
}

// most is how many steps of conjugate gradients a step may take.
const most = 60

// run goes downhill until a step is expected to gain no more than tol of the variance of
// what is left, or for so many iterations.
func (r *descent) run(ctx context.Context, tol float64, iterations int) {
	k := len(r.theta)
	g, trial := make([]float64, k), make([]float64, k)
	mu, dof := 1e-3, max(1, float64(r.data.M-r.Free()))
	r.status, r.sums = lsq.Unfinished, nil
	for range iterations {
		r.sse = r.Gradient(r.theta, g)
		if math.IsInf(r.sse, 1) || r.sse <= 1e-29*r.energy {
			r.status = lsq.Converged
			return
		}
		kfac := r.kfac()
		for {
			if ctx.Err() != nil {
				r.status = lsq.Stopped
				return
			}
			step, predicted := r.solve(ctx, g, mu, kfac)
			if !(predicted > tol*r.sse/dof) || mu > 1e10 {
				r.status = lsq.Converged
				return
			}
			floats.AddTo(trial, r.theta, step)
			now := r.SSE(trial)
			gain := (r.sse - now) / predicted
			mu = adapted(mu, gain)
			if gain > 1e-4 {
				copy(r.theta, trial)
				r.sse = now
				break
			}
		}
		r.iterations++
		if r.report != nil && r.report(linalg.Relative(r.sse, r.energy)) != nil {
			r.status = lsq.Stopped
			return
		}
		if r.hopeless() {
			return
		}
	}
}

// hopeless reports whether the last iterations gained little of what parts the sum of squares
// from the goal, or next to nothing.
func (r *descent) hopeless() bool {
	r.sums = append(r.sums, r.sse)
	before := len(r.sums) - 1 - slow
	if before < 0 {
		return false
	}
	gain := r.sums[before] - r.sse
	return r.goal > 0 && gain < (r.sse-r.goal)/3 || gain < r.worth*r.sse/float64(r.data.M)
}

// slow is how many iterations a descent has to show that it will come to its goal.
const slow = 3

// adapted returns the damping after a step with such a gain over the one predicted.
func adapted(mu, gain float64) float64 {
	switch {
	case gain > 0.9:
		mu /= 10
	case gain > 0.5:
		mu /= 3
	case !(gain > 0.25):
		mu *= 4
	}
	return max(mu, 1e-9)
}

// solve returns the step by preconditioned conjugate gradients, and by how much it should
// lower the sum of squares.
func (r *descent) solve(ctx context.Context, g []float64, mu float64, K *kfac) (step []float64, predicted float64) {
	k := len(g)
	step = make([]float64, k)
	res := append([]float64(nil), g...)
	z := K.solve(res)
	dir := append([]float64(nil), z...)
	rz := linalg.Dot(res, z)
	first := rz
	Nv := make([]float64, k)
	for i := 0; i < most && rz > 1e-3*first && ctx.Err() == nil; i++ {
		r.Curvature(r.theta, dir, Nv)
		floats.AddScaled(Nv, mu, K.times(dir))
		curved := linalg.Dot(dir, Nv)
		if !(curved > 0) {
			break
		}
		alpha := rz / curved
		floats.AddScaled(step, alpha, dir)
		floats.AddScaled(res, -alpha, Nv)
		z = K.solve(res)
		next := linalg.Dot(res, z)
		floats.Scale(next/rz, dir)
		floats.Add(dir, z)
		rz = next
	}
	return step, linalg.Dot(g, step) + mu*linalg.Dot(step, K.times(step))
}

// kfac is K, kept as the factors E hhᵀ and E Σ BᵀB with their inverses.
type kfac struct {
	lsq.Shape
	h0            float64
	left, right   *mat.SymDense // of A: states before, what is owed
	leftI, rightI *mat.SymDense
	out, outI     *mat.SymDense // of Ω
}

// kfac works out K at θ.
func (r *descent) kfac() *kfac {
	n := r.N
	K := &kfac{Shape: r.Shape}
	before, after, out := mat.NewSymDense(n, nil), mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
	sub := &stack{data: r.data.some(4000 * r.P), Shape: r.Shape}
	steps := 0.0
	rm := &sub.rooms[0]
	sub.rows(&rm.A, r.theta[n:n+n*r.D*n])
	for _, run := range sub.data.Runs {
		steps += sub.second(rm, r.theta, run, before, after, out)
	}
	if steps > 0 {
		before.ScaleSym(1/steps, before)
	}
	scale := float64(r.data.M) / float64(sub.data.M)
	after.ScaleSym(scale, after)
	out.ScaleSym(scale, out)
	K.left, K.leftI = invertible(before)
	K.right, K.rightI = invertible(after)
	K.out, K.outI = invertible(out)
	K.h0 = max(mat.Trace(after)/float64(n), 1e-300)
	return K
}

// second adds the second moments along a sequence: of the states before steps, of what
// outputs owe to the states after them, and of the states with an output.
func (s *stack) second(r *room, theta []float64, run lsq.Run, before, after, out *mat.SymDense) float64 {
	n, k := s.N, run.Steps(s.D)
	M := linalg.Sized(&r.M, k*n*n)
	if k > 0 {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, general(k, s.D, run.X), general(s.D, n*n, r.A), 0, general(k, n*n, M))
	}
	h := linalg.Sized(&r.h, (k+1)*n)
	copy(h, theta[:n])
	for t := range k {
		state := h[t*n : (t+1)*n]
		before.SymRankOne(before, 1, mat.NewVecDense(n, state))
		turn(h[(t+1)*n:(t+2)*n], M[t*n*n:(t+1)*n*n], state)
	}
	Omega := mat.NewDense(s.P, n, theta[n+n*s.D*n:])
	owed, next := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	var square, half mat.Dense
	square.Mul(Omega.T(), Omega)
	i := len(run.At) - 1
	for t := k; t >= 0; t-- {
		for ; i >= 0 && run.At[i] == t; i-- {
			owed.Add(owed, &square)
			out.SymRankOne(out, 1, mat.NewVecDense(n, h[t*n:(t+1)*n]))
		}
		if t == 0 {
			break
		}
		for a := range n {
			for b := a; b < n; b++ {
				after.SetSym(a, b, after.At(a, b)+owed.At(a, b))
			}
		}
		m := mat.NewDense(n, n, M[(t-1)*n*n:t*n*n])
		half.Mul(m, owed)
		next.Mul(&half, m.T())
		owed, next = next, owed
	}
	return float64(k)
}

// invertible returns a with a little on its diagonal, and the inverse.
func invertible(a *mat.SymDense) (*mat.SymDense, *mat.SymDense) {
	n := a.SymmetricDim()
	little := max(mat.Trace(a)/float64(n), 1e-300)
	for e := 1e-6; ; e *= 100 {
		b := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				b.SetSym(i, j, a.At(i, j)/little)
			}
			b.SetSym(i, i, b.At(i, i)+e)
		}
		var ch mat.Cholesky
		inv := mat.NewSymDense(n, nil)
		if ch.Factorize(b) && ch.InverseTo(inv) == nil || e > 1e6 {
			b.ScaleSym(little, b)
			inv.ScaleSym(1/little, inv)
			return b, inv
		}
	}
}

func (K *kfac) times(v []float64) []float64 {
	return K.apply(v, K.h0, K.left, K.right, K.out)
}

func (K *kfac) solve(v []float64) []float64 {
	return K.apply(v, 1/K.h0, K.leftI, K.rightI, K.outI)
}

// apply returns the block of each part times that part of v.
func (K *kfac) apply(v []float64, h0 float64, left, right, out *mat.SymDense) []float64 {
	n, d, p := K.N, K.D, K.P
	w := make([]float64, len(v))
	floats.AddScaled(w[:n], h0, v[:n])
	// A is n×(d·n): by rows the state before, by columns input and state after.
	var L mat.Dense
	L.Mul(left, mat.NewDense(n, d*n, v[n:n+n*d*n]))
	mat.NewDense(n*d, n, w[n:n+n*d*n]).Mul(mat.NewDense(n*d, n, L.RawMatrix().Data), right)
	mat.NewDense(p, n, w[n+n*d*n:]).Mul(mat.NewDense(p, n, v[n+n*d*n:]), out)
	return w
}
