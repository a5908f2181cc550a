package words

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/twornn/spectral/datasets"
)

// pautomac reads a problem beside the repository: the training words, the words of the test, and their
// true probabilities as logarithms.
func pautomac(t *testing.T, id string) (train, test *datasets.Words, truth func([]int) float64) {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "data", "pautomac")
	read := func(name string) *datasets.Words {
		f, err := os.Open(filepath.Join(dir, id+".pautomac."+name))
		if err != nil {
			t.Skip("the words of the PAutomaC competition, for research alone, are not beside the repository")
		}
		defer f.Close()
		w, err := datasets.ReadPAutomaC(f)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	train, test = read("train"), read("test")
	text, err := os.ReadFile(filepath.Join(dir, id+".pautomac_solution.txt"))
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Fields(string(text))[1:]
	logs := make(map[string]float64, len(values))
	k := 0
	for w := range test.All() {
		p, err := strconv.ParseFloat(values[k], 64)
		if err != nil {
			t.Fatal(err)
		}
		logs[key(w)] = math.Log(p)
		k++
	}
	return train, test, func(w []int) float64 { return logs[key(w)] }
}

// TestPAutomaC: problem 24 by merging alone, which takes a second: within a thousandth of
// the true machine's perplexity; and the machine's file has the solution's probabilities.
func TestPAutomaC(t *testing.T) {
	train, test, truth := pautomac(t, "24")
	a, err := Fit(t.Context(), train, Options{Starts: -1})
	if err != nil {
		t.Fatal(err)
	}
	if r := Perplexity(test.All(), truth, a.LogProb) / Perplexity(test.All(), truth, truth); !(r < 1.001) {
		t.Errorf("%v times the least perplexity: %v", r, a)
	}
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", "pautomac", "24.pautomac_model.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := ReadModel(f)
	if err != nil {
		t.Fatal(err)
	}
	total := math.Inf(-1)
	for w := range test.All() {
		total = logSum([]float64{total, m.LogProb(w)})
	}
	for w := range test.All() {
		if d := m.LogProb(w) - total - truth(w); math.Abs(d) > 1e-9 {
			t.Fatalf("%v: the machine's probability is e^%v times the solution's", w, d)
		}
	}
}

// TestPAutomaCModels: the file of every machine is read.
func TestPAutomaCModels(t *testing.T) {
	names, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "data", "pautomac", "*_model.txt"))
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadModel(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		f.Close()
	}
}

// TestPAutomaCAll: every problem with nothing set, some minutes: no word without
// probability, none above 1.01 times the least perplexity, 1.003 in the mean.
func TestPAutomaCAll(t *testing.T) {
	if os.Getenv("TWORNN_FULL") != "1" {
		t.Skip("all problems take minutes: set TWORNN_FULL=1")
	}
	mean, n := 0.0, 0.0
	for _, id := range []string{"1", "3", "14", "15", "24", "26", "29", "30"} {
		train, test, truth := pautomac(t, id)
		a, err := Fit(t.Context(), train, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for w := range test.All() {
			if l := a.LogProb(w); math.IsNaN(l) || math.IsInf(l, 0) {
				t.Fatalf("problem %s: %v has log probability %v", id, w, l)
			}
		}
		least, got := Perplexity(test.All(), truth, truth), Perplexity(test.All(), truth, a.LogProb)
		t.Logf("problem %2s: %.4f, the machine's %.4f, %.5f times", id, got, least, got/least)
		if got/least > 1.01 {
			t.Errorf("problem %s: %v", id, a)
		}
		mean += math.Log(got / least)
		n++
	}
	if mean = math.Exp(mean / n); mean > 1.003 {
		t.Errorf("the geometric mean is %v", mean)
	}
}
