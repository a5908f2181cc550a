package words

import (
	"os"
	"testing"
	"time"

	"github.com/twornn/spectral/datasets"
)

// TestTrackingAll: every answer on 1,000 words of 10,000 symbols, learnt from the fewest words,
// and from random words of one length, as many as leave nothing out.
func TestTrackingAll(t *testing.T) {
	if os.Getenv("TWORNN_FULL") != "1" {
		t.Skip("a thousand words of 10,000 symbols for each task take minutes: set TWORNN_FULL=1")
	}
	for _, c := range []struct {
		task   *datasets.Tracking
		length int
	}{
		{datasets.RunningSum(2), 3}, {datasets.RunningSum(3), 3}, {datasets.RunningSum(5), 3}, {datasets.RunningSum(10), 3},
		{datasets.RunningSum(25), 3}, {datasets.RunningSum(50), 3},
		{datasets.RandomMachine(25, 2, pcg(1)), 15}, {datasets.RandomMachine(25, 2, pcg(2)), 15}, {datasets.RandomMachine(25, 3, pcg(3)), 15},
		{datasets.SymmetricGroup(3), 10}, {datasets.AlternatingGroup(5), 20}, {datasets.SymmetricGroup(5), 30},
	} {
		tk := c.task
		learn := func(what string, fit func() (*Machine, error)) *Machine {
			start := time.Now()
			m, err := fit()
			if err != nil {
				t.Fatal(tk.Name, err)
			}
			seconds := time.Since(start).Seconds()
			every, last := tk.Right(tk.Words(1000, 10000, pcg(9)), m.Track)
			t.Logf("%s, %s: %d words of up to %d, %.3f s, right on %g of 1000", tk.Name, what, m.Words, m.Longest, seconds, 1000*every)
			if every != 1 || last != 1 {
				t.Errorf("%s: %v", tk.Name, m)
			}
			return m
		}
		learn("fewest", func() (*Machine, error) { return FitOutputs(t.Context(), examples(tk, tk.Cover()), OutputsOptions{}) })
		n := 4
		for ; ; n += max(1, n/8) {
			m, err := FitOutputs(t.Context(), tk.Sequences(n, c.length, pcg(8)), OutputsOptions{})
			if err == nil && len(m.Missing) == 0 && m.Deterministic {
				break
			}
		}
		learn("random", func() (*Machine, error) {
			return FitOutputs(t.Context(), tk.Sequences(n, c.length, pcg(8)), OutputsOptions{})
		})
	}
}
