package datasets

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"
)

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
// lines are broken. A year, 105,000 lines, takes about a quarter of a second and 6 MB.
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

// notes says in short what the report says.
func (r TUDelftReport) notes(o TUDelft) (notes []Note) {
	add := func(warn bool, format string, args ...any) {
		notes = append(notes, Note{Kind: Rejected, Warning: warn, Text: fmt.Sprintf(format, args...)})
	}
	if o.EveryRecord {
		add(false, "records of 5 minutes as they are")
	} else {
		add(false, "means of clock hours with %d values or more of 12; %d of %s have fewer and are missing, %d have all", o.LeastCount, r.ShortHours, count(r.Hours, "hour"), r.FullHours)
	}
	n, repeats := r.rejected()
	if n+repeats+r.Blank+r.Disordered > 0 {
		add(10*(n+repeats) > r.Lines, "of %s %d are rejected, %d repeat a time, %d are blank, %d are out of order", count(r.Lines, "line"), n, repeats, r.Blank, r.Disordered)
	}
	for _, c := range r.Columns {
		if c.Missing+c.NoNumber+c.OutOfRange > 0 {
			add(false, "column %s lacks %d of %s: %d missing, %d no number, %d out of range", inline(c.Column),
				c.Missing+c.NoNumber+c.OutOfRange, count(r.Records, "record"), c.Missing, c.NoNumber, c.OutOfRange)
		}
	}
	if o.Location == nil || o.Location.String() == "UTC" {
		add(false, "the file does not say of which clock its times are; they are taken for UTC, see TUDelft.Location")
	}
	return notes
}
