package datasets

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// Notes about columns that can hardly be variables, and those about which there is
// nothing to say.
func TestColumnNotes(t *testing.T) {
	col := func(n int, f func(i int) float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = f(i)
		}
		return v
	}
	wave := func(i int) float64 { return 10 + 5*math.Sin(float64(i)) }
	spoilt := func(code float64, every int) func(int) float64 {
		return func(i int) float64 {
			if i%every == 3 {
				return code
			}
			return wave(i)
		}
	}
	for _, c := range []struct {
		name string
		v    []float64
		want NoteKind
	}{
		{"x", col(100, wave), 0},
		{"x", col(100, func(i int) float64 { return float64(i) }), Counter},
		{"t", col(100, func(i int) float64 { return .1 * float64(i) }), Counter},
		{"x", col(100, func(i int) float64 { return .1 * float64(i+i/99) }), 0},
		{"RECORD", col(100, func(i int) float64 { return float64(i + i/50) }), Counter},
		{"hour", col(100, func(i int) float64 { return float64(i % 24) }), TimePart},
		{"hour", col(100, func(i int) float64 { return float64(i%24) / 7 }), 0},
		{"x", col(100, func(i int) float64 { return 1583020800 + 3600*float64(i) }), TimePart},
		{"x", col(100, func(int) float64 { return .3 }), Constant},
		{"x", col(100, func(i int) float64 { return .3 + float64(i%2)*0x1p-54 }), Constant},
		{"x", col(100, func(i int) float64 { return float64(i%3/2) * 1e-17 }), Constant},
		{"x", col(100, func(i int) float64 { return float64(i%3) * 1e-17 }), 0},
		{"x", col(100, func(i int) float64 { return 1e9 + float64(i%3) }), 0},
		{"x", col(100, spoilt(-99, 10)), FarValue},
		{"x", col(100, spoilt(-999.9, 10)), FarValue},
		{"x", col(100, spoilt(9999, 10)), FarValue},
		{"x", col(100, spoilt(-99, 60)), 0}, // twice may be by chance
		{"x", col(100, func(i int) float64 { return 1000*wave(i) - 14000*float64((i+7)%10/9) }), 0},
		{"rain", col(100, func(i int) float64 { return max(0, wave(i)-12) }), 0},
		{"x", col(100, func(i int) float64 { return float64(i % 7 / 6) }), 0}, // 0 and 1
	} {
		n, ok := columnNote(c.name, c.v)
		if n.Kind != c.want || ok != (c.want > 0) {
			t.Errorf("%s %v: %v, want kind %d", c.name, c.v[:5], n, c.want)
		}
	}
	// A marker far below a wide range: −200 among values from 2 to 1479.
	wide := col(300, func(i int) float64 {
		if i%20 == 3 {
			return -200
		}
		return 2 + 1477*float64(i*i%300)/300
	})
	if n, _ := columnNote("nox", wide); n.Kind != FarValue || !strings.Contains(n.Text, "is -200 in 15 rows") {
		t.Errorf("%v", n)
	}
}

// A loss is warned of where it is more than a tenth, and no sooner.
func TestLossNotes(t *testing.T) {
	for _, c := range []struct {
		missing, gap int
		want         []NoteKind
	}{{10, 0, nil}, {11, 0, []NoteKind{LostToMissing}}, {0, 11, nil}, {0, 12, []NoteKind{LostToGaps}}} {
		var b strings.Builder
		b.WriteString("date,x\n")
		at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
		for i := range 100 {
			if i == 50 {
				at = at.AddDate(0, 0, c.gap)
			}
			x := fmt.Sprint(i * i)
			if i < c.missing {
				x = ""
			}
			fmt.Fprintf(&b, "%s,%s\n", at.Format("2006-01-02"), x)
			at = at.AddDate(0, 0, 1)
		}
		s := read(t, b.String(), CSV{})
		var got []NoteKind
		for _, n := range s.Notes() {
			if n.Warning {
				got = append(got, n.Kind)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d missing, a gap of %d: %v", c.missing, c.gap, s)
		}
	}
}
