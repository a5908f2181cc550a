package experiment

import (
	"math"
	"reflect"
	"testing"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
)

func data(t *testing.T, task Task, noise float64, n int, seed uint64) *Data {
	t.Helper()
	d, err := task.Data(noise, n, seed)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDataShapes(t *testing.T) {
	const n = 7
	for _, task := range []Task{Random(), RandomCode(), Addition()} {
		d := data(t, task, 0.5, n, 3)
		rank, in, out := d.Target.Dims()
		want := [3]int{5, 3, 2}
		if task.Name == "addition" {
			want = [3]int{2, 3, 1}
		}
		if got := [3]int{rank, in, out}; got != want {
			t.Errorf("%s: n, d, p = %v, want %v", task.Name, got, want)
		}
		if len(d.Train) != 3*n || len(d.Test) != 1000 {
			t.Fatalf("%s: %d and %d sequences", task.Name, len(d.Train), len(d.Test))
		}
		for i, s := range d.Train {
			if want := []int{2, 4, 5}[i/n]; s.Len() != want {
				t.Errorf("%s: sequence %d has length %d, want %d", task.Name, i, s.Len(), want)
			}
		}
		for i, s := range d.Test {
			y := d.Target.Predict(nil, s.X)
			for j := range y {
				// The sums of the two ways to compute y differ in their order.
				if s.Len() != 6 || math.Abs(y[j]-s.Y.At(0, j)) > 1e-12*(1+math.Abs(y[j])) {
					t.Fatalf("%s: test sequence %d is not the target's output after 6 steps", task.Name, i)
				}
			}
			if task.Name == "addition" && s.X.At(3, 0) != 1 {
				t.Fatal("addition: input 0 is not 1")
			}
		}
	}
}

// residuals returns the noise: a row for each training sequence, a column for each output.
func residuals(d *Data) [][]float64 {
	var e [][]float64
	for _, s := range d.Train {
		y := d.Target.Predict(nil, s.X)
		for j := range y {
			y[j] = s.Y.At(0, j) - y[j]
		}
		e = append(e, y)
	}
	return e
}

func TestNoise(t *testing.T) {
	const noise, n = 0.3, 5000
	for _, shared := range []bool{false, true} {
		task := Random()
		task.Shared = shared
		var sum, mean [2]float64
		var cross float64
		for _, e := range residuals(data(t, task, noise, n, 1)) {
			for j, v := range e {
				mean[j] += v / (3 * n)
				sum[j] += v * v / (3 * n)
			}
			cross += e[0] * e[1] / (3 * n)
			if shared && math.Abs(e[0]-e[1]) > 1e-10 {
				t.Fatalf("shared noise differs: %v", e)
			}
		}
		for j := range sum {
			// Of 15,000 squares the mean is within √(2/15000) = 1.2%, of 15,000 draws
			// within 0.0024; four of these.
			if math.Abs(sum[j]/(noise*noise)-1) > 0.047 || math.Abs(mean[j]) > 0.01 {
				t.Errorf("shared %t: output %d: noise of mean %v and variance %v, want 0 and %v", shared, j, mean[j], sum[j], noise*noise)
			}
		}
		// Products of independent draws have deviation 0.09/√15000 = 0.0007.
		if !shared && math.Abs(cross) > 0.003 {
			t.Errorf("independent noise has covariance %v", cross)
		}
	}
}

func TestNoisyTest(t *testing.T) {
	task := Addition()
	exact := data(t, task, 0.5, 1, 1)
	task.NoisyTest = true
	noisy := data(t, task, 0.5, 1, 1)
	var sum float64
	for i, s := range noisy.Test {
		e := s.Y.At(0, 0) - exact.Test[i].Y.At(0, 0)
		sum += e * e / 1000
	}
	if math.Abs(sum/0.25-1) > 4*math.Sqrt(2.0/1000) {
		t.Errorf("test noise has variance %v, want 0.25", sum)
	}
}

// Across noises the inputs are the same; across sizes, seeds and tasks all is new.
func TestDataStreams(t *testing.T) {
	first := func(task Task, noise float64, n int, seed uint64) float64 {
		return data(t, task, noise, n, seed).Train[0].X.At(0, 1)
	}
	base := first(Random(), 0.1, 20, 0)
	if first(Random(), 1, 20, 0) != base {
		t.Error("the inputs change with the noise")
	}
	for what, x := range map[string]float64{
		"size": first(Random(), 0.1, 21, 0), "seed": first(Random(), 0.1, 20, 1), "task": first(RandomCode(), 0.1, 20, 0),
	} {
		if x == base {
			t.Errorf("the inputs are the same for another %s", what)
		}
	}
	a, b := data(t, Random(), 0.1, 20, 0), data(t, Random(), 1, 500, 0)
	if !reflect.DeepEqual(a.Test, b.Test) {
		t.Error("the test set changes with noise or size")
	}
	x := data(t, Addition(), 0.1, 2, 0).Train
	if reflect.DeepEqual(x[0].X.RawRowView(0), x[2].X.RawRowView(0)) {
		t.Error("sequences of different lengths have the same inputs")
	}
}

func TestRandomTargets(t *testing.T) {
	// The text's entries have variance 0.2: over 50 targets of 90 numbers, 4,500 draws.
	var sum float64
	count := 0.0
	for seed := range uint64(50) {
		m, err := Random().Target(seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range m.A {
			for i := range 5 {
				for j := range 5 {
					sum += a.At(i, j) * a.At(i, j)
					count++
				}
			}
		}
	}
	if v := sum / count; math.Abs(v/0.2-1) > 4*math.Sqrt(2/count) {
		t.Errorf("entries have variance %v, want 0.2", v)
	}
	// The code's: dividing by 10 q turns a mean square of q into 1/(100 q).
	m, _ := RandomCode().Target(4)
	before := twornn.Random(5, 3, 2, 0.2, stream("random-code target", uint64(4)))
	if q, r := meanSquare(before, 4), meanSquare(m, 4); math.Abs(100*q*r-1) > 1e-10 {
		t.Errorf("mean square %v became %v, want %v", q, r, 1/(100*q))
	}
}

// meanSquare against a sample's, and against what is known: for addition E y_k² = 2k,
// each input having variance 1.
func TestMeanSquare(t *testing.T) {
	m, err := Random().Target(0)
	if err != nil {
		t.Fatal(err)
	}
	const n = 20000
	var sum, squares float64
	for s := range datasets.FromModel(m, n, 4, 0, stream("test")) {
		q := (s.Y.At(0, 0)*s.Y.At(0, 0) + s.Y.At(0, 1)*s.Y.At(0, 1)) / 2
		sum += q / n
		squares += q * q / n
	}
	if e := math.Sqrt((squares - sum*sum) / n); math.Abs(sum-meanSquare(m, 4)) > 4*e {
		t.Errorf("sample %v ± %v, exact %v", sum, e, meanSquare(m, 4))
	}
}

func TestModels(t *testing.T) {
	task := Models("one", []*twornn.Model{datasets.AdditionModel()})
	if m, err := task.Target(0); err != nil || m.H0.Len() != 2 {
		t.Error(m, err)
	}
	if _, err := task.Data(0, 1, 1); err == nil {
		t.Error("a model for seed 1 came from nowhere")
	}
}
