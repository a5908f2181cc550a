package experiment

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
)

// Task is what is learnt, and from which data.
type Task struct {
	// Name tells tasks apart in rows; the random numbers of the data depend on it.
	Name string
	// Target returns the model to be learnt. It must depend on the seed alone.
	Target func(seed uint64) (*twornn.Model, error)
	// Draw draws n sequences of a length with the target's outputs and noise added, a
	// standard deviation. Nil means datasets.FromModel: inputs N(0, I). A cache does not
	// see what it does: if it changes, change Name.
	Draw func(target *twornn.Model, n, length int, noise float64, src rand.Source) iter.Seq[twornn.Sequence]
	// L gives the lengths L, 2L and 2L+1 of the training sequences. Zero means 2.
	L int
	// Shared adds the same draw of the noise to all outputs of a sequence, as the
	// authors' code does. False means independent draws.
	Shared bool
	// NoisyTest adds the noise to the test targets too. False means exact targets.
	NoisyTest bool
	// Test and TestLength are the number and length of the test sequences. Zero means
	// 1000 and 6.
	Test, TestLength int
}

// Random is the paper's first experiment by its text: a 2-RNN with 5 states, 3 inputs
// and 2 outputs, its entries N(0, 0.2), a new one for every seed.
func Random() Task {
	return Task{Name: "random", Target: func(seed uint64) (*twornn.Model, error) {
		return twornn.Random(5, 3, 2, math.Sqrt(0.2), stream("random target", seed)), nil
	}}
}

// RandomCode is Random as the authors' code draws the target: entries with standard
// deviation 0.2, then h₀ divided by ten times the mean squared output after 4 steps.
// The mean is the exact one over inputs N(0, I), where the code has a sample's.
func RandomCode() Task {
	return Task{Name: "random-code", Target: func(seed uint64) (*twornn.Model, error) {
		m := twornn.Random(5, 3, 2, 0.2, stream("random-code target", seed))
		m.H0.ScaleVec(1/(10*meanSquare(m, 4)), m.H0)
		return m, nil
	}}
}

// Addition is the paper's second experiment: the sum of the running differences
// Σ_t (x_2 − x_1) from inputs (1, x_1, x_2).
func Addition() Task {
	return Task{
		Name:   "addition",
		Target: func(uint64) (*twornn.Model, error) { return datasets.AdditionModel(), nil },
		Draw: func(_ *twornn.Model, n, length int, noise float64, src rand.Source) iter.Seq[twornn.Sequence] {
			return datasets.Addition(n, length, noise, src)
		},
	}
}

// Models is the task of learning given models, seed s the one at index s. Other seeds
// give rows with an error.
func Models(name string, models []*twornn.Model) Task {
	return Task{Name: name, Target: func(seed uint64) (*twornn.Model, error) {
		if seed >= uint64(len(models)) {
			return nil, fmt.Errorf("experiment: task %s has models for seeds 0 to %d, none for seed %d", name, len(models)-1, seed)
		}
		return models[seed], nil
	}}
}

// Data are the sequences of one run.
type Data struct {
	Target      *twornn.Model
	Train, Test []twornn.Sequence // Train: those of length L, then 2L, then 2L+1
}

// Data draws the n training sequences of each length and the test sequences. They
// depend on the name of the task, the noise, n and the seed alone. The test inputs are
// the same for every n and noise. It errs if there is no target for the seed, and
// panics if n or the noise is negative.
func (t Task) Data(noise float64, n int, seed uint64) (*Data, error) {
	target, err := t.Target(seed)
	if err != nil {
		return nil, err
	}
	t = t.filled()
	d := &Data{Target: target}
	for _, l := range []int{t.L, 2 * t.L, 2*t.L + 1} {
		set, err := t.set(target, n, l, noise, stream(t.Name, "train", n, seed, l))
		if err != nil {
			return nil, err
		}
		d.Train = append(d.Train, set...)
	}
	if !t.NoisyTest {
		noise = 0
	}
	d.Test, err = t.set(target, t.Test, t.TestLength, noise, stream(t.Name, "test", seed))
	return d, err
}

func (t Task) filled() Task {
	for _, f := range []struct {
		v   *int
		def int
	}{{&t.L, 2}, {&t.Test, 1000}, {&t.TestLength, 6}} {
		if *f.v == 0 {
			*f.v = f.def
		}
	}
	if t.Draw == nil {
		t.Draw = datasets.FromModel
	}
	return t
}

func (t Task) set(target *twornn.Model, n, length int, noise float64, src rand.Source) ([]twornn.Sequence, error) {
	independent := noise
	if t.Shared {
		independent = 0
	}
	set := make([]twornn.Sequence, 0, n)
	for s := range t.Draw(target, n, length, independent, src) {
		if s.Err != nil {
			return nil, s.Err
		}
		set = append(set, s)
	}
	if t.Shared {
		rnd := rand.New(src) // Draw has taken its seed from it and is done
		for _, s := range set {
			e := noise * rnd.NormFloat64()
			s.Y.Apply(func(_, _ int, v float64) float64 { return v + e }, s.Y)
		}
	}
	return set, nil
}

// key describes everything in t that the data depend on, but for Draw.
func (t Task) key(target *twornn.Model) string {
	t = t.filled()
	return fmt.Sprintf("task %q L %d shared %t test %d×%d noisy %t target %s",
		t.Name, t.L, t.Shared, t.Test, t.TestLength, t.NoisyTest, fingerprint(target))
}

// fingerprint is a hash of the parameters of m, bit by bit.
func fingerprint(m *twornn.Model) string {
	n, d, p := m.Dims()
	numbers := []float64{float64(n), float64(d), float64(p)}
	add := func(a mat.Matrix) {
		r, c := a.Dims()
		for i := range r {
			for j := range c {
				numbers = append(numbers, a.At(i, j))
			}
		}
	}
	add(m.H0)
	for _, a := range m.A {
		add(a)
	}
	add(m.Omega)
	h := sha256.New()
	if err := binary.Write(h, binary.LittleEndian, numbers); err != nil {
		panic(err) // a hash takes whatever is written
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// meanSquare returns E‖y_k‖²/p over inputs N(0, I), exactly: with M_t = E h_t h_tᵀ,
// M_t = Σ_i A[i]ᵀ M_{t−1} A[i].
func meanSquare(m *twornn.Model, k int) float64 {
	n, _, p := m.Dims()
	M := mat.NewDense(n, n, nil)
	M.Outer(1, m.H0, m.H0)
	for range k {
		next := mat.NewDense(n, n, nil)
		for _, a := range m.A {
			var s mat.Dense
			s.Product(a.T(), M, a)
			next.Add(next, &s)
		}
		M = next
	}
	var y mat.Dense
	y.Product(m.Omega, M, m.Omega.T())
	return mat.Trace(&y) / float64(p)
}

// stream returns the random numbers that belong to a description.
func stream(description ...any) rand.Source {
	h := sha256.Sum256(fmt.Appendf(nil, "%#v", description))
	return rand.NewPCG(binary.LittleEndian.Uint64(h[:8]), binary.LittleEndian.Uint64(h[8:16]))
}
