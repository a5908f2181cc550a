package experiment

import (
	"fmt"
	"math"
	"strings"
)

// compareFrom is the least N that counts in a Comparison's mean: below, where N is less
// than the 243 unknowns of H⁽⁵⁾ or just above, most medians are those of failures.
const compareFrom = 320

// Comparison is our errors over the peers' for one task, method, noise and rank.
type Comparison struct {
	Task, Method string
	Noise        float64
	Rank         int
	Points       []Point
	// GeoMean and Worst are the geometric mean and the largest of the ratios from N =
	// 320 on; NaN if there are none.
	GeoMean, Worst float64
}

// Point is a size at which both were measured.
type Point struct {
	N           int
	Ours, Peers Median
	Ratio       float64 // of the median errors, ours over theirs
}

// Compare returns our medians over the peers', in the order of ours, where both have
// the same task, method, noise, N and rank.
func Compare(ours, peers []Median) []Comparison {
	theirs := map[setting]Median{}
	for _, m := range peers {
		theirs[m.setting()] = m
	}
	at := map[setting]int{}
	var cs []Comparison
	for _, m := range ours {
		p, ok := theirs[m.setting()]
		if !ok {
			continue
		}
		line := m.setting()
		line.n = 0
		i, ok := at[line]
		if !ok {
			i = len(cs)
			at[line] = i
			cs = append(cs, Comparison{Task: m.Task, Method: m.Method, Noise: m.Noise, Rank: m.Rank})
		}
		cs[i].Points = append(cs[i].Points, Point{m.N, m, p, m.MSE / p.MSE})
	}
	for i := range cs {
		cs[i].sum()
	}
	return cs
}

func (c *Comparison) sum() {
	logs, n := 0.0, 0
	c.GeoMean, c.Worst = math.NaN(), math.NaN()
	for _, p := range c.Points {
		if p.N < compareFrom {
			continue
		}
		logs += math.Log(p.Ratio)
		n++
		if n == 1 || !(p.Ratio <= c.Worst) {
			c.Worst = p.Ratio
		}
	}
	if n > 0 {
		c.GeoMean = math.Exp(logs / float64(n))
	}
}

// String returns the comparison as a table: a line for each N, then the mean.
func (c Comparison) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, noise %g, %s, rank %d\n", c.Task, c.Noise, c.Method, c.Rank)
	fmt.Fprintf(&b, "%6s %9s %9s %7s  %s\n", "N", "ours", "peers", "ratio", "ours: quartiles, worse than zero (peers), fallbacks")
	for _, p := range c.Points {
		fmt.Fprintf(&b, "%6d %9.2g %9.2g %7.2f  %.2g–%.2g, %.0f%% (%.0f%%), %.0f%% of %d",
			p.N, p.Ours.MSE, p.Peers.MSE, p.Ratio, p.Ours.Q1, p.Ours.Q3, 100*p.Ours.Worse, 100*p.Peers.Worse, 100*p.Ours.Fallback, p.Ours.Count)
		if p.Ours.Errors > 0 {
			fmt.Fprintf(&b, "; %d errors", p.Ours.Errors)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "from N = %d: geometric mean %.2f, worst %.2f", compareFrom, c.GeoMean, c.Worst)
	return b.String()
}
