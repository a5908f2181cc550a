package datasets

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
)

// lines reads all lines of a file.
func (d *delft) lines(r io.Reader) error {
	b := bufio.NewReaderSize(given(r), maxLine)
	for first := true; ; first = false {
		line, err := b.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			d.report.Lines++
			d.report.reject(tooLong, d.report.Lines)
			for err == bufio.ErrBufferFull {
				_, err = b.ReadSlice('\n')
			}
			if err == nil {
				continue
			}
			line = nil
		}
		if err != nil && err != io.EOF {
			return err
		}
		if first {
			line = bytes.TrimPrefix(line, []byte(mark))
			if bytes.HasPrefix(line, []byte("\x1F\x8B")) || bytes.HasPrefix(line, []byte("PK\x03\x04")) {
				return errors.New("it is compressed; unpack it first")
			}
		}
		if len(line) > 0 {
			d.report.Lines++
			ended := bytes.HasSuffix(line, []byte("\n"))
			d.line(bytes.TrimRight(line, "\r\n"), ended)
		}
		if err == io.EOF {
			d.dropPending()
			return nil
		}
	}
}

// line takes in one line; ended says that it has a line end.
func (d *delft) line(line []byte, ended bool) {
	at := d.report.Lines
	if len(bytes.TrimSpace(line)) == 0 {
		d.report.Blank++
		return
	}
	switch width := fieldsIn(line); {
	case width == delftWidth:
		d.dropPending()
		d.recent = true
	case d.recent || width < oldWidth || width > delftWidth || d.width > 0 && width != d.width:
		d.report.reject(widthReason(width), at)
		return
	case d.width == 0 && !(d.pending != nil && fieldsIn(d.pending) == width):
		// It may be the width of the old loggers, if the next line has it too.
		d.dropPending()
		d.pending, d.pendAt = append([]byte{}, line...), at
		return
	case d.width == 0:
		d.width = width
		first := d.pending
		d.pending = nil
		d.record(first, d.pendAt, true)
	}
	d.record(line, at, ended)
}

// dropPending rejects a line whose width no other shared.
func (d *delft) dropPending() {
	if d.pending != nil {
		d.report.reject(widthReason(fieldsIn(d.pending)), d.pendAt)
		d.pending = nil
	}
}

// fieldsIn counts the fields of a line. Commas in quotes divide none.
func fieldsIn(line []byte) int {
	if bytes.IndexByte(line, '"') < 0 {
		return 1 + bytes.Count(line, []byte{','})
	}
	n, quoted := 1, false
	for _, c := range line {
		switch {
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			n++
		}
	}
	return n
}

// next returns the first field of a line without quotes and blanks, and what follows
// its comma.
func next(line []byte) (field, rest []byte) {
	i := bytes.IndexByte(line, ',')
	if q := bytes.IndexByte(line, '"'); q >= 0 && (i < 0 || q < i) {
		quoted := false
		i = -1
		for k, c := range line {
			if c == '"' {
				quoted = !quoted
			} else if c == ',' && !quoted {
				i = k
				break
			}
		}
	}
	if i < 0 {
		field, rest = line, nil
	} else {
		field, rest = line[:i], line[i+1:]
	}
	return bytes.Trim(bytes.TrimSpace(field), `" `), rest
}

// record takes in a line of the right width.
func (d *delft) record(line []byte, at int, ended bool) {
	width := fieldsIn(line)
	field, rest := next(line)
	t, ok := d.stamp.parse(field)
	if !ok {
		d.report.reject(noTime, at)
		return
	}
	field, rest = next(rest)
	if d.station == "" {
		d.station = string(bytes.ToValidUTF8(field, []byte("\uFFFD")))
	}
	values, kinds := d.values, d.kinds
	for k := range values {
		values[k], kinds[k] = math.NaN(), missingCell
	}
	for i := 2; i < width && i <= d.last; i++ {
		field, rest = next(rest)
		if k := d.place[i]; k >= 0 && (ended || i < width-1) {
			values[k], kinds[k] = d.value(field, k)
		}
	}
	if d.keep(t, values, kinds, at) && d.o.EveryRecord {
		d.rows = append(d.rows, delftRow{t, slices.Clone(values)})
	}
}

// value reads a number of column k; what is none is NaN.
func (d *delft) value(field []byte, k int) (float64, cellKind) {
	if len(field) == 0 || bytes.EqualFold(field, []byte("NAN")) || bytes.EqualFold(field, []byte("NA")) || bytes.EqualFold(field, []byte("NULL")) {
		return math.NaN(), missingCell
	}
	text := string(field)
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || !plainNumber(text):
		return math.NaN(), textCell
	case v < d.ranges[k][0] || v > d.ranges[k][1]:
		return outOfRange, farCell
	}
	return v, valueCell
}
