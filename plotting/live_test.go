package plotting

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/twornn/spectral/twornn"
)

// clock is a time that tests set. It goes on by step each time it is read.
type clock struct {
	mu   sync.Mutex
	at   time.Time
	step time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(c.step)
	return c.at
}

// screen keeps what is shown.
type screen struct {
	mu     sync.Mutex
	frames []map[protocol.MIMEType]any
}

func (s *screen) show(data map[protocol.MIMEType]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frames = append(s.frames, data)
}

func newTestLive(c *clock) (*Live, *screen) {
	s := new(screen)
	l := NewLive("t")
	l.show, l.now = s.show, c.now
	return l, s
}

func TestLiveIsThrottled(t *testing.T) {
	c := &clock{at: time.Unix(0, 0)}
	l, s := newTestLive(c)
	for i := range 200 { // 2 seconds
		if err := l.Record(twornn.Progress{Stage: "recover", Length: 5, Iteration: i + 1, Residual: 1 / float64(i+1)}); err != nil {
			t.Fatal(err)
		}
		c.at = c.at.Add(10 * time.Millisecond)
	}
	if n := len(s.frames); n < 14 || n > 17 {
		t.Errorf("%d frames in 2 s, want some eight a second", n)
	}
	n := len(s.frames)
	l.Done()
	l.Done()
	_ = l.Record(twornn.Progress{Stage: "recover", Length: 5, Iteration: 1001, Residual: 1})
	if len(s.frames) != n+1 {
		t.Errorf("Done drew %d frames, want 1", len(s.frames)-n)
	}
	b, ok := s.frames[n][protocol.MIMEImagePNG].([]byte)
	if !ok || len(s.frames[n]) != 1 {
		t.Fatalf("the last frame is %T, want a picture alone", s.frames[n][protocol.MIMEImagePNG])
	}
	if _, err := png.Decode(bytes.NewReader(b)); err != nil {
		t.Error(err)
	}
}

// TestLiveLeavesTimeForTheFit: where drawing is slow, it takes a third of the time.
func TestLiveLeavesTimeForTheFit(t *testing.T) {
	c := &clock{at: time.Unix(0, 0), step: 50 * time.Millisecond}
	l, s := newTestLive(c)
	l.Record(twornn.Progress{Iteration: 1, Residual: 1})
	if d := l.next.Sub(c.at); len(s.frames) != 1 || d < 100*time.Millisecond {
		t.Errorf("the next frame is due %v after one that took 50 ms or more, want twice as long", d)
	}
}

func TestLiveFigure(t *testing.T) {
	l, _ := newTestLive(&clock{})
	for i := 1; i <= 40; i++ {
		for _, length := range []int{2, 4} {
			l.note(twornn.Progress{Stage: "recover", Length: length, Iteration: i, Residual: math.Pow(10, -float64(i)/10)})
		}
	}
	l.note(twornn.Progress{Stage: "refine", Iteration: 1, Residual: 0.5})
	p, err := l.figure()
	if err != nil {
		t.Fatal(err)
	}
	if p.Y.Min != -4 || p.Y.Max != 0 {
		t.Errorf("the axis goes from 10^%g to 10^%g, want 1e-4 to 1", p.Y.Min, p.Y.Max)
	}
	for _, k := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if k.Value > 40 {
			t.Errorf("iteration %g is marked, of 40", k.Value)
		}
	}
	if p.X.Max != 40 {
		t.Errorf("the axis ends at %g, of 40 iterations", p.X.Max)
	}
	if got := l.traces[1].String(); got != "recover H(4): 0.0001" {
		t.Errorf("the legend says %q", got)
	}
	if len(l.traces) != 3 || l.traces[2].length != 0 {
		t.Errorf("%d lines, want one a stage and length", len(l.traces))
	}
}

func TestLiveOfBadData(t *testing.T) {
	for name, v := range map[string][]float64{
		"none":     nil,
		"zero":     {0, 0},
		"NaN":      {math.NaN()},
		"Inf":      {math.Inf(1), 1},
		"huge":     {1e308, 5e-324},
		"negative": {-1},
		"wide":     {1e-200, 1e200},
		"one":      {1},
		"constant": {0.3, 0.3},
	} {
		l, s := newTestLive(&clock{})
		for i, r := range v {
			_ = l.Record(twornn.Progress{Stage: "recover", Iteration: i + 1, Residual: r})
		}
		l.Done()
		if v == nil {
			if len(s.frames) > 0 {
				t.Errorf("%s: something was shown", name)
			}
			continue
		}
		last := s.frames[len(s.frames)-1]
		_, picture := last[protocol.MIMEImagePNG]
		text, _ := last[protocol.MIMETextMarkdown].(string)
		some := name == "Inf" || name == "wide" || name == "one" || name == "constant"
		if picture != some || picture == strings.Contains(text, "no iteration") {
			t.Errorf("%s: picture %v, text %q", name, picture, text)
		}
	}
}

func TestLiveOfManyLines(t *testing.T) {
	l, _ := newTestLive(&clock{})
	for i := range 1000 {
		l.note(twornn.Progress{Length: i, Iteration: 1, Residual: 1})
	}
	if len(l.traces) != mostLines || l.more != 1000-mostLines {
		t.Errorf("%d lines and %d left out", len(l.traces), l.more)
	}
	if err := second(l.figure()); err != nil {
		t.Error(err)
	}
}

func TestLiveByManyGoroutines(t *testing.T) {
	l, s := newTestLive(&clock{step: 10 * time.Millisecond})
	var all sync.WaitGroup
	for k := range 4 {
		all.Go(func() {
			for i := range 50 {
				_ = l.Record(twornn.Progress{Length: k, Iteration: i + 1, Residual: 1})
			}
		})
	}
	all.Wait()
	l.Done()
	total := 0
	for _, h := range l.traces {
		total += h.count
	}
	if total != 200 || len(s.frames) == 0 {
		t.Errorf("%d iterations noted of 200, %d frames", total, len(s.frames))
	}
}

func TestLiveIsSilentOutsideANotebook(t *testing.T) {
	l := NewLive("t")
	_ = l.Record(twornn.Progress{Iteration: 1, Residual: 1})
	l.Done()
	if len(l.traces) != 0 {
		t.Error("a silent Live keeps a history")
	}
}
