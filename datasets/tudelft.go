package datasets

import (
	"fmt"
	"io"
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

// ReadTUDelft returns the series of a raw station file: 33 columns, no header, a record
// every five minutes. A row of the series is a clock hour of which there is a record,
// at its start; its values are the means of the records from 0 to 55 minutes past, a
// direction that of the mean unit vector, and missing where fewer than LeastCount
// records have one. Hours without a record are not made up: they are gaps.
//
// Nothing in the file stops it: a line that is cut off, holds two records or garbage,
// or has no time is rejected; of several records of one time the first counts; records
// out of order go into their hours; NAN, text and values out of range are missing. All
// are counted, by kind and with their first line, in TUDelft.Report and in the notes of
// the series. Lines before the first of 33 columns may have fewer, as the loggers once
// wrote, if two in a row have as many. If the last line does not end, its last column
// is not believed.
//
// It errs if an option is wrong, if r fails, or if there is no record. It reads line by
// line and holds the hours alone, or the records if EveryRecord is set, however many
// lines are broken. 105,000 lines take a tenth of a second.
func ReadTUDelft(r io.Reader, o TUDelft) (*Series, error) {
	d, err := newDelft(o)
	if err != nil {
		return nil, err
	}
	if err := d.lines(r); err != nil {
		return nil, fmt.Errorf("datasets: station file: %w", err)
	}
	if o.Report != nil {
		*o.Report = d.report
	}
	if d.report.Records == 0 {
		return nil, &CellError{File: d.seriesName(), Problem: fmt.Sprintf("has no record in %s", count(d.report.Lines, "line")),
			Cure: "it needs lines of 33 columns with commas, the first 2006-01-02 15:04:05; for another format there is ReadCSV"}
	}
	return d.series(), nil
}

// delft is a station file on its way into a Series.
type delft struct {
	o       TUDelft
	fields  []int // columns to read, from 0
	ranges  [][2]float64
	angle   []bool
	report  TUDelftReport
	hours   map[int64]*delftHour // by hours since 1970
	rows    []delftRow           // with EveryRecord
	last    time.Time
	station string
	width   int // of the lines of the old loggers; 0 until it is known
	recent  bool
	pending []byte
	pendAt  int
	stamp   stampReader
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
	for k, name := range d.o.Columns {
		i := slices.Index(delftColumns, name)
		if i < 2 {
			return nil, fmt.Errorf("datasets: a station file has no column of numbers %s; it has %s", inline(name), list(delftColumns[2:]))
		}
		if slices.Contains(d.o.Columns[:k], name) {
			return nil, fmt.Errorf("datasets: TUDelft.Columns names %s twice", inline(name))
		}
		span := [2]float64{math.Inf(-1), math.Inf(1)}
		if r, ok := delftRanges[name]; ok {
			span = r
		}
		if r, ok := o.Range[name]; ok {
			span = r
		}
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
	back := at.Before(d.last)
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
		d.last = at
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

// mean returns the mean of column k in an hour, NaN if it has too few values.
func (d *delft) mean(h *delftHour, k int) float64 {
	n := float64(h.n[k])
	switch {
	case h.n[k] < d.o.LeastCount:
		return math.NaN()
	case !d.angle[k]:
		return h.sum[k] / n
	case math.Hypot(h.sum[k], h.sine[k]) < 1e-9*n:
		return math.NaN() // the directions cancel
	}
	a := math.Atan2(h.sine[k], h.sum[k]) * 180 / math.Pi
	if a < 0 {
		a += 360
	}
	return a
}

func (d *delft) seriesName() string {
	switch {
	case d.o.Name != "":
		return d.o.Name
	case d.station != "":
		return d.station
	}
	return "station"
}

// series returns the hours, or the records.
func (d *delft) series() *Series {
	s := &Series{name: d.seriesName(), columns: slices.Clone(d.o.Columns), timeName: "time"}
	s.values = make([][]float64, len(d.fields))
	step := time.Hour
	if d.o.EveryRecord {
		step = 5 * time.Minute
		for _, r := range d.rows {
			s.times = append(s.times, r.at)
			for k, v := range r.values {
				s.values[k] = append(s.values[k], v)
			}
		}
	} else {
		for _, hour := range slices.Sorted(maps.Keys(d.hours)) {
			s.times = append(s.times, time.Unix(3600*hour, 0).UTC())
			for k := range d.fields {
				s.values[k] = append(s.values[k], d.mean(d.hours[hour], k))
			}
		}
	}
	d.countHours()
	if d.o.Report != nil {
		*d.o.Report = d.report
	}
	s.rows = len(s.times)
	s.notes = d.report.notes(d.o)
	s.setStep(step, time.UTC)
	return s
}

// countHours counts the hours that have enough values of the first column.
func (d *delft) countHours() {
	d.report.Hours = len(d.hours)
	for _, h := range d.hours {
		if h.n[0] >= 12 {
			d.report.FullHours++
		}
		if h.n[0] < d.o.LeastCount {
			d.report.ShortHours++
		}
	}
}
