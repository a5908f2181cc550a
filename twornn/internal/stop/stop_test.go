package stop

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestWithin: what comes back in time is returned, also when it looked at the context.
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
}

// TestWithinLeavesBehind: what looks at no context is left behind when Grace is over, to the moment by
// a clock that goes on only where all wait.
func TestWithinLeavesBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		hang, begin := make(chan bool), time.Now()
		_, err := Within(ctx, func() (int, error) { cancel(); <-hang; return 9, nil })
		if took := time.Since(begin); !errors.Is(err, context.Canceled) || took != Grace {
			t.Errorf("%v after %v", err, took)
		}
		close(hang)
	})
}

// TestWithBest: what there is so far is returned where the end comes in the middle of a step, or with an
// error; an error before the end stays one.
func TestWithBest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		bad := errors.New("bad")
		if v, err := WithBest(ctx, func(sofar func(int)) (int, error) { sofar(5); return 0, bad }); v != 0 || err != bad {
			t.Errorf("before the end: %v, %v", v, err)
		}
		hang := make(chan bool)
		if v, err := WithBest(ctx, func(sofar func(int)) (int, error) { sofar(5); cancel(); <-hang; return 9, nil }); v != 5 || err != nil {
			t.Errorf("in the middle of a step: %v, %v", v, err)
		}
		close(hang)
		if v, err := WithBest(ctx, func(sofar func(int)) (int, error) { sofar(6); return 0, ctx.Err() }); v != 6 || err != nil {
			t.Errorf("with the reason of the end: %v, %v", v, err)
		}
	})
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
