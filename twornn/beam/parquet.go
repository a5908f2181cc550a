package beam

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/twornn/spectral/datasets"
)

// readParquet returns the series of a Parquet file. Its rows are written as CSV and read as
// such, so that times, gaps, groups and missing values are what they are in CSV files.
func readParquet(text []byte, name string, o datasets.CSV, group []string) (all []*datasets.Series, err error) {
	defer func() {
		// The reader of Parquet panics on some damaged files.
		if r := recover(); r != nil {
			err = parquetError(name, fmt.Errorf("%v", r))
		}
	}()
	file, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, parquetError(name, err)
	}
	wanted := func(column string) bool {
		return len(o.Columns) == 0 || slices.Contains(o.Columns, column) || column == o.Time ||
			slices.Contains(o.Times, column) || slices.Contains(group, column) || has(o.Where, column)
	}
	cells, err := cellsOf(file, name, wanted)
	if err != nil {
		return nil, err
	}
	// As they are written here.
	o.Comma, o.Decimal, o.Thousands, o.Latin1, o.Skip, o.HeaderRows, o.Names, o.Comment = 0, 0, 0, false, 0, 0, nil, "\x00"
	r, w := io.Pipe()
	go func() { w.CloseWithError(writeRows(w, file, cells)) }()
	defer r.Close() // ends the writer
	if len(group) > 0 {
		return datasets.ReadGroups(r, name, o, group...)
	}
	s, err := datasets.Read(r, name, o)
	if err != nil {
		return nil, err
	}
	return []*datasets.Series{s}, nil
}

func has(m map[string]string, key string) bool { _, ok := m[key]; return ok }

func parquetError(name string, err error) error {
	return &datasets.CellError{File: name, Problem: fmt.Sprintf("is no Parquet file that can be read: %v", err), Cure: "write it again"}
}

// cell is a column of a Parquet file and how its values are written.
type cell struct {
	name  string
	index int
	text  func(v parquet.Value) string
}

// cellsOf returns the columns that are wanted.
func cellsOf(file *parquet.File, name string, wanted func(string) bool) (cells []cell, err error) {
	schema := file.Schema()
	for _, path := range schema.Columns() {
		column := strings.Join(path, ".")
		if !wanted(column) {
			continue
		}
		leaf, ok := schema.Lookup(path...)
		if !ok {
			continue
		}
		text := textOf(leaf.Node)
		if text == nil || leaf.MaxRepetitionLevel > 0 {
			return nil, &datasets.CellError{File: name, Column: column, Problem: "holds no numbers, times or texts, one a row", Cure: "name the columns to read without it"}
		}
		cells = append(cells, cell{column, leaf.ColumnIndex, text})
	}
	return cells, nil
}

// textOf returns how values of a leaf are written, nil if they are none that can be used.
func textOf(leaf parquet.Node) func(parquet.Value) string {
	unsigned := false
	if l := leaf.Type().LogicalType(); l != nil {
		switch t := l.Value.(type) {
		case nil, *format.StringType, *format.EnumType:
		case *format.TimestampType:
			return timestamp(t)
		case *format.DateType:
			return func(v parquet.Value) string { return timeIn(int64(v.Int32())*86400, time.Second).Format(time.DateOnly) }
		case *format.DecimalType:
			return decimal(int(t.Scale))
		case *format.IntType:
			unsigned = !t.IsSigned
		default:
			return nil
		}
	}
	switch leaf.Type().Kind() {
	case parquet.Boolean:
		return func(v parquet.Value) string { return strconv.Itoa(int(v.Byte() & 1)) }
	case parquet.Int32:
		if unsigned {
			return func(v parquet.Value) string { return strconv.FormatUint(uint64(v.Uint32()), 10) }
		}
		return func(v parquet.Value) string { return strconv.FormatInt(int64(v.Int32()), 10) }
	case parquet.Int64:
		if unsigned {
			return func(v parquet.Value) string { return strconv.FormatUint(v.Uint64(), 10) }
		}
		return func(v parquet.Value) string { return strconv.FormatInt(v.Int64(), 10) }
	case parquet.Int96:
		return func(v parquet.Value) string { return timeOf96(v.Int96()).Format(time.RFC3339Nano) }
	case parquet.Float:
		return func(v parquet.Value) string { return strconv.FormatFloat(float64(v.Float()), 'g', -1, 32) }
	case parquet.Double:
		return func(v parquet.Value) string { return strconv.FormatFloat(v.Double(), 'g', -1, 64) }
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return func(v parquet.Value) string { return string(v.ByteArray()) }
	}
	return nil
}

// timestamp returns how times are written: those that do not say that they are UTC are of
// the clock of the place.
func timestamp(t *format.TimestampType) func(parquet.Value) string {
	unit, layout := time.Nanosecond, time.RFC3339Nano
	if t.Unit.Value != nil {
		unit = t.Unit.Value.Duration()
	}
	if !t.IsAdjustedToUTC {
		layout = "2006-01-02T15:04:05.999999999"
	}
	return func(v parquet.Value) string { return timeIn(v.Int64(), unit).Format(layout) }
}

// timeIn returns the time so many units after 1970.
func timeIn(n int64, unit time.Duration) time.Time {
	per := int64(time.Second / unit)
	seconds, rest := n/per, n%per
	return time.Unix(seconds, rest*int64(unit)).UTC()
}

// timeOf96 returns a time of the old kind: nanoseconds of a Julian day.
func timeOf96(v deprecated.Int96) time.Time {
	const julian1970 = 2440588
	return time.Unix((int64(v[2])-julian1970)*86400, int64(uint64(v[1])<<32|uint64(v[0]))).UTC()
}

// decimal returns how whole numbers of 10^−scale are written.
func decimal(scale int) func(parquet.Value) string {
	return func(v parquet.Value) string {
		n := new(big.Int)
		switch v.Kind() {
		case parquet.Int32:
			n.SetInt64(int64(v.Int32()))
		case parquet.Int64:
			n.SetInt64(v.Int64())
		default:
			b := v.ByteArray()
			n.SetBytes(b)
			if len(b) > 0 && b[0] >= 0x80 { // two's complement
				n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
			}
		}
		if scale == 0 {
			return n.String()
		}
		return n.String() + "e-" + strconv.Itoa(scale)
	}
}

// writeRows writes the rows as CSV.
func writeRows(w io.Writer, file *parquet.File, cells []cell) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("is damaged: %v", r)
		}
	}()
	out := csv.NewWriter(w)
	fields := make([]string, len(cells))
	at := map[int]int{} // column to field
	for i, c := range cells {
		fields[i], at[c.index] = c.name, i
	}
	if err := out.Write(fields); err != nil {
		return err
	}
	buffer := make([]parquet.Row, 256)
	for _, g := range file.RowGroups() {
		rows := g.Rows()
		for {
			n, err := rows.ReadRows(buffer)
			for _, row := range buffer[:n] {
				clear(fields)
				for _, v := range row {
					if i, ok := at[v.Column()]; ok && !v.IsNull() {
						fields[i] = cells[i].text(v)
					}
				}
				if err := out.Write(fields); err != nil {
					return errors.Join(err, rows.Close())
				}
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				return errors.Join(err, rows.Close())
			}
		}
		if err := rows.Close(); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
