package plotting

import (
	"fmt"

	"gonum.org/v1/plot/plotter"

	"github.com/twornn/spectral/twornn"
)

// history keeps the residuals of one stage and length: every one at first, every
// second once there are mostPoints of them, and so on, and always the latest.
type history struct {
	stage  string
	length int

	count  int // iterations so far, of all runs
	every  int // one in so many is kept
	points []moment
	last   moment
	begins bool // a run has begun since the last point kept
}

// moment is the residual at an iteration. begins says that a run of the method, whose
// iterations start from 1 again, begins there or was passed over before.
type moment struct {
	at       int
	residual float64
	begins   bool
}

func (h *history) add(p twornn.Progress) {
	h.count++
	h.begins = h.begins || p.Iteration <= 1
	h.last = moment{h.count, p.Residual, h.begins}
	if (h.count-1)%h.every != 0 {
		return
	}
	h.points = append(h.points, h.last)
	h.begins = false
	if len(h.points) < mostPoints {
		return
	}
	// The first of every two stays, and the first of all with it.
	kept := h.points[:0]
	begins := false
	for i, m := range h.points {
		begins = begins || m.begins
		if i%2 == 0 {
			m.begins = begins
			kept = append(kept, m)
			begins = false
		}
	}
	h.begins = begins
	h.points, h.every = kept, 2*h.every
}

// runs returns the points to draw, a line for each run. A residual that is zero, not
// finite or out of the range of an axis leaves a gap.
func (h *history) runs() []plotter.XYs {
	points := h.points
	if n := len(points); n == 0 || points[n-1].at != h.last.at {
		points = append(points[:n:n], h.last)
	}
	var out []plotter.XYs
	gap := true
	for _, m := range points {
		if !(m.residual > 1/largest && m.residual < largest) {
			gap = true
			continue
		}
		if gap || m.begins {
			out = append(out, nil)
			gap = false
		}
		run := &out[len(out)-1]
		*run = append(*run, plotter.XY{X: float64(m.at), Y: m.residual})
	}
	return out
}

// String is the line's entry in the legend, with the latest residual.
func (h *history) String() string {
	return fmt.Sprintf("%s: %.3g", twornn.Progress{Stage: h.stage, Length: h.length}, h.last.residual)
}
