package moments

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func numbered(i int) Example {
	return Example{X: mat.NewDense(1, 1, []float64{1}), Y: mat.NewDense(1, 1, []float64{float64(i)})}
}

func numbersOf(s Sample) (n []int) {
	for _, e := range s.Kept {
		n = append(n, int(e.Y.At(0, 0))) // inputs are in a frame
	}
	return n
}

// TestSampleIsSpread: by the three-distance theorem places whose multiples of the golden
// ratio fall into an interval are at most the sum of two neighbouring Fibonacci numbers
// apart: for one in sixteen, 13 + 21.
func TestSampleIsSpread(t *testing.T) {
	var s, a, b Sample
	for i := range 5000 {
		s.add(numbered(i), i)
		if i < 2500 {
			a.add(numbered(i), i)
		} else {
			b.add(numbered(i), i-2500)
		}
	}
	a.merge(b)
	for _, s := range []Sample{s, a} {
		if s.N != 5000 || len(s.Kept) < maxSample/2 || len(s.Kept) > maxSample {
			t.Errorf("%d kept of %d", len(s.Kept), s.N)
		}
		n := numbersOf(s)
		for i := 1; i < len(n); i++ {
			if gap := n[i] - n[i-1]; gap <= 0 || gap > 34 {
				t.Errorf("a gap of %v after %d", gap, i)
			}
		}
	}
}

// TestSampleHasNoPeriod: where only every k-th example is long, it fills up all the same.
func TestSampleHasNoPeriod(t *testing.T) {
	for _, k := range []int{2, 3, 6, 8, 64} {
		var s Sample
		for i := range 4000 {
			s.add(numbered(i), k*i+k-1)
		}
		if len(s.Kept) < maxSample/2-20 || len(s.Kept) > maxSample {
			t.Errorf("every %d-th: %d kept", k, len(s.Kept))
		}
	}
}

// TestPlacedShardsKeepWhatOnePassKeeps: sample and examples, in any order of the shards and
// of what is in them, whether or not the shards know how many there are.
func TestPlacedShardsKeepWhatOnePassKeeps(t *testing.T) {
	const n = 3000
	// 1,550 numbers each: 4.65 million in all, more than there is room for.
	x, y := mat.NewDense(50, 30, nil), mat.NewDense(50, 1, nil)
	for k := range 50 {
		x.Set(k, k%30, 1)
	}
	add := func(c *Collector, i int) {
		y.Set(0, 0, float64(i))
		if err := c.AddAt(i, Example{X: x, Y: y}); err != nil {
			t.Fatal(err)
		}
	}
	end := func(c *Collector) Set {
		s, err := c.End()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	places := func(s Set) (runs, long []int) {
		for _, r := range s.Kept().Runs {
			runs = append(runs, int(r.Y[0]))
		}
		return runs, numbersOf(s[1].Long)
	}
	plan := Plan{Lengths: []int{1}}
	whole := NewCollector(plan)
	for i := range n {
		add(whole, i)
	}
	wantRuns, wantLong := places(end(whole))
	if len(wantRuns) > n/2+64 || len(wantLong) > maxSample || len(wantLong) < maxSample/2 {
		t.Fatalf("%d and %d kept: the test cannot see", len(wantRuns), len(wantLong))
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, total := range []int{0, n} {
		for _, shards := range []int{1, 4, 64} {
			order := rnd.Perm(n)
			sum := Set{}
			for k := range shards {
				c := NewCollector(Plan{Lengths: []int{1}, Placed: true, Total: total})
				for j := k; j < n; j += shards {
					add(c, order[j])
				}
				s := end(c)
				if err := sum.Merge(s); err != nil {
					t.Fatal(err)
				}
			}
			runs, long := places(sum)
			if !slices.Equal(runs, wantRuns) || !slices.Equal(long, wantLong) || sum.Kept().N != n {
				t.Errorf("total %d, %d shards: %d examples and %d long ones kept, want %d and %d", total, shards, len(runs), len(long), len(wantRuns), len(wantLong))
			}
		}
	}
}

// TestAPlaceTwiceErrs: a shard that is counted twice is no silent loss.
func TestAPlaceTwiceErrs(t *testing.T) {
	shard := func() Set {
		c := NewCollector(Plan{Placed: true})
		e := numbered(1)
		if err := c.AddAt(7, e); err != nil {
			t.Fatal(err)
		}
		s, err := c.End()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := Set{}
	if err := s.Merge(shard()); err != nil {
		t.Fatal(err)
	}
	if err := s.Merge(shard()); err == nil || s[1].N() != 1 {
		t.Errorf("error %v, %d rows", err, s[1].N())
	}
}
