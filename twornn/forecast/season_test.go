package forecast

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/twornn/spectral/datasets"
)

// seasonsOf returns what is found where no season is given.
func seasonsOf(t *testing.T, s *datasets.Series, targets ...string) []int {
	t.Helper()
	k, err := newTask(s, Options{Targets: targets})
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRecord(s, k, nil)
	if err != nil {
		t.Fatal(err)
	}
	return findSeasons(r, k, s)
}

// TestFindSeasons: nested seasons on a trend are found, a random walk and a cycle whose
// phase drifts have none.
func TestFindSeasons(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 3))
	n := 2000
	nested, walk, cycle := make([]float64, n), make([]float64, n), make([]float64, n)
	x, phase := 0.0, 0.0
	for i := range n {
		day, week := float64(i%24), float64(i%168)
		nested[i] = 0.05*float64(i) + 3*math.Sin(2*math.Pi*day/24) + 2*math.Cos(2*math.Pi*week/168) + rnd.NormFloat64()
		x += rnd.NormFloat64()
		walk[i] = x
		phase += 2*math.Pi/9.6 + 0.3*rnd.NormFloat64()
		cycle[i] = math.Sin(phase)
	}
	s := datasets.FromColumns([]string{"nested", "walk", "cycle"}, nested, walk, cycle)
	if got := seasonsOf(t, s, "nested"); !slices.Contains(got, 24) || !slices.Contains(got, 168) {
		t.Errorf("nested: %v", got)
	}
	for _, name := range []string{"walk", "cycle"} {
		if got := seasonsOf(t, s, name); len(got) > 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestSeasonsOfWind: daily means of wind have a year, which nobody told.
func TestSeasonsOfWind(t *testing.T) {
	s := datasets.IrishWind()
	if got := seasonsOf(t, s.Between(s.Times()[0], time.Date(1976, 1, 1, 0, 0, 0, 0, time.UTC)), "DUB"); !slices.Equal(got, []int{365}) {
		t.Errorf("%v", got)
	}
}

// TestSeasonsOfPanel finds those of the training parts that the manifest names.
func TestSeasonsOfPanel(t *testing.T) {
	for _, p := range readPanel(t) {
		got := seasonsOf(t, p.series.Rows(0, p.Train), p.Targets...)
		t.Logf("%s: %v, named %d and %d", p.Name, got, p.Season, p.Season2)
		if p.Season == 0 && len(got) > 0 {
			t.Errorf("%s has no season, found %v", p.Name, got)
		}
	}
}
