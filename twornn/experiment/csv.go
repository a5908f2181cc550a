package experiment

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
)

// column is a field of Row in a CSV file.
type column struct {
	name  string
	write func(r *Row) string
	read  func(r *Row, s string) error
}

func textColumn(name string, field func(*Row) *string) column {
	return column{name,
		func(r *Row) string { return *field(r) },
		func(r *Row, s string) error { *field(r) = s; return nil }}
}

func floatColumn(name string, field func(*Row) *float64) column {
	return column{name,
		func(r *Row) string { return strconv.FormatFloat(*field(r), 'g', -1, 64) },
		func(r *Row, s string) (err error) { *field(r), err = strconv.ParseFloat(s, 64); return err }}
}

func intColumn(name string, field func(*Row) *int) column {
	return column{name,
		func(r *Row) string { return strconv.Itoa(*field(r)) },
		func(r *Row, s string) (err error) { *field(r), err = strconv.Atoi(s); return err }}
}

// columns are the fields of Row in their order.
func columns() []column {
	return []column{
		textColumn("Task", func(r *Row) *string { return &r.Task }),
		textColumn("Method", func(r *Row) *string { return &r.Method }),
		floatColumn("Noise", func(r *Row) *float64 { return &r.Noise }),
		intColumn("N", func(r *Row) *int { return &r.N }),
		{"Seed",
			func(r *Row) string { return strconv.FormatUint(r.Seed, 10) },
			func(r *Row, s string) (err error) { r.Seed, err = strconv.ParseUint(s, 10, 64); return err }},
		intColumn("Rank", func(r *Row) *int { return &r.Rank }),
		floatColumn("MSE", func(r *Row) *float64 { return &r.MSE }),
		floatColumn("ZeroMSE", func(r *Row) *float64 { return &r.ZeroMSE }),
		floatColumn("TrainMSE", func(r *Row) *float64 { return &r.TrainMSE }),
		{"Fallback",
			func(r *Row) string { return strconv.FormatBool(r.Fallback) },
			func(r *Row, s string) (err error) { r.Fallback, err = strconv.ParseBool(s); return err }},
		textColumn("Status", func(r *Row) *string { return &r.Status }),
		intColumn("Warnings", func(r *Row) *int { return &r.Warnings }),
		floatColumn("Seconds", func(r *Row) *float64 { return &r.Seconds }),
		textColumn("Err", func(r *Row) *string { return &r.Err }),
	}
}

// WriteCSV writes the rows with a header, one column a field. ReadCSV reads them back
// bit for bit.
func (rows Rows) WriteCSV(w io.Writer) error {
	cols := columns()
	out := csv.NewWriter(w)
	record := make([]string, len(cols))
	for i, c := range cols {
		record[i] = c.name
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for i := range rows {
		for j, c := range cols {
			record[j] = c.write(&rows[i])
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// ReadCSV reads what WriteCSV writes. It errs, naming line and column, if a column is
// missing or a field is not of its kind.
func ReadCSV(r io.Reader) (Rows, error) {
	in := csv.NewReader(r)
	records, err := in.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("experiment: the CSV is empty; it needs a header")
	}
	place := map[string]int{}
	for i, name := range records[0] {
		place[name] = i
	}
	rows := make(Rows, len(records)-1)
	for _, c := range columns() {
		at, ok := place[c.name]
		if !ok {
			return nil, fmt.Errorf("experiment: the CSV has no column %q; was it written by WriteCSV?", c.name)
		}
		for i, record := range records[1:] {
			if err := c.read(&rows[i], record[at]); err != nil {
				return nil, fmt.Errorf("experiment: row %d, column %s: %w", i+1, c.name, err)
			}
		}
	}
	return rows, nil
}
