package experiment

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
)

//go:embed peers.csv
var peersCSV string

// Peers returns the medians that other code reaches, as this project measured them by
// running it (the tables of its peers.md, in peers.csv): the methods of the paper's authors (github.com/litianyu1993/learning_2RNN)
// on their own targets, "random-code" with rank 5, and on "addition" with rank 2, or 4 to
// over-estimate it. NuclearNorm, LSTM20 and the rest were written anew where their code
// does not run. Their nuclear norm is of another reshape for p = 2; at noise 0 the one
// given here is of the right one.
//
// "floor" is the best possible: joint least squares from the true parameters; "+LM" the
// same from a spectral estimate, by Levenberg-Marquardt; "TIHT+SGD*" saw 5N sequences in
// place of 3N, and "floor*" is its floor. The medians are over Count seeds, the test
// targets without noise, the digits two. Quartiles, fallbacks and seconds are NaN.
func Peers() []Median {
	var medians []Median
	lines := strings.Split(strings.TrimSpace(peersCSV), "\n")
	for _, line := range lines[1:] {
		f := strings.Split(line, ",")
		x := make([]float64, len(f))
		for i := 2; i < len(f); i++ {
			v, err := strconv.ParseFloat(f[i], 64)
			if err != nil {
				panic("experiment: peers.csv: " + err.Error())
			}
			x[i] = v
		}
		nan := math.NaN()
		medians = append(medians, Median{
			Task: f[0], Method: f[1], Noise: x[2], N: int(x[3]), Rank: int(x[4]), Count: int(x[5]),
			MSE: x[6], Worse: x[7], Q1: nan, Q3: nan, Fallback: nan, Seconds: nan,
		})
	}
	return medians
}
