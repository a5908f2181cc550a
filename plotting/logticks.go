package plotting

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// logTicks marks an axis that goes by log₁₀, whatever its range: powers of ten where
// there are several, with 2 and 5 times these where there are few, and round numbers
// over less than a decade. At least two ticks have labels, and at most nine.
type logTicks struct{}

func (logTicks) Ticks(low, high float64) []plot.Tick {
	ticks := oneStyle(valueTicks(math.Pow(10, low), math.Pow(10, high)))
	for i := range ticks {
		ticks[i].Value = math.Log10(ticks[i].Value)
	}
	return ticks
}

// valueTicks returns the ticks at their values.
func valueTicks(low, high float64) []plot.Tick {
	decades := math.Log10(high / low)
	const most = 8
	switch {
	case !(low > 0) || !(high > low):
		return nil
	case decades > most:
		return farTicks(low, high, most)
	}
	for _, digits := range []string{"125", "1"} {
		var ticks []plot.Tick
		labels := 0
		for e := int(math.Floor(math.Log10(low))); float64(e) <= math.Log10(high); e++ {
			for d := 1; d <= 9; d++ {
				v := float64(d) * math.Pow(10, float64(e))
				if v < low || v > high {
					continue
				}
				t := plot.Tick{Value: v}
				for _, l := range digits {
					if int(l-'0') == d {
						t.Label = labelled
						labels++
					}
				}
				if t.Label != "" || decades <= 4 {
					ticks = append(ticks, t)
				}
			}
		}
		if labels < 3 && decades < 1.5 {
			return round{}.Ticks(low, high)
		}
		if labels <= most {
			return ticks
		}
	}
	return farTicks(low, high, most) // not reached: as many powers as decades, at most
}

// farTicks marks powers of ten, at most so many of them with a label.
func farTicks(low, high float64, most int) []plot.Tick {
	from, to := int(math.Ceil(math.Log10(low))), int(math.Floor(math.Log10(high)))
	every := 1
	for _, e := range []int{2, 3, 5, 10, 20, 30, 50, 100, 200} {
		if (to-from)/every+1 > most {
			every = e
		}
	}
	var ticks []plot.Tick
	for e := from; e <= to; e++ {
		t := plot.Tick{Value: math.Pow(10, float64(e))}
		if e%every == 0 {
			t.Label = labelled
		} else if every > 10 {
			continue
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// oneStyle writes the labels of a logarithmic axis alike: as plain numbers where all of
// them lie between 0.001 and 100000, else each as a digit and a power of ten, such as 2e-7.
// (The fonts have no raised minus sign, so a raised exponent would lose it without a word.)
// Ticks whose value is no digit times a power of ten keep their labels.
func oneStyle(ticks []plot.Tick) []plot.Tick {
	plain := true
	for _, t := range ticks {
		if t.Label != "" && (t.Value < 0.000_999 || t.Value > 100_001) {
			plain = false
		}
	}
	for i, t := range ticks {
		e := int(math.Floor(math.Log10(t.Value) + 1e-9))
		d := math.Round(t.Value / math.Pow(10, float64(e)))
		switch {
		case t.Label == "" || math.Abs(d*math.Pow(10, float64(e))/t.Value-1) > 1e-9:
		case plain:
			ticks[i].Label = strconv.FormatFloat(d*math.Pow(10, float64(e)), 'f', max(0, -e), 64)
		case d == 1 && e == 0:
			ticks[i].Label = "1"
		default:
			ticks[i].Label = fmt.Sprintf("%.0fe%d", d, e)
		}
	}
	return ticks
}

// labelled marks a tick whose label oneStyle is to write.
const labelled = "?"
