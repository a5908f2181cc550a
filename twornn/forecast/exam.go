package forecast

import (
	"fmt"
	"math"
	"strings"

	"github.com/twornn/spectral/twornn/internal/phrase"
)

// Exam is how the rule of the recommended forecaster did on the last part of the
// training rows: the weights are those that the rows before it tell, and so is the
// simple method it is compared with.
type Exam struct {
	Target                    string
	Horizon, N                int
	RMSE, Persistence, Simple float64 // RMSE each
	SimpleName                string  // the best simple method on the rows before
}

// Lost is a warning: on the last part of the training rows the forecaster erred more
// than the best simple method, by more than chance and rounding. Unless TwoRNN.Keep is set the
// simple method is what is returned for that target and horizon.
type Lost struct {
	Exam
	Statistic float64 // of Diebold and Mariano
	Replaced  bool
}

// String says what happened.
func (l Lost) String() string {
	what := "is returned instead"
	if !l.Replaced {
		what = "would have been better"
	}
	return fmt.Sprintf("%s, %s ahead: on the last part of the training rows it lost to %s, RMSE %.4g against %.4g; %s %s",
		l.Target, phrase.Count(l.Horizon, "row"), l.SimpleName, l.RMSE, l.Simple, l.SimpleName, what)
}

// lostErrors is the statistic of Diebold and Mariano from which on a loss is believed.
const lostErrors = 2

// rounding is the share of a value up to which errors are those of its arithmetic, unless they are
// more than a share of what it varies by: on a tower of 1e14 the whole series is no larger.
const rounding, ofVariation = 1e-12, 1e-3

// isRounding tells whether an error is that of arithmetic, beside values up to a size over a range.
func isRounding(e, size, varies float64) bool {
	return e <= rounding*size && (varies == 0 || e <= ofVariation*varies)
}

// isSimple tells whether a candidate counts as a simple method: persistence, a season
// before, an autoregression.
func isSimple(name string) bool {
	return name == "persistence" || strings.HasPrefix(name, "naive") || name == "level: AR" || name == "level: VAR"
}

// examine forecasts the last block of x with the weights of the others, and compares
// that with the simple method that was best on the others. It returns its place.
func (x *cell) examine(target string) (e Exam, simple int, statistic float64) {
	e = Exam{Target: target, Horizon: x.h}
	last := len(x.blocks) - 1
	from := 0
	for _, n := range x.blocks[:last] {
		from += n
	}
	if e.N = x.blocks[last]; from == 0 || e.N == 0 {
		return e, 0, 0
	}
	f := x.combined(x.weights(last))
	least := math.Inf(1)
	for i, c := range x.candidates {
		if g := mean(x.gains(c.forecasts, last)); isSimple(c.name) && g < least {
			simple, least = i, g
		}
	}
	own, other, base := x.errors(f, from), x.errors(x.candidates[simple].forecasts, from), x.errors(x.last, from)
	e.RMSE, e.Simple, e.Persistence = rms(own), rms(other), rms(base)
	e.SimpleName = x.candidates[simple].name
	statistic, _ = DieboldMariano(own, other, x.h)
	return e, simple, statistic
}

// errors returns forecast minus truth from a held-out row on.
func (x *cell) errors(f []float64, from int) []float64 {
	out := make([]float64, len(x.truth)-from)
	for i := range out {
		out[i] = f[from+i] - x.truth[from+i]
	}
	return out
}
