package baseline

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/stop"
)

// deaf is a context that ends as soon as it is looked at, by one who then hangs, as in a step
// that takes long.
type deaf struct {
	context.Context
	end    context.CancelFunc
	looked atomic.Bool
	free   chan bool
}

func (d *deaf) Err() error {
	if d.looked.CompareAndSwap(false, true) {
		d.end()
		<-d.free
	}
	return d.Context.Err()
}

// TestStops: what hangs when its context ends is left behind when stop.Grace is over, to the moment by a
// clock that goes on only where all wait.
func TestStops(t *testing.T) {
	y := make([]float64, 120)
	for i := range y {
		y[i] = float64(1 + i*i%17)
	}
	for name, fit := range map[string]func(ctx context.Context) error{
		"FitARIMA":    func(ctx context.Context) error { _, err := FitARIMA(ctx, y, Order{P: 1}); return err },
		"ChooseARIMA": func(ctx context.Context) error { _, err := ChooseARIMA(ctx, y, 0); return err },
		"FitETS":      func(ctx context.Context) error { _, err := FitETS(ctx, y, Form{}); return err },
		"ChooseETS":   func(ctx context.Context) error { _, err := ChooseETS(ctx, y, 0); return err },
		"FitAutomaton": func(ctx context.Context) error {
			_, err := FitAutomaton(ctx, y, Automaton{Horizons: []int{1}, LeastRows: 5})
			return err
		},
		"FitLSTM": func(ctx context.Context) error { _, _, err := FitLSTM(ctx, one, LSTM{}, nil); return err },
		"FitRNN":  func(ctx context.Context) error { _, _, err := FitRNN(ctx, one, RNN{}, nil); return err },
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			d, begin := &deaf{Context: ctx, end: cancel, free: make(chan bool)}, time.Now()
			err := fit(d)
			if took := time.Since(begin); !errors.Is(err, context.Canceled) || took != stop.Grace || !d.looked.Load() {
				t.Errorf("%s: %v after %v", name, err, took)
			}
			close(d.free)
		})
	}
}

// one yields a sequence.
func one(yield func(twornn.Sequence) bool) {
	yield(twornn.Sequence{X: mat.NewDense(1, 1, nil), Y: mat.NewDense(1, 1, nil)})
}
