package stop

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestWithin: what comes back in time is returned, also when it looked at the context; what does
// not is left behind, with the reason.
func TestWithin(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	if v, err := Within(ctx, func() (int, error) { return 7, nil }); v != 7 || err != nil {
		t.Error(v, err)
	}
	started := make(chan bool)
	go func() { <-started; cancel() }()
	if v, err := Within(ctx, func() (int, error) { close(started); <-ctx.Done(); return 8, nil }); v != 8 || err != nil {
		t.Errorf("the best so far is lost: %v, %v", v, err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	hang, started := make(chan bool), make(chan bool)
	go func() { <-started; cancel() }()
	begin := time.Now()
	_, err := Within(ctx, func() (int, error) { close(started); <-hang; return 9, nil })
	if !errors.Is(err, context.Canceled) || time.Since(begin) < Grace {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
	close(hang)
}

// TestWithinPanics: a panic is the caller's.
func TestWithinPanics(t *testing.T) {
	defer func() {
		if recover() != "misuse" {
			t.Error("the panic is lost")
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, _ = Within(ctx, func() (int, error) { panic("misuse") })
}
