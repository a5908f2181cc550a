package datasets

import (
	"math"
	"strconv"
	"strings"
)

// exact returns what is to be kept of a value v of field j that is large, or of which
// the difference is wanted, and counts whole numbers that v does not hold.
func (t *table) exact(g *group, j int, text string, v float64) float64 {
	now := whole{there: !math.IsNaN(v), v: v}
	if plain, ok := t.numbers.plain(strings.TrimSpace(text)); ok && now.there {
		plain = strings.TrimRight(strings.TrimSuffix(plain, "."), " ")
		n, err := strconv.ParseInt(plain, 10, 64)
		now.n, now.exact = n, err == nil
		digits := strings.TrimLeft(plain, "+-")
		if !t.deltas[j] && allDigits(digits) && !holds(v, n, now.exact) {
			t.beyond[j]++
		}
	}
	if !t.deltas[j] {
		return v
	}
	last := g.last[j]
	g.last[j] = now
	switch d := now.n - last.n; {
	case !now.there || !last.there:
		return math.NaN()
	case now.exact && last.exact && (d > 0) == (now.n > last.n):
		return float64(d)
	}
	return now.v - last.v
}

// holds reports whether v is the whole number n; one that fits no int64 is taken to
// have digits that v lacks.
func holds(v float64, n int64, fits bool) bool {
	return fits && math.Abs(v) < 1<<63 && int64(v) == n
}
