package plotting

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/twornn/spectral/twornn"
)

// Live is a twornn.Recorder that shows how a fit converges while it runs: the residual
// on a logarithmic axis over the iterations, a line for each stage and length. It is one
// picture in the notebook, drawn anew in its place some eight times a second at most,
// and less often where drawing would take more than a third of the time. A cell reads
//
//	live := plotting.NewLive("Convergence")
//	defer live.Done()
//	fit := must(twornn.Fit(ctx, train, twornn.Options{L: 2, Rank: 4, Recorder: live}))
//
// The history is thinned, so that memory is bounded however long it runs. Several
// goroutines may use one Live. Outside a notebook it is silent.
type Live struct {
	title string
	show  func(data map[protocol.MIMEType]any) // nil: silent
	now   func() time.Time

	mu     sync.Mutex // guards what follows
	traces []*history
	more   int // values of lines that there are too many of
	next   time.Time
	closed bool

	frame sync.Mutex // held while a frame is drawn
}

var _ twornn.Recorder = (*Live)(nil)

const (
	frameTime  = 125 * time.Millisecond
	mostLines  = 8
	mostPoints = 1000
)

// NewLive returns a Live with the given title.
func NewLive(title string) *Live {
	return &Live{title: title, show: block(), now: time.Now}
}

// block returns a function that fills and refills one block of the notebook's output,
// nil outside a notebook.
func block() func(map[protocol.MIMEType]any) {
	if !gonbui.IsNotebook {
		return nil
	}
	id := "twornn-" + gonbui.UniqueId()
	return func(data map[protocol.MIMEType]any) {
		gonbui.SendData(&protocol.DisplayData{Data: data, DisplayID: id})
	}
}

// Record notes an iteration, and draws if it is time. It always returns nil.
func (l *Live) Record(p twornn.Progress) error {
	if l.show == nil {
		return nil
	}
	l.mu.Lock()
	l.note(p)
	due := !l.closed && !l.now().Before(l.next)
	l.mu.Unlock()
	// Whoever finds another at it need not wait.
	if due && l.frame.TryLock() {
		defer l.frame.Unlock()
		l.draw(false)
	}
	return nil
}

// Done draws the last frame, which stays in the notebook. Nothing is drawn after it, and
// nothing at all if no iteration was recorded.
func (l *Live) Done() {
	if l.show == nil {
		return
	}
	l.frame.Lock()
	defer l.frame.Unlock()
	l.mu.Lock()
	again := l.closed
	l.closed = true
	l.mu.Unlock()
	if again {
		return
	}
	l.draw(true)
	if gonbui.IsNotebook {
		gonbui.Sync()
	}
}

// draw draws a frame. The last one says so if what was recorded cannot be drawn.
func (l *Live) draw(last bool) {
	start := l.now()
	l.mu.Lock()
	if l.closed && !last {
		l.mu.Unlock()
		return
	}
	p, err := l.figure()
	some := len(l.traces) > 0
	l.mu.Unlock()
	var png []byte
	if err == nil {
		png, err = PNG(p)
	}
	switch {
	case err == nil:
		l.show(map[protocol.MIMEType]any{protocol.MIMEImagePNG: png})
	case last && some:
		l.show(map[protocol.MIMEType]any{
			protocol.MIMETextMarkdown: "**No figure:** " + err.Error(),
			protocol.MIMETextPlain:    "no figure: " + err.Error(),
		})
	}
	end := l.now()
	l.mu.Lock()
	l.next = end.Add(max(frameTime-end.Sub(start), 2*end.Sub(start)))
	l.mu.Unlock()
}

// note adds an iteration to its line.
func (l *Live) note(p twornn.Progress) {
	for _, h := range l.traces {
		if h.stage == p.Stage && h.length == p.Length {
			h.add(p)
			return
		}
	}
	if len(l.traces) == mostLines {
		l.more++
		return
	}
	h := &history{stage: p.Stage, length: p.Length, every: 1}
	h.add(p)
	l.traces = append(l.traces, h)
}

// figure returns the figure of what is noted so far.
func (l *Live) figure() (*plot.Plot, error) {
	p := newPlot(l.title, "iteration", "residual ‖Y − XH‖/‖Y‖")
	low, high, longest := math.Inf(1), 0.0, 1
	f, k := frame{logY: true}, newKey(p)
	for i, h := range l.traces {
		runs := h.runs()
		for _, run := range runs {
			for j, at := range run {
				low, high = min(low, at.Y), max(high, at.Y)
				run[j] = f.place(at.X, at.Y)
			}
			p.Add(zigzag{run: run, style: lineStyle(i)})
			if len(run) == 1 {
				dot := draw.GlyphStyle{Color: lineStyle(i).Color, Radius: 3, Shape: draw.CircleGlyph{}}
				p.Add(&plotter.Scatter{XYs: run, GlyphStyle: dot})
			}
		}
		k.taken(runs, nil)
		longest = max(longest, h.count)
		k.add(h.String(), thumbnail(lineStyle(i)))
	}
	if high == 0 {
		return nil, errors.New("plotting: no iteration had a residual to draw")
	}
	if l.more > 0 {
		k.add(fmt.Sprintf("%s of other lines not drawn", count(l.more, "value")), nil)
	}
	from := math.Floor(math.Log10(low)) // whole decades
	to := max(from+1, math.Ceil(math.Log10(high)-1e-9))
	f.foot, f.top = math.Pow(10, from), math.Pow(10, to)
	f.left, f.right, f.ticksX = 1, max(2, float64(longest)), iterationTicks{longest}
	f.setAxes(p)
	p.Y.Min, p.Y.Max = from, to // without rounding
	k.place(p)
	return p, nil
}

// iterationTicks marks round iterations, and none beyond the last.
type iterationTicks struct{ last int }

func (s iterationTicks) Ticks(low, high float64) []plot.Tick {
	if s.last < 3 {
		return ranks{1, s.last}.Ticks(low, high)
	}
	var ticks []plot.Tick
	for _, t := range (round{}).Ticks(1, float64(s.last)) {
		if t.Value == math.Floor(t.Value) {
			ticks = append(ticks, t)
		}
	}
	return ticks
}
