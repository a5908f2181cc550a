package baseline

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// bfgs minimises a smooth function of a few parameters, by Broyden, Fletcher, Goldfarb
// and Shanno's approximation of the inverse Hessian with a backtracking line search
// (Nocedal and Wright 2006, Algorithm 6.1). The function may be +Inf or NaN away from
// the start. It costs two or three gradients an iteration at most, and O(k²) of its own.
//
// gonum's optimize, which has this too, is not used: it brings modules into go.sum that
// nothing else needs, and its line searches end at an infinite value.
type bfgs struct {
	// f returns the function at x, with its gradient in grad if that is not nil.
	f func(grad, x []float64) float64
	// iterations is a hard limit.
	iterations int
	// gradient and change end the descent: no derivative larger, no more than that
	// gained by five iterations.
	gradient, change float64
}

// armijo is the part of the slope that a step must gain, of Nocedal and Wright.
const armijo = 1e-4

// minimise returns where the descent from x ends, and the function there. It ends
// early, at the best point so far, if ctx is done.
func (b bfgs) minimise(ctx context.Context, x []float64) ([]float64, float64) {
	k := len(x)
	x = slices.Clone(x)
	grad, next, nextGrad := make([]float64, k), make([]float64, k), make([]float64, k)
	dir, step, rise := make([]float64, k), make([]float64, k), make([]float64, k)
	H := identityMatrix(k)
	fx, fresh := b.f(grad, x), true
	past := []float64{fx}
	for range b.iterations {
		if ctx.Err() != nil || !(floats.Norm(grad, math.Inf(1)) > b.gradient) {
			break
		}
		slope := direction(dir, H, grad)
		if !(slope < 0) {
			H, fresh = identityMatrix(k), true
			slope = direction(dir, H, grad)
		}
		first := 1.0
		if fresh { // the scale of the function is not known yet
			first = min(1, 1/floats.Norm(dir, 2))
		}
		fn, ok := b.search(next, x, dir, fx, slope, first)
		if !ok && fresh {
			break // as near as the digits let it
		}
		if !ok {
			H, fresh = identityMatrix(k), true
			continue
		}
		b.f(nextGrad, next)
		floats.SubTo(step, next, x)
		floats.SubTo(rise, nextGrad, grad)
		fresh = update(H, step, rise, fresh)
		x, next, grad, nextGrad, fx = next, x, nextGrad, grad, fn
		if past = append(past, fx); len(past) > 5 && past[len(past)-6]-fx <= b.change {
			break
		}
	}
	return x, fx
}

// search sets next to x + a dir, with the first a of a, a/2, a/4 … that gains enough.
func (b bfgs) search(next, x, dir []float64, fx, slope, a float64) (fn float64, ok bool) {
	for range 40 {
		floats.AddScaledTo(next, x, a, dir)
		if fn = b.f(nil, next); fn <= fx+armijo*a*slope {
			return fn, true
		}
		// The minimum of the parabola through what is known, within bounds.
		t := 0.5
		if curve := fn - fx - a*slope; curve > 0 && !math.IsInf(curve, 0) {
			t = min(0.5, max(0.1, -a*slope/(2*curve)))
		}
		a *= t
	}
	return fx, false
}

// direction sets dir to −H grad and returns its slope.
func direction(dir []float64, H [][]float64, grad []float64) float64 {
	for i, row := range H {
		dir[i] = -floats.Dot(row, grad)
	}
	return floats.Dot(dir, grad)
}

// update takes a step and the rise of the gradient along it into H, and reports
// whether H is still the identity, since a step along which the slope does not rise
// tells nothing of a minimum.
func update(H [][]float64, step, rise []float64, fresh bool) bool {
	sy := floats.Dot(step, rise)
	if !(sy > 1e-10*floats.Norm(step, 2)*floats.Norm(rise, 2)) {
		return fresh
	}
	if fresh {
		for i := range H {
			H[i][i] = sy / floats.Dot(rise, rise)
		}
	}
	hy := make([]float64, len(step))
	for i, row := range H {
		hy[i] = floats.Dot(row, rise)
	}
	yhy := floats.Dot(rise, hy)
	for i, row := range H {
		for j := range row {
			row[j] += (1+yhy/sy)*step[i]*step[j]/sy - (hy[i]*step[j]+step[i]*hy[j])/sy
		}
	}
	return false
}

func identityMatrix(k int) [][]float64 {
	H := make([][]float64, k)
	for i := range H {
		H[i] = make([]float64, k)
		H[i][i] = 1
	}
	return H
}

// central sets grad to central differences of f at x. With a step of 1e-5 they err by
// about 1e-10 for a function of order 1.
func central(grad, x []float64, f func([]float64) float64) {
	for i, v := range x {
		h := 1e-5 * (1 + math.Abs(v))
		x[i] = v + h
		up := f(x)
		x[i] = v - h
		grad[i] = (up - f(x)) / (2 * h)
		x[i] = v
	}
}
