package datasets

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// WindSpeed is the column of the stations' files that the paper forecasts, the average
// wind speed in m/s.
const WindSpeed = "WindSpd_{Avg}"

// TUDelft says what to take from a raw file of the weather stations of Delft University
// of Technology in Rotterdam, such as Rijnhaven. The zero value gives the hourly mean
// wind speed.
type TUDelft struct {
	// Columns are those to read, in the order wanted, by the names of TUDelftColumns.
	// None means WindSpeed alone.
	Columns []string
	// LeastCount is how many valid values, of 12 records, an hour must have; with fewer
	// it is missing. Zero means 9.
	LeastCount int
	// EveryRecord keeps the records of five minutes as they are, in place of hourly
	// means. They must not run backwards then: one that does is passed over.
	EveryRecord bool
	// Location is where clocks show the times of the file. It does not say where, nor
	// what it does when clocks change. Nil means to take them for UTC.
	Location *time.Location
	// Range gives the lowest and the highest value possible in a column, in place of
	// the package's own: a value outside, such as -99.9, is missing.
	Range map[string][2]float64
	// Name is that of the series. Empty means the station that the file names.
	Name string
	// Report, if not nil, is set to what was taken and what was rejected, and why. The
	// notes of the series say it in short.
	Report *TUDelftReport
}

// TUDelftColumns are the names of the 33 columns of a file, in order; the first two,
// the time and the station, hold no numbers.
func TUDelftColumns() []string { return slices.Clone(delftColumns) }

var delftColumns = []string{
	"DateTime", "Name", "Battery_{Min}", "LithiumBattery_{Min}", "PanelTemp_{Max}", "CS215Error_{Tot}", "Tair_{Avg}", "RH_{Avg}",
	"e_{Avg}", "e_{s, Avg}", "WindSonicError_{Tot}", "WindSpd_{Max}", "WindSpd_{Std}", WindSpeed, windDirection, "WindDir_{Std}",
	"WindDirError_{Tot}", "Rain_{Tot}", "SR01Up_{Avg}", "SR01Dn_{Avg}", "IR01Up_{Avg}", "IR01Dn_{Avg}", "Tir01_{Avg}", "Tglobe_{Avg}",
	"Mir01", "T_{sky}", "T_{surface}", "NetRs", "NetRl", "NetR", "TotUp", "TotDn", "Albedo",
}

const windDirection = "WindDir_{Avg}"

// delftRanges are what the sensors can show; other columns may hold any number.
var delftRanges = map[string][2]float64{
	"Tair_{Avg}": {-60, 60}, "RH_{Avg}": {0, 110}, "e_{Avg}": {0, 20}, "e_{s, Avg}": {0, 20},
	"WindSpd_{Max}": {0, 100}, "WindSpd_{Std}": {0, 100}, WindSpeed: {0, 100},
	windDirection: {0, 360}, "WindDir_{Std}": {0, 360}, "Rain_{Tot}": {0, 500},
}

// delft is a station file on its way into a Series.
type delft struct {
	o       TUDelft
	fields  []int           // columns to read, from 0
	place   [delftWidth]int // the other way round, −1 for those not read
	last    int             // the last of them
	ranges  [][2]float64
	angle   []bool
	report  TUDelftReport
	hours   map[int64]*delftHour // by hours since 1970
	rows    []delftRow           // with EveryRecord
	latest  time.Time
	station string
	width   int // of the lines of the old loggers; 0 until it is known
	recent  bool
	pending []byte
	pendAt  int
	stamp   stampReader
	values  []float64 // of a line, reused
	kinds   []cellKind
}

// delftHour is what is known of one hour: sums of values, of the sines of directions
// too, and the seconds of its records.
type delftHour struct {
	seen      []uint16
	sum, sine []float64
	n         []int
}

type delftRow struct {
	at     time.Time
	values []float64
}

func newDelft(o TUDelft) (*delft, error) {
	d := &delft{o: o, hours: map[int64]*delftHour{}}
	if len(o.Columns) == 0 {
		d.o.Columns = []string{WindSpeed}
	}
	if o.LeastCount == 0 {
		d.o.LeastCount = 9
	}
	if d.o.LeastCount < 1 || d.o.LeastCount > 12 {
		return nil, fmt.Errorf("datasets: TUDelft.LeastCount is %d; an hour has 1 to 12 records", o.LeastCount)
	}
	if o.Location == nil {
		d.o.Location = time.UTC
	}
	d.stamp.loc = d.o.Location
	for i := range d.place {
		d.place[i] = -1
	}
	for k, name := range d.o.Columns {
		i := slices.Index(delftColumns, name)
		if i < 2 {
			return nil, fmt.Errorf("datasets: a station file has no column of numbers %s; it has %s", inline(name), list(delftColumns[2:]))
		}
		if slices.Contains(d.o.Columns[:k], name) {
			return nil, fmt.Errorf("datasets: TUDelft.Columns names %s twice; name it once", inline(name))
		}
		span := [2]float64{math.Inf(-1), math.Inf(1)}
		if r, ok := delftRanges[name]; ok {
			span = r
		}
		if r, ok := o.Range[name]; ok {
			span = r
		}
		d.place[i], d.last = k, max(d.last, i)
		d.fields = append(d.fields, i)
		d.ranges = append(d.ranges, span)
		d.angle = append(d.angle, name == windDirection)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Range)) {
		if !slices.Contains(d.o.Columns, name) {
			return nil, fmt.Errorf("datasets: column %s of TUDelft.Range is not read; it may name %s", inline(name), list(d.o.Columns))
		}
		if r := o.Range[name]; !(r[0] <= r[1]) {
			return nil, fmt.Errorf("datasets: TUDelft.Range of column %s is %v to %v; put the lower first", inline(name), r[0], r[1])
		}
	}
	d.values, d.kinds = make([]float64, len(d.fields)), make([]cellKind, len(d.fields))
	d.report = newDelftReport(d.o.Columns)
	return d, nil
}

// keep adds the record of a line to its hour and reports whether it did: not if there
// is one of its time.
func (d *delft) keep(at time.Time, values []float64, kinds []cellKind, line int) bool {
	hour := at.Truncate(time.Hour).Unix() / 3600
	h := d.hours[hour]
	if h == nil {
		n := len(d.fields)
		h = &delftHour{sum: make([]float64, n), sine: make([]float64, n), n: make([]int, n)}
		d.hours[hour] = h
	}
	second := uint16(at.Unix() - 3600*hour)
	back := at.Before(d.latest)
	switch {
	case slices.Contains(h.seen, second):
		d.report.reject(repeated, line)
		return false
	case back && d.o.EveryRecord:
		d.report.reject(backwards, line)
		return false
	case back:
		d.report.Disordered++
	default:
		d.latest = at
	}
	h.seen = append(h.seen, second)
	d.report.Records++
	for k, v := range values {
		d.report.Columns[k].count(kinds[k])
		if kinds[k] != valueCell {
			continue
		}
		h.n[k]++
		if !d.angle[k] {
			h.sum[k] += v
			continue
		}
		sin, cos := math.Sincos(v * math.Pi / 180)
		h.sum[k] += cos
		h.sine[k] += sin
	}
	return true
}

// stampReader reads times such as 2013-04-22 14:55:00.
type stampReader struct {
	loc *time.Location
}

func (s *stampReader) parse(b []byte) (time.Time, bool) {
	if len(b) != len("2006-01-02 15:04:05") || b[4] != '-' || b[7] != '-' || b[10] != ' ' && b[10] != 'T' || b[13] != ':' || b[16] != ':' {
		return time.Time{}, false
	}
	var n [6]int
	for k, span := range [6][2]int{{0, 4}, {5, 7}, {8, 10}, {11, 13}, {14, 16}, {17, 19}} {
		for _, c := range b[span[0]:span[1]] {
			if !isDigit(c) {
				return time.Time{}, false
			}
			n[k] = 10*n[k] + int(c-'0')
		}
	}
	days := 0
	if n[3] == 24 && n[4]+n[5] == 0 {
		n[3], days = 0, 1
	}
	if n[0] < 1 || n[1] < 1 || n[1] > 12 || n[2] < 1 || n[2] > 31 || n[3] > 23 || n[4] > 59 || n[5] > 59 {
		return time.Time{}, false
	}
	t := time.Date(n[0], time.Month(n[1]), n[2]+days, n[3], n[4], n[5], 0, s.loc)
	// A day that is not there, or an hour that clocks leave out, comes out as another.
	if t.Hour() != n[3] || t.Minute() != n[4] || days == 0 && t.Day() != n[2] {
		return time.Time{}, false
	}
	return t.UTC(), true
}
