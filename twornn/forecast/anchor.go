package forecast

import "fmt"

// anchor is what a regression forecasts the distance from: with all its coefficients
// at zero a candidate forecasts its anchor plus a constant.
type anchor struct {
	Kind   anchorKind
	Season int `json:",omitempty"`
}

type anchorKind int

const (
	fromMean   anchorKind = iota // the training mean
	fromLast                     // the value at t
	fromSeason                   // the value a season, or more, before t+h
	fromBoth                     // that, plus the change since a season before t
)

func (a anchor) String() string {
	switch a.Kind {
	case fromMean:
		return "level"
	case fromLast:
		return "change"
	case fromSeason:
		return fmt.Sprintf("change over %d rows", a.Season)
	}
	return fmt.Sprintf("change of change over %d rows", a.Season)
}

// anchors lists those that a record of n rows allows.
func anchors(k *task, n int) []anchor {
	out := []anchor{{Kind: fromMean}, {Kind: fromLast}}
	for _, s := range k.seasons {
		// A season seen four times can be told from chance.
		if 4*s <= n && len(out) < 6 {
			out = append(out, anchor{fromSeason, s}, anchor{fromBoth, s})
		}
	}
	if k.asked > manyTargets {
		out = out[:min(len(out), 3)]
	}
	return out
}

// manyTargets is the number of targets from which on few anchors are tried, to save time.
const manyTargets = 8

// at returns the anchor of the value of v in row t+h, seen from row t; mean is the
// training mean.
func (a anchor) at(v []float64, mean float64, t, h int) float64 {
	switch a.Kind {
	case fromMean:
		return mean
	case fromLast:
		return v[t]
	}
	i := seasonBefore(t, h, a.Season)
	if a.Kind == fromSeason {
		return v[i]
	}
	back := t + h - i // whole seasons
	if t-back < 0 {
		return v[t]
	}
	return v[t] + v[i] - v[t-back]
}
