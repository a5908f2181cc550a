package datasets

import (
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The same draws each time; -rapid.seed draws others.
func init() { _ = flag.Set("rapid.seed", "1") }

// TestEveryWindow: of a file of any rows with missing values and gaps in time, the windows
// are those stretches that have neither, each once and in order, with inputs and targets
// that are those of the file, scaled and not; and the report counts the others.
func TestEveryWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(1, 25).Draw(t, "rows"), rapid.IntRange(1, 3).Draw(t, "columns")
		// A cell is a number or missing, and before a row there may be a gap.
		cells, gaps := make([][]float64, n), make([]bool, n)
		var file strings.Builder
		file.WriteString("time")
		for j := range d {
			fmt.Fprintf(&file, ",c%d", j)
		}
		bridged := 0
		at := time.Date(2021, 5, 1, 0, 0, 0, 0, time.UTC)
		for i := range n {
			gaps[i] = 3*bridged+3 < i && rapid.IntRange(0, 9).Draw(t, "gap") == 0 // an hour stays the most common step
			if at = at.Add(time.Hour); gaps[i] {
				at = at.Add(7 * time.Hour)
				bridged++
			}
			fmt.Fprintf(&file, "\n%s", at.Format("2006-01-02 15:04"))
			cells[i] = make([]float64, d)
			for j := range d {
				if cells[i][j] = float64(rapid.IntRange(-1000, 1000).Draw(t, "value")) / 8; rapid.IntRange(0, 11).Draw(t, "missing") == 0 {
					cells[i][j] = math.NaN()
				}
				text := fmt.Sprint(cells[i][j])
				fmt.Fprintf(&file, ",%s", text)
			}
		}
		s, err := Read(strings.NewReader(file.String()+"\n"), "f.csv", CSV{})
		if err != nil {
			t.Fatalf("%v\n%s", err, file.String())
		}
		w := Window{Length: rapid.IntRange(1, 5).Draw(t, "length"), Horizon: rapid.IntRange(1, 4).Draw(t, "horizon"), Bias: rapid.Bool().Draw(t, "bias")}
		shift, target := 0, rapid.IntRange(0, d-1).Draw(t, "target")
		if w.Bias {
			shift = 1
		}
		w.Targets = []string{fmt.Sprint("c", target)}
		if rapid.Bool().Draw(t, "scaled") {
			w.Scaler = FitScaler(s)
		}
		scaled := func(v float64, j int) float64 {
			if w.Scaler == nil {
				return v
			}
			return (v - w.Scaler.Mean[j]) / w.Scaler.Std[j]
		}
		var starts []int
		for i := 0; i+w.Length+w.Horizon <= n; i++ {
			if isWhole(cells, gaps, i, w, target) {
				starts = append(starts, i)
			}
		}
		k := 0
		for q := range s.Windows(w) {
			if q.Err != nil {
				if len(starts) > 0 {
					t.Fatal(q.Err)
				}
				return
			}
			if k == len(starts) {
				t.Fatalf("more than %d windows", len(starts))
			}
			for r := range w.Length {
				if w.Bias && q.X.At(r, 0) != 1 {
					t.Fatalf("window %d has a bias of %v", k, q.X.At(r, 0))
				}
				for j := range d {
					if got, want := q.X.At(r, shift+j), scaled(cells[starts[k]+r][j], j); got != want {
						t.Fatalf("window %d, row %d, column %d: %v, want %v", k, r, j, got, want)
					}
				}
				if got, want := q.Y.At(r, 0), scaled(cells[starts[k]+r+w.Horizon][target], target); got != want {
					t.Fatalf("window %d, target of row %d: %v, want %v", k, r, got, want)
				}
			}
			k++
		}
		if k != len(starts) {
			t.Fatalf("%d windows, want %d, of\n%s", k, len(starts), file.String())
		}
	})
}

// isWhole reports whether the window that begins in row i bridges no gap and lacks neither an
// input nor a target.
func isWhole(cells [][]float64, gaps []bool, i int, w Window, target int) bool {
	for r := i; r < i+w.Length+w.Horizon; r++ {
		if r > i && gaps[r] {
			return false
		}
		for j, v := range cells[r] {
			input, output := r < i+w.Length, j == target && r >= i+w.Horizon
			if math.IsNaN(v) && (input || output) {
				return false
			}
		}
	}
	return true
}
