package forecast

import (
	"fmt"
	"math"
	"strings"

	"github.com/twornn/spectral/twornn/internal/phrase"
)

// Exact is a warning: at these horizons a target was forecast without an error in the rows held out,
// or in so many of them that an interval of 90 % has no width. That is no certainty: what did not happen
// in the training rows may happen yet.
type Exact struct {
	Target   string
	Horizons []int
	Still    bool // it did not move at all in the training rows
}

// exactCoverage is that of the intervals of which Exact says that they have no width.
const exactCoverage = 0.9

// String says what happened.
func (e Exact) String() string {
	why := "it was forecast without an error in all or nearly all of the rows held out, so its intervals of up to 90 % have no width"
	if e.Still {
		why = "it did not move in the training rows, so its intervals have no width"
	}
	return fmt.Sprintf("%s, %s ahead: %s, which is no certainty; learn from rows in which it moves, or leave it out of Options.Targets",
		e.Target, numbers(e.Horizons, "row"), why)
}

// exact finds the targets whose intervals have no width, but for rounding.
func (m *mixture) exact() []Exact {
	var out []Exact
	for c, name := range m.k.targetNames() {
		e := Exact{Target: name, Still: m.Low[c] == m.High[c]}
		for i, h := range m.k.horizons {
			b := m.Cells[i][c].Band
			size, varies := max(math.Abs(m.Low[c]), math.Abs(m.High[c])), m.High[c]-m.Low[c]
			if low, high := b.between(0, 0, exactCoverage, 0); len(b.Quantiles) == 0 || b.Scale == constantScale && isRounding(high-low, size, varies) {
				e.Horizons = append(e.Horizons, h)
			}
		}
		if e.Horizons != nil {
			out = append(out, e)
		}
	}
	return out
}

// Outliers is a warning: over these horizons some changes of a target in the training rows stood alone, four times
// as large as any other: values that are wrong, or a change of unit or level.
type Outliers struct {
	Target   string
	Horizons []int
}

// String says what may be done.
func (o Outliers) String() string {
	return fmt.Sprintf("%s, %s ahead: in the training rows a change, or a few, stood alone, more than four times as large as any other, which makes intervals wide; if values are wrong, make them NaN, and if the unit or the level changed, bring all rows to one or learn from those after it",
		o.Target, numbers(o.Horizons, "row"))
}

// outliers finds the targets of which changes stood alone.
func (m *mixture) outliers() []Outliers {
	var out []Outliers
	for c, name := range m.k.targetNames() {
		o := Outliers{Target: name}
		for i, h := range m.k.horizons {
			if m.Cells[i][c].Alone {
				o.Horizons = append(o.Horizons, h)
			}
		}
		if o.Horizons != nil {
			out = append(out, o)
		}
	}
	return out
}

// numbers joins numbers of things: "1, 2 and 3 rows".
func numbers(v []int, thing string) string {
	if len(v) == 1 {
		return phrase.Count(v[0], thing)
	}
	var b strings.Builder
	for i, n := range v {
		switch {
		case i > 0 && i == len(v)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	return b.String() + " " + thing + "s"
}
