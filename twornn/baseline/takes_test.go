package baseline

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

// list yields the sequences.
func list(s ...twornn.Sequence) iter.Seq[twornn.Sequence] {
	return func(yield func(twornn.Sequence) bool) {
		for _, s := range s {
			if !yield(s) {
				return
			}
		}
	}
}

// steps returns a sequence of k steps with d inputs and p outputs, all ones.
func steps(k, d, p int) twornn.Sequence {
	ones := func(_, _ int, _ float64) float64 { return 1 }
	s := twornn.Sequence{Y: mat.NewDense(1, p, nil)}
	s.Y.Apply(ones, s.Y)
	if k > 0 {
		s.X = mat.NewDense(k, d, nil)
		s.X.Apply(ones, s.X)
	}
	return s
}

// TestTakes: each baseline is scored on data it was not made for, and is not fitted:
// one error that names the sizes, and no panic.
func TestTakes(t *testing.T) {
	var noVAR *VAR
	var noNetwork *Network
	v := &VAR{2, mat.NewDense(2, 7, nil)} // 3 inputs
	nw, _ := newNetwork(lstmCell, 4, 3, 2)
	for _, c := range []struct {
		f    twornn.Predictor
		d, p int
		want string // "" is data that suit
	}{
		{Persistence{0, 2}, 3, 2, ""},
		{Persistence{0, 2}, 3, 1, "Persistence has 2 outputs, the data have 1"},
		{Persistence{0, 2}, 2, 2, "output 2 persists column 2, the data have 2 inputs"},
		{Persistence{-1}, 2, 1, "output 1 persists column -1"},
		{Persistence(nil), 3, 2, "Persistence has 0 outputs, the data have 2"},
		{Mean{1, 2}, 3, 2, ""},
		{Mean{1, 2}, 3, 1, "Mean has 2 outputs, the data have 1"},
		{Mean(nil), 3, 1, "Mean has 0 outputs"},
		{v, 3, 2, ""},
		{v, 4, 2, "the VAR has 3 inputs and 2 outputs, the data have 4 and 2"},
		{v, 3, 1, "the VAR has 3 inputs and 2 outputs, the data have 3 and 1"},
		{&VAR{}, 3, 2, "not fitted"},
		{&VAR{3, v.C}, 2, 2, ""},
		{&VAR{5, v.C}, 2, 2, "7 columns, which does not suit its order 5"},
		{&VAR{0, v.C}, 2, 2, "7 columns, which does not suit its order 0"},
		{noVAR, 3, 2, "not fitted"},
		{nw, 3, 2, ""},
		{nw, 2, 2, "the network has 3 inputs and 2 outputs, the data have 2 and 2"},
		{nw, 3, 3, "the network has 3 inputs and 2 outputs, the data have 3 and 3"},
		{&Network{}, 3, 2, "not fitted"},
		{noNetwork, 3, 2, "not fitted"},
	} {
		m := twornn.Evaluate(c.f, list(steps(4, c.d, c.p), steps(0, c.d, c.p), steps(4, c.d, c.p)))
		switch {
		case c.want == "" && m.Err != nil:
			t.Errorf("%T of %d inputs, %d outputs: %v", c.f, c.d, c.p, m.Err)
		case c.want != "" && (m.Err == nil || !strings.Contains(m.Err.Error(), c.want)):
			t.Errorf("%T of %d inputs, %d outputs: got %v, want %q", c.f, c.d, c.p, m.Err, c.want)
		}
	}
}

// TestTooShort: a sequence with fewer steps than a predictor looks back has no
// prediction. That is NaN, which Evaluate counts.
func TestTooShort(t *testing.T) {
	for _, c := range []struct {
		f    twornn.Predictor
		want int
	}{
		{Persistence{0, 2}, 2},
		{&VAR{2, mat.NewDense(2, 7, nil)}, 4},
		{Mean{1, 2}, 0},
	} {
		m := twornn.Evaluate(c.f, list(steps(0, 3, 2), steps(1, 3, 2), steps(2, 3, 2)))
		if m.Err != nil || m.NonFinite != c.want {
			t.Errorf("%T: %d predictions are not finite, want %d; %v", c.f, m.NonFinite, c.want, m.Err)
		}
	}
}

// TestVARChecksTheSequence: what is wrong is named by where it is in the sequence, not
// in the lagged inputs, and is found even where the VAR does not look.
func TestVARChecksTheSequence(t *testing.T) {
	at := func(i, j int) twornn.Sequence {
		s := steps(4, 3, 2)
		s.X.Set(i, j, math.NaN())
		return s
	}
	for _, c := range []struct {
		order int
		s     twornn.Sequence
		want  string
	}{
		{1, twornn.Sequence{X: mat.NewDense(4, 3, nil)}, "sequence 2: it has no output Y"},
		{3, at(2, 1), "sequence 2: input 2 of step 3 is NaN"},
		{1, at(0, 2), "sequence 2: input 3 of step 1 is NaN"},
		{1, twornn.Sequence{X: mat.NewDense(4, 3, nil), Y: mat.NewDense(2, 2, nil)}, "sequence 2: it has 2 rows of Y for 4 steps"},
		{2, steps(4, 2, 2), "sequence 2 has 2 inputs, those before it 3"},
		{2, steps(4, 3, 1), "sequence 2 has 1 output, those before it 2"},
		{2, steps(1, 3, 2), "sequence 2 has 1 step; a VAR of order 2 needs at least as many"},
		{2, steps(0, 3, 2), "sequence 2 has 0 steps; a VAR of order 2 needs at least as many"},
		{2, twornn.Sequence{Err: fmt.Errorf("file broke off")}, "file broke off"},
	} {
		if _, err := FitVAR(list(steps(4, 3, 2), c.s, steps(4, 3, 2)), c.order); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("order %d: got %v, want %q", c.order, err, c.want)
		}
	}
}

// TestLargeOffset: the offset of the data changes a network's predictions by just
// that, to the digits that the offset leaves in the data.
func TestLargeOffset(t *testing.T) {
	shifted := func(offset float64) iter.Seq[twornn.Sequence] {
		return func(yield func(twornn.Sequence) bool) {
			rnd := rand.New(rand.NewPCG(3, 4))
			for range 60 {
				s := steps(3, 2, 1)
				s.X.Apply(func(_, _ int, _ float64) float64 { return offset + rnd.NormFloat64() }, s.X)
				s.Y.Set(0, 0, offset+s.X.At(2, 0)-offset+0.1*rnd.NormFloat64())
				if !yield(s) {
					return
				}
			}
		}
	}
	predictions := func(offset float64) []float64 {
		nw, _, err := FitLSTM(t.Context(), shifted(offset), LSTM{Units: 4, Epochs: 50, LearningRate: 0.02, Batch: 20}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var y []float64
		for s := range shifted(offset) {
			y = append(y, nw.Predict(nil, s.X)[0]-offset)
		}
		return y
	}
	want := predictions(0)
	for _, offset := range []float64{1e8, 1e9} {
		// At 1e9 a number of 16 digits ends in units of 1e-7; training magnifies that.
		if got := predictions(offset); !near(got, want, 1e-3) {
			t.Errorf("at an offset of %g: predictions %.4f, without %.4f", offset, got[:4], want[:4])
		}
	}
}

// TestNilData: a nil source of sequences is an error.
func TestNilData(t *testing.T) {
	_, mean := FitMean(nil)
	_, vector := FitVAR(nil, 1)
	_, _, rnn := FitRNN(t.Context(), nil, RNN{}, nil)
	_, _, lstm := FitLSTM(t.Context(), nil, LSTM{}, nil)
	for i, err := range []error{mean, vector, rnn, lstm} {
		if err == nil || !strings.Contains(err.Error(), "the source of sequences is nil") {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// TestTooManyUnits: more units than there is memory for are an error before any is taken, and the number
// that it names is the most that pass.
func TestTooManyUnits(t *testing.T) {
	data := list(steps(3, 2, 1), steps(3, 2, 1))
	for _, units := range []int{30_000, 1_000_000_000, math.MaxInt} {
		_, _, err := FitLSTM(t.Context(), data, LSTM{Units: units}, nil)
		_, _, errRNN := FitRNN(t.Context(), data, RNN{Units: units}, nil)
		for _, err := range []error{err, errRNN} {
			if err == nil || !strings.Contains(err.Error(), "of memory") || !strings.Contains(err.Error(), "training may take 4 GB") {
				t.Fatalf("%d units: %v", units, err)
			}
		}
		var most int
		if _, scan := fmt.Sscanf(err.Error()[strings.LastIndex(err.Error(), "give"):], "give %d or fewer", &most); scan != nil {
			t.Fatal(err)
		}
		set, err := readExamples(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		if err := (LSTM{Units: most, Batch: 100}).checkRoom(lstmCell, set); err != nil {
			t.Errorf("%d units, as named: %v", most, err)
		}
		if err := (LSTM{Units: most + 1, Batch: 100}).checkRoom(lstmCell, set); err == nil || most < 1000 {
			t.Errorf("%d units are not the most", most)
		}
	}
}

// TestRoom: what a fit is said to take is what it takes, give or take a tenth.
func TestRoom(t *testing.T) {
	set, err := readExamples(t.Context(), list(steps(50, 2, 1), steps(70, 2, 1)))
	if err != nil {
		t.Fatal(err)
	}
	set.split(0)
	for _, cells := range []int{plainCell, lstmCell} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		newTrainer(set, LSTM{Units: 200}.filled(), cells)
		runtime.ReadMemStats(&after)
		taken, want := float64(after.TotalAlloc-before.TotalAlloc), LSTM{Units: 200}.filled().bytes(200, cells, set)
		if !(math.Abs(taken-want) < 0.1*want) {
			t.Errorf("%v bytes, said to be %v", taken, want)
		}
	}
}
