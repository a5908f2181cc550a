package experiment

import (
	"math"
	"slices"
)

// Median sums up the runs that differ in their seed alone.
type Median struct {
	Task, Method string
	Noise        float64
	N            int
	Rank         int
	Count        int     // runs with a score
	Errors       int     // runs with an error, left out of all that follows
	Q1, MSE, Q3  float64 // quartiles of the test errors, MSE the median
	Fallback     float64 // share of the runs in which the guard put the zero function
	Worse        float64 // share of the runs with a larger test error than the zero function
	Seconds      float64 // median
}

// setting is what the runs of a Median have in common.
type setting struct {
	task, method string
	noise        float64
	n, rank      int
}

func (m Median) setting() setting { return setting{m.Task, m.Method, m.Noise, m.N, m.Rank} }

// Medians sums up the rows by task, method, noise, N and rank, in the order in which
// these first occur. Quartiles lie between neighbours by linear interpolation.
func Medians(rows []Row) []Median {
	var order []setting
	groups := map[setting][]Row{}
	for _, r := range rows {
		s := setting{r.Task, r.Method, r.Noise, r.N, r.Rank}
		if groups[s] == nil {
			order = append(order, s)
		}
		groups[s] = append(groups[s], r)
	}
	var medians []Median
	for _, s := range order {
		m := Median{Task: s.task, Method: s.method, Noise: s.noise, N: s.n, Rank: s.rank}
		var errors, seconds []float64
		for _, r := range groups[s] {
			if r.Err != "" {
				m.Errors++
				continue
			}
			errors, seconds = append(errors, r.MSE), append(seconds, r.Seconds)
			if r.Fallback {
				m.Fallback++
			}
			if !(r.MSE <= r.ZeroMSE) {
				m.Worse++
			}
		}
		m.Count = len(errors)
		m.Fallback /= float64(m.Count)
		m.Worse /= float64(m.Count)
		slices.Sort(errors)
		slices.Sort(seconds)
		m.Q1, m.MSE, m.Q3 = quantile(errors, 0.25), quantile(errors, 0.5), quantile(errors, 0.75)
		m.Seconds = quantile(seconds, 0.5)
		medians = append(medians, m)
	}
	return medians
}

// quantile returns the q-quantile of sorted numbers, NaN if there are none.
func quantile(x []float64, q float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	at := q * float64(len(x)-1)
	i := int(at)
	if at == float64(i) || x[i] == x[i+1] { // also where both are infinite
		return x[i]
	}
	return x[i] + (at-float64(i))*(x[i+1]-x[i])
}
