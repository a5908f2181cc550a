package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// progress prints one line for each stage of a command. On a terminal, dots say
// that a long stage is alive; elsewhere whole lines do, as logs want them.
type progress struct {
	w           io.Writer
	live        bool
	stage, last int
}

func newProgress(out *os.File) *progress {
	info, err := out.Stat()
	terminal := err == nil && info.Mode()&os.ModeCharDevice != 0
	dumb := os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "" || os.Getenv("CI") != ""
	return &progress{w: out, live: terminal && !dumb}
}

// run runs a stage. The note that it returns is printed behind the time it took.
func (p *progress) run(ctx context.Context, name string, f func(context.Context) (note string, err error)) error {
	p.stage++
	fmt.Fprintf(p.w, "%d/%d %s", p.stage, p.last, name)
	if !p.live {
		fmt.Fprintln(p.w)
	}
	begin := time.Now()
	type result struct {
		note string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		note, err := f(ctx)
		done <- result{note, err}
	}()
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if p.live {
				fmt.Fprint(p.w, " .")
			} else {
				fmt.Fprintf(p.w, "    ... %.0f s\n", time.Since(begin).Seconds())
			}
		case r := <-done:
			p.finish(time.Since(begin), r.note, r.err)
			return r.err
		}
	}
}

func (p *progress) finish(took time.Duration, note string, err error) {
	word := "ok"
	if err != nil {
		word, note = "failed", ""
	}
	gap := "    "
	if p.live {
		gap = "  "
	}
	if note != "" {
		note = ", " + note
	}
	fmt.Fprintf(p.w, "%s%s %.1f s%s\n", gap, word, took.Seconds(), note)
}

// stream runs a stage that prints lines of its own.
func (p *progress) stream(name string, f func() error) error {
	p.stage++
	fmt.Fprintf(p.w, "%d/%d %s\n", p.stage, p.last, name)
	begin := time.Now()
	err := f()
	word := "ok"
	if err != nil {
		word = "failed"
	}
	fmt.Fprintf(p.w, "    %s %.1f s\n", word, time.Since(begin).Seconds())
	return err
}
