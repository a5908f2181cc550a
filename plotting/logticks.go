package plotting

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
)

// logTicks marks an axis that goes by log₁₀, whatever its range: powers of ten where
// there are several, with 2 and 5 times these where there are few, and round numbers
// over less than a decade. At least two ticks have labels, and at most nine.
type logTicks struct{}

func (logTicks) Ticks(low, high float64) []plot.Tick {
	ticks := valueTicks(math.Pow(10, low), math.Pow(10, high))
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
	for _, labelled := range []string{"125", "1"} {
		var ticks []plot.Tick
		labels := 0
		for e := int(math.Floor(math.Log10(low))); float64(e) <= math.Log10(high); e++ {
			for d := 1; d <= 9; d++ {
				v := float64(d) * math.Pow(10, float64(e))
				if v < low || v > high {
					continue
				}
				t := plot.Tick{Value: v}
				for _, l := range labelled {
					if int(l-'0') == d {
						t.Label = multiple(d, e)
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
			t.Label = power(e)
		} else if every > 10 {
			continue
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// multiple prints d·10^e as power prints 10^e.
func multiple(d, e int) string {
	if d == 1 {
		return power(e)
	}
	if e >= -3 && e <= 3 {
		return fmt.Sprintf("%.4g", float64(d)*math.Pow(10, float64(e)))
	}
	return fmt.Sprintf("%de%d", d, e)
}
