package plotting

import (
	"gonum.org/v1/plot"
)

// Trace is one value for each iteration, from the first on: a loss, a gradient's norm.
type Trace struct {
	Name string
	Y    []float64
}

// Convergence draws traces against the iteration, with a logarithmic axis for their
// values:
//
//	plotting.Convergence("Recovery of H(4)", "‖XH − Y‖²",
//		plotting.Trace{Name: "IHT", Y: iht},
//		plotting.Trace{Name: "TIHT", Y: tiht})
//
// They may differ in length. Values that are zero, negative or not finite leave gaps,
// which the legend counts. It errs if no value can be drawn or one is beyond 1e300.
func Convergence(title, yLabel string, traces ...Trace) (*plot.Plot, error) {
	n := 0
	for _, t := range traces {
		n = max(n, len(t.Y))
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i + 1)
	}
	curves := make([]Curve, len(traces))
	for i, t := range traces {
		curves[i] = Curve{Name: t.Name, X: x[:len(t.Y)], Y: t.Y}
	}
	f := frame{logY: true, ticksX: ranks{1, n}, wholeX: true}
	if n > 1000 {
		f.ticksX = nil // wide labels: fewer of them
	}
	return drawCurves(title, "iteration", yLabel, "trace", curves, f)
}
