package lsq

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// curve is the problem y = θ₀ exp(−θ₁ t) + θ₂, with a prior on θ₂ if it is not zero.
type curve struct {
	t, y  []float64
	prior float64
}

func (c curve) Dim() int { return 3 }

func (c curve) SSE(theta []float64) (sum float64) {
	for i, t := range c.t {
		e := c.y[i] - theta[0]*math.Exp(-theta[1]*t) - theta[2]
		sum += e * e
	}
	return sum + c.prior*theta[2]*theta[2]
}

func (c curve) Normal(theta []float64, N *mat.SymDense, g []float64) float64 {
	N.Zero()
	clear(g)
	for i, t := range c.t {
		f := math.Exp(-theta[1] * t)
		J := []float64{f, -t * theta[0] * f, 1}
		N.SymRankOne(N, 1, mat.NewVecDense(3, J))
		for k, v := range J {
			g[k] += v * (c.y[i] - theta[0]*f - theta[2])
		}
	}
	N.SetSym(2, 2, N.At(2, 2)+c.prior)
	g[2] -= c.prior * theta[2]
	return c.SSE(theta)
}

// TestDescentOfAnyProblem: without noise the parameters come out exactly from afar; with a
// prior the gradient vanishes where the descent says it ended.
func TestDescentOfAnyProblem(t *testing.T) {
	c := curve{}
	energy := 0.0
	for i := range 30 {
		x := float64(i) / 5
		c.t, c.y = append(c.t, x), append(c.y, 3*math.Exp(-0.8*x)+0.5)
		energy += c.y[i] * c.y[i]
	}
	limits := Limits{Tol: 1e-12, Iterations: 200}
	r := NewDescent(c, []float64{1, 0.1, 0}, energy, 27)
	r.Run(context.Background(), limits)
	for k, want := range []float64{3, 0.8, 0.5} {
		if math.Abs(r.Theta[k]-want) > 1e-9 {
			t.Errorf("parameter %d is %v, want %v (%d iterations, %v)", k, r.Theta[k], want, r.Iterations, r.Status)
		}
	}
	c.prior = 5
	r = NewDescent(c, []float64{1, 0.1, 0}, energy, 27)
	r.Run(context.Background(), limits)
	for k := range r.Theta {
		h := 1e-5
		at := func(h float64) float64 {
			x := append([]float64(nil), r.Theta...)
			x[k] += h
			return c.SSE(x)
		}
		if slope := (at(h) - at(-h)) / (2 * h); math.Abs(slope) > 1e-4*r.SSE {
			t.Errorf("with a prior: slope %v along parameter %d", slope, k)
		}
	}
	if r.Status != Converged || r.Distance() > 0.01 || !(r.SSE < r.First) {
		t.Errorf("with a prior: %v, %v standard errors off", r.Status, r.Distance())
	}
}

// TestDescentStops: a report's error or a context ends a run with the best so far.
func TestDescentStops(t *testing.T) {
	c := curve{t: []float64{0, 1, 2, 3}, y: []float64{3, 2, 1.5, 1}}
	r := NewDescent(c, []float64{1, 0.1, 0}, 16, 1)
	r.Run(context.Background(), Limits{Tol: 1e-12, Iterations: 50, Report: func(i int, _ float64) error {
		if i == 2 {
			return errors.New("enough")
		}
		return nil
	}})
	if r.Status != Stopped || r.Iterations != 2 || r.SSE != c.SSE(r.Theta) || !(r.SSE < r.First) {
		t.Errorf("report: %v after %d iterations", r.Status, r.Iterations)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r.Run(ctx, Limits{Tol: 1e-12, Iterations: 50})
	if r.Status != Stopped || r.Iterations != 2 || len(r.Residuals) != 2 {
		t.Errorf("context: %v after %d iterations", r.Status, r.Iterations)
	}
}
