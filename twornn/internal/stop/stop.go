// Package stop ends calls in time: within a moment of their context, whatever they are at.
package stop

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// Grace is how long a call may go on after its context ended, to come back with the best so far.
const Grace = 600 * time.Millisecond

// Within returns what f returns. If ctx ends before f does, f has Grace to look at ctx and come
// back by itself; what is still in a step that cannot be broken off then, such as a single
// factorisation, is left behind. It ends at the end of that step, at the next look at ctx, and what
// it holds is given back: so its cost is that of one step. Within then returns an error that wraps
// the reason of ctx. A panic of f is one of Within.
//
// f must not change what the caller may use again after the call.
func Within[T any](ctx context.Context, f func() (T, error)) (T, error) {
	return WithBest(ctx, func(func(T)) (T, error) { return f() })
}

// WithBest is Within for an f that tells what it has so far, if it is to be had soon: where ctx ends and f
// comes back with an error, or not in time, that is returned. f must not change it afterwards.
func WithBest[T any](ctx context.Context, f func(sofar func(T)) (T, error)) (T, error) {
	if ctx.Done() == nil {
		return f(func(T) {})
	}
	type result struct {
		v     T
		err   error
		panic any
	}
	var best atomic.Pointer[T]
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() { done <- r }()
		defer func() { r.panic = recover() }()
		r.v, r.err = f(func(v T) { best.Store(&v) })
	}()
	var r result
	select {
	case r = <-done:
	case <-ctx.Done():
		late := time.NewTimer(Grace)
		defer late.Stop()
		select {
		case r = <-done:
		case <-late.C:
			r.err = fmt.Errorf("twornn: stopped in the middle of a step that cannot be broken off, with nothing to return yet: give it more time, or fewer data: %w", ctx.Err())
		}
	}
	if r.panic != nil {
		panic(r.panic)
	}
	if v := best.Load(); v != nil && r.err != nil && ctx.Err() != nil {
		return *v, nil
	}
	return r.v, r.err
}
