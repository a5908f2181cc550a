package words

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/baseline"
)

// TestLearnNetwork: the automaton of an LSTM that was trained to tell whether the run of a's
// at the end is odd, by its answers alone, agrees with it on 99 of 100 other words.
func TestLearnNetwork(t *testing.T) {
	tk := &datasets.Tracking{Next: [][]int{{1, 0}, {0, 0}}}
	data := func(yield func(twornn.Sequence) bool) {
		for s := range tk.Sequences(200, 8, pcg(1)) {
			if !yield(twornn.Sequence{X: s.X, Y: mat.DenseCopyOf(s.Y.ColView(1))}) {
				return
			}
		}
	}
	lstm, stats, err := baseline.FitLSTM(t.Context(), data, baseline.LSTM{Units: 8, LearningRate: 0.02, Epochs: 60}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ask := UnitVectors(lstm, 2)
	label := func(w []int) []float64 {
		if ask(w)[0] > 0.5 {
			return []float64{1}
		}
		return []float64{0}
	}
	l, err := Learn(t.Context(), label, 2, Sampled(label, 2, 300, 12, 0.5, pcg(2)), QueryOptions{Tol: 1e-6, MaxStates: 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(stats, l)
	mine := UnitVectors(l, 2)
	rnd := rand.New(pcg(3))
	agree, right := 0, 0
	for range 1000 {
		w := make([]int, 1+rnd.IntN(20))
		for i := range w {
			w[i] = rnd.IntN(2)
		}
		y := label(w)[0] > 0.5
		if (mine(w)[0] > 0.5) == y {
			agree++
		}
		if states := tk.Run(w); (states[len(states)-1] == 1) == y {
			right++
		}
	}
	t.Logf("the automaton agrees on %d of 1000 words, the network is right on %d", agree, right)
	if agree < 990 {
		t.Errorf("the automaton agrees on %d of 1000 words", agree)
	}
}
