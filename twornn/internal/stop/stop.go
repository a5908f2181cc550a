// Package stop ends calls in time: within a moment of their context, whatever they are at.
package stop

import (
	"context"
	"fmt"
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
	if ctx.Done() == nil {
		return f()
	}
	type result struct {
		v     T
		err   error
		panic any
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() { done <- r }()
		defer func() { r.panic = recover() }()
		r.v, r.err = f()
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
			var none T
			return none, fmt.Errorf("twornn: stopped in the middle of a step that cannot be broken off, with nothing to return yet: %w", ctx.Err())
		}
	}
	if r.panic != nil {
		panic(r.panic)
	}
	return r.v, r.err
}
