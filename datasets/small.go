package datasets

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// count returns n with a noun, in the plural if need be.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func percent(n, of int) string {
	if n < of && 200*n > 199*of {
		return "over 99 %"
	}
	return strconv.FormatFloat(100*float64(n)/float64(of), 'f', 0, 64) + " %"
}

// short returns a time without the parts that are zero.
func short(t time.Time) string {
	switch {
	case t.Nanosecond() != 0:
		return t.Format("2006-01-02 15:04:05.999999999")
	case t.Second() != 0:
		return t.Format("2006-01-02 15:04:05")
	case t.Hour() != 0 || t.Minute() != 0:
		return t.Format("2006-01-02 15:04")
	}
	return t.Format("2006-01-02")
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

const oneDay = 24 * time.Hour

// mostCommon returns the most common of d, the least of these if several are as
// common. It sorts d.
func mostCommon(d []int64) (common int64) {
	slices.Sort(d)
	most, run := 0, 0
	for i := range d {
		if i > 0 && d[i] != d[i-1] {
			run = 0
		}
		if run++; run > most {
			most, common = run, d[i]
		}
	}
	return common
}

// spread returns the smallest, mean and largest of the n values that are finite.
func spread(v []float64) (low, mean, high float64, n int) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, x := range v {
		if !isFinite(x) {
			continue
		}
		n++
		low, high = min(low, x), max(high, x)
		// The two halves keep x − mean from overflowing.
		mean += x/float64(n) - mean/float64(n)
	}
	return low, mean, high, n
}

func isFinite(x float64) bool { return x-x == 0 }

// infinite returns how many values are.
func infinite(v []float64) (n int) {
	for _, x := range v {
		if math.IsInf(x, 0) {
			n++
		}
	}
	return n
}
