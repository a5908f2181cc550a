package experiment

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"

	"github.com/twornn/spectral/twornn"
)

// Floor is what no method can be expected to beat: the joint fit by
// twornn.LevenbergMarquardt, started at the target's own parameters. It takes no notice
// of the rank. Only Run knows the target: its Fit errs when called by itself.
func Floor() Method {
	o := twornn.LevenbergMarquardt{}
	m := Method{
		Name:     "floor",
		Settings: fmt.Sprintf("%T%+v from the target", o, o),
		Fit: func(context.Context, iter.Seq[twornn.Sequence], int, rand.Source) (twornn.Predictor, Info, error) {
			return nil, Info{}, errors.New("experiment: the floor is fitted from the target, which only Run knows")
		},
	}
	m.knowing = func(target *twornn.Model) Method {
		told := m
		told.Fit = func(ctx context.Context, data iter.Seq[twornn.Sequence], _ int, _ rand.Source) (twornn.Predictor, Info, error) {
			f, st, err := o.Refine(ctx, target, data, nil)
			if err != nil {
				return nil, Info{}, err
			}
			return f, Info{Status: st.Status}, nil
		}
		return told
	}
	return m
}
