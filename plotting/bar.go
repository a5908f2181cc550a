package plotting

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/twornn/spectral/twornn"
)

// Bar is a progress bar, one line of the notebook that is written anew in its place,
// some eight times a second at most. What stays says how many of how many are done, and
// nothing that another run would change. Outside a notebook it is silent. Several
// goroutines may use one Bar. For an experiment:
//
//	bar := plotting.NewBar("runs", 0)
//	defer bar.Done()
//	progress := func(p experiment.Progress) error { return bar.Of(p.Done, p.Total, p.Row.Method) }
//	rows := must(experiment.Run(ctx, grid, experiment.RunOptions{Progress: progress}))
type Bar struct {
	what string
	show func(data map[protocol.MIMEType]any) // nil: silent
	now  func() time.Time

	mu          sync.Mutex
	done, total int
	note        string
	next        time.Time
	closed      bool
}

// NewBar returns a bar for a number of things, named in the plural. Total 0 means that
// it is not known yet: see Of.
func NewBar(what string, total int) *Bar {
	return &Bar{what: what, total: total, show: block(), now: time.Now}
}

// Set says how many are done, with a note such as what is at hand, which is shown until
// Done. It may be called as often as one likes.
func (b *Bar) Set(done int, note string) {
	if b.show == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.set(done, note)
}

// Of is Set for a bar whose total is told at every step. It returns nil, so that it may
// end a function that reports progress.
func (b *Bar) Of(done, total int, note string) error {
	if b.show == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.total = total
	b.set(done, note)
	return nil
}

func (b *Bar) set(done int, note string) {
	b.done, b.note = done, note
	if now := b.now(); !b.closed && !now.Before(b.next) {
		b.draw()
		b.next = now.Add(frameTime)
	}
}

// Record makes a Bar a twornn.Recorder, for fits whose steps are counted and of which there
// is nothing to draw: it is Set with the number and the name of the step.
func (b *Bar) Record(p twornn.Progress) error {
	b.Set(p.Iteration, p.Stage)
	return nil
}

var _ twornn.Recorder = (*Bar)(nil)

// Done writes the line that stays: what is done, or where it stopped.
func (b *Bar) Done() {
	if b.show == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.closed, b.note = true, ""
	b.draw()
	if gonbui.IsNotebook {
		gonbui.Sync()
	}
}

// draw writes the line, as text and with the bar in fixed width as Markdown.
func (b *Bar) draw() {
	text := b.String()
	b.show(map[protocol.MIMEType]any{
		protocol.MIMETextPlain:    text,
		protocol.MIMETextMarkdown: escape(text),
	})
}

// String returns the line, such as "█████░░░░░ 50 of 100 runs". Call it from the
// goroutine that sets the bar.
func (b *Bar) String() string {
	const cells = 30
	var s strings.Builder
	if b.total > 0 {
		full := int(cells * (float64(min(max(b.done, 0), b.total)) / float64(b.total)))
		s.WriteString(strings.Repeat("█", full) + strings.Repeat("░", cells-full) + " ")
	}
	switch {
	case b.closed && b.total > 0 && b.done < b.total:
		fmt.Fprintf(&s, "stopped at %d of %d %s", b.done, b.total, b.what)
	case b.closed && b.total > 0:
		fmt.Fprintf(&s, "done %d of %d %s", b.done, b.total, b.what)
	case b.total > 0:
		fmt.Fprintf(&s, "%d of %d %s", b.done, b.total, b.what)
	case b.closed:
		fmt.Fprintf(&s, "done %d %s", b.done, b.what)
	default:
		fmt.Fprintf(&s, "%d %s", b.done, b.what)
	}
	if b.note != "" {
		s.WriteString(": " + strings.Join(strings.Fields(b.note), " "))
	}
	return s.String()
}
