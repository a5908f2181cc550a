package plotting

import (
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/experiment"
)

func newTestBar(what string, total int, c *clock) (*Bar, *screen) {
	s := new(screen)
	b := NewBar(what, total)
	b.show, b.now = s.show, c.now
	return b, s
}

func TestBar(t *testing.T) {
	c := &clock{at: time.Unix(0, 0)}
	b, s := newTestBar("runs", 1000, c)
	for i := range 1001 { // 10 seconds
		b.Set(i, "TIHT_2")
		c.at = c.at.Add(10 * time.Millisecond)
	}
	if n := len(s.frames); n < 70 || n > 81 {
		t.Errorf("%d frames in 10 s, want some eight a second", n)
	}
	if got := s.frames[0][protocol.MIMETextPlain]; got != strings.Repeat("░", 30)+" 0 of 1000 runs: TIHT_2" {
		t.Errorf("the first frame is %q", got)
	}
	if got := s.frames[0][protocol.MIMETextMarkdown].(string); !strings.HasSuffix(got, `TIHT\_2`) {
		t.Errorf("the first frame in Markdown is %q", got)
	}
	n := len(s.frames)
	b.Done()
	b.Done()
	b.Set(3, "late")
	if len(s.frames) != n+1 {
		t.Fatalf("Done wrote %d lines, want 1", len(s.frames)-n)
	}
	if got := s.frames[n][protocol.MIMETextPlain]; got != strings.Repeat("█", 30)+" done 1000 of 1000 runs" {
		t.Errorf("the line that stays is %q", got)
	}
}

func TestBarLines(t *testing.T) {
	for _, c := range []struct {
		done, total int
		closed      bool
		want        string
	}{
		{5, 10, false, " 5 of 10 runs"},
		{5, 10, true, " stopped at 5 of 10 runs"},
		{5, 0, false, "5 runs"},
		{5, 0, true, "done 5 runs"},
		{-5, 10, false, " -5 of 10 runs"},
		{50, 10, true, " done 50 of 10 runs"},
		{1 << 60, 1 << 61, false, " 1152921504606846976 of 2305843009213693952 runs"},
	} {
		b := &Bar{what: "runs", done: c.done, total: c.total, closed: c.closed}
		got := b.String()
		if !strings.HasSuffix(got, c.want) {
			t.Errorf("%d of %d: %q, want %q", c.done, c.total, got, c.want)
		}
		if n := strings.Count(got, "█"); c.total > 0 && n != 30*min(max(c.done, 0), c.total)/max(1, c.total) && c.total < 1000 {
			t.Errorf("%d of %d: %d cells are full", c.done, c.total, n)
		}
	}
}

// TestBarOfAnExperiment: the line of code in the doc of Bar.
func TestBarOfAnExperiment(t *testing.T) {
	b, s := newTestBar("runs", 0, &clock{step: time.Second})
	grid := experiment.Grid{
		Tasks:   []experiment.Task{experiment.Addition()},
		Methods: []experiment.Method{experiment.LeastSquares()},
		Noises:  []float64{0.1},
		Sizes:   []int{40},
		Seeds:   experiment.Seeds(3),
	}
	progress := func(p experiment.Progress) error { return b.Of(p.Done, p.Total, p.Row.Method) }
	if _, err := experiment.Run(t.Context(), grid, experiment.RunOptions{Progress: progress}); err != nil {
		t.Fatal(err)
	}
	b.Done()
	if n := len(s.frames); n != 4 {
		t.Fatalf("%d frames for 3 runs", n)
	}
	if got := s.frames[3][protocol.MIMETextPlain].(string); !strings.HasSuffix(got, " done 3 of 3 runs") {
		t.Errorf("the line that stays is %q", got)
	}
}

func TestBarIsSilentOutsideANotebook(t *testing.T) {
	b := NewBar("runs", 2)
	b.Set(1, "")
	if err := b.Of(2, 2, ""); err != nil {
		t.Error(err)
	}
	b.Done()
}

// A fit whose steps are counted moves the bar, and the line that stays says how many there were.
func TestBarRecords(t *testing.T) {
	c := &clock{at: time.Unix(0, 0)}
	b, s := newTestBar("groups of candidates", 0, c)
	for i := range 7 {
		if err := b.Record(twornn.Progress{Stage: "contest", Iteration: i + 1}); err != nil {
			t.Fatal(err)
		}
		c.at = c.at.Add(time.Second)
	}
	b.Done()
	if got := s.frames[2][protocol.MIMETextPlain].(string); !strings.Contains(got, "3") || !strings.Contains(got, "contest") {
		t.Errorf("the third frame is %q", got)
	}
	if got := s.frames[len(s.frames)-1][protocol.MIMETextPlain].(string); !strings.Contains(got, "7 groups of candidates") {
		t.Errorf("what stays is %q", got)
	}
}
