package twornn

import (
	"context"

	"github.com/twornn/spectral/twornn/internal/stop"
	"github.com/twornn/spectral/twornn/tt"
)

// recovering returns what a recovery returns, within a moment of the end of ctx: see stop.Within.
// After that end rec is told of nothing more.
func recovering(ctx context.Context, rec Recorder, f func(rec Recorder) (*tt.Tensor, Stats, error)) (*tt.Tensor, Stats, error) {
	type recovered struct {
		h  *tt.Tensor
		st Stats
	}
	r, err := stop.Within(ctx, func() (recovered, error) {
		h, st, err := f(whileRunning(ctx, rec))
		return recovered{h, st}, err
	})
	if r.h == nil && err != nil && ctx.Err() != nil {
		r.st.Status = Stopped
	}
	return r.h, r.st, err
}

// refining is the same for what refines a model.
func refining[M any](ctx context.Context, rec Recorder, f func(rec Recorder) (M, Stats, error)) (M, Stats, error) {
	type refined struct {
		m  M
		st Stats
	}
	r, err := stop.Within(ctx, func() (refined, error) {
		m, st, err := f(whileRunning(ctx, rec))
		return refined{m, st}, err
	})
	return r.m, r.st, err
}

// bounded tells a Recorder of nothing once ctx has ended: what was left behind shall not call it.
type bounded struct {
	ctx context.Context
	rec Recorder
}

// Record implements Recorder.
func (b bounded) Record(p Progress) error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	return b.rec.Record(p)
}

// whileRunning returns rec, silent once ctx has ended.
func whileRunning(ctx context.Context, rec Recorder) Recorder {
	if rec == nil {
		return nil
	}
	return bounded{ctx, rec}
}
