package experiment

import (
	"context"
	"slices"
	"testing"

	"github.com/twornn/spectral/twornn"
)

// The floor is a least of the squared error next to the target: on its training data it
// errs less than the target, and on test data about as the default fit does, which is
// not told the target.
func TestFloorMethod(t *testing.T) {
	const noise, n, seed = 1.0, 160, 3
	task := Addition()
	rows, err := Run(context.Background(), Grid{
		Tasks: []Task{task}, Methods: []Method{Floor(), MaximumLikelihood()},
		Noises: []float64{noise}, Sizes: []int{n}, Seeds: []uint64{seed},
	}, RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := task.Data(noise, n, seed)
	if err != nil {
		t.Fatal(err)
	}
	floor, ml := rows[0], rows[1]
	if floor.Err != "" || ml.Err != "" {
		t.Fatal(floor, ml)
	}
	if truth := evaluate(d.Target, d.Train); !(floor.TrainMSE < truth) {
		t.Errorf("training MSE %g, the target's is %g", floor.TrainMSE, truth)
	}
	if r := ml.MSE / floor.MSE; !(r > 0.99 && r < 1.01) {
		t.Errorf("the default fit has %g times the error of the floor, %g", r, floor.MSE)
	}
	f, _, err := twornn.LevenbergMarquardt{}.Refine(context.Background(), d.Target, slices.Values(d.Train), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := evaluate(f, d.Test); floor.MSE != want {
		t.Errorf("MSE %g, by hand %g", floor.MSE, want)
	}
}

// By itself it does not know the target and says so.
func TestFloorAlone(t *testing.T) {
	d, err := Addition().Data(0.1, 20, 0)
	if err != nil {
		t.Fatal(err)
	}
	if f, _, err := Floor().Fit(context.Background(), slices.Values(d.Train), 2, nil); err == nil || f != nil {
		t.Errorf("got %v and error %v", f, err)
	}
}
