package forecast

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/twornn/spectral/datasets"
)

// Row is how one method did on one target at one horizon.
type Row struct {
	Method, Target string
	// Horizon is in rows; N is the number of test rows scored.
	Horizon, N int
	// RMSE and MAE are in the units of the target, MAPE in percent over the rows whose
	// value is not zero. MASE is MAE over the mean absolute change per season, or per
	// row without one, in the training rows. What can't be computed is NaN.
	RMSE, MAE, MAPE, MASE float64
	// FitSeconds is the time that the method took to learn, for all targets.
	FitSeconds float64
	// Zeros counts the rows that MAPE leaves out.
	Zeros int
}

// Table is the result of a backtest: a row for each method, target and horizon, in
// that order.
type Table struct {
	Rows []Row
	// Gaps are those of the series. String says what became of them.
	Gaps  datasets.Gaps
	steps bool // the rows that they lack were put in
	// LeftOut counts the forecasts that no method could make, for want of a Known value. They are
	// not scored. String says so.
	LeftOut LeftOut
	// errors are forecast minus value, of each row of the table, by test row; NaN where
	// a value is missing or a forecast left out.
	errors [][]float64
}

// table returns the header and cells of the table.
func (t *Table) table() (header []string, cells [][]string) {
	header = []string{"method", "target", "horizon", "n", "RMSE", "MAE", "MAPE", "MASE", "zeros", "fit_s"}
	num := func(x float64, digits int) string {
		if math.IsNaN(x) {
			return "-"
		}
		return strconv.FormatFloat(x, 'g', digits, 64)
	}
	for _, r := range t.Rows {
		cells = append(cells, []string{r.Method, r.Target, strconv.Itoa(r.Horizon), strconv.Itoa(r.N),
			num(r.RMSE, 6), num(r.MAE, 6), num(r.MAPE, 4), num(r.MASE, 4), strconv.Itoa(r.Zeros), num(r.FitSeconds, 2)})
	}
	return header, cells
}

// String returns the table in columns, and below it what became of gaps and what was left out.
func (t *Table) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	header, cells := t.table()
	for _, line := range append([][]string{header}, cells...) {
		fmt.Fprintln(w, strings.Join(line, "\t")+"\t")
	}
	w.Flush()
	for _, text := range []string{gapsText(t.Gaps, t.steps), t.LeftOut.String()} {
		if text != "" {
			b.WriteString(text + "\n")
		}
	}
	return b.String()
}

// WriteCSV writes the table with a header line; what can't be computed is empty.
func (t *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	header, cells := t.table()
	for _, line := range append([][]string{header}, cells...) {
		for i, cell := range line {
			if cell == "-" {
				line[i] = ""
			}
		}
		if err := out.Write(line); err != nil {
			return fmt.Errorf("forecast: cannot write the table: %w", err)
		}
	}
	out.Flush()
	return out.Error()
}

// Frame returns the table as a data frame, with NaN for what can't be computed.
func (t *Table) Frame() datasets.Frame {
	text := func(name string, f func(Row) string) datasets.FrameColumn {
		c := datasets.FrameColumn{Name: name, Text: []string{}}
		for _, r := range t.Rows {
			c.Text = append(c.Text, f(r))
		}
		return c
	}
	count := func(name string, f func(Row) int) datasets.FrameColumn {
		c := datasets.FrameColumn{Name: name, Counts: []int{}}
		for _, r := range t.Rows {
			c.Counts = append(c.Counts, f(r))
		}
		return c
	}
	number := func(name string, f func(Row) float64) datasets.FrameColumn {
		c := datasets.FrameColumn{Name: name, Floats: []float64{}}
		for _, r := range t.Rows {
			c.Floats = append(c.Floats, f(r))
		}
		return c
	}
	return datasets.FrameOf(
		text("method", func(r Row) string { return r.Method }),
		text("target", func(r Row) string { return r.Target }),
		count("horizon", func(r Row) int { return r.Horizon }),
		count("n", func(r Row) int { return r.N }),
		number("RMSE", func(r Row) float64 { return r.RMSE }),
		number("MAE", func(r Row) float64 { return r.MAE }),
		number("MAPE", func(r Row) float64 { return r.MAPE }),
		number("MASE", func(r Row) float64 { return r.MASE }),
		count("zeros", func(r Row) int { return r.Zeros }),
		number("fit_s", func(r Row) float64 { return r.FitSeconds }),
	)
}

// find returns the place of a row, or −1.
func (t *Table) find(method, target string, horizon int) int {
	for i, r := range t.Rows {
		if r.Method == method && r.Target == target && r.Horizon == horizon {
			return i
		}
	}
	return -1
}

// Errors returns forecast minus value on each test row, NaN where a value is missing or a
// forecast left out, or nil if there is no such row.
func (t *Table) Errors(method, target string, horizon int) []float64 {
	if i := t.find(method, target, horizon); i >= 0 {
		return append([]float64(nil), t.errors[i]...)
	}
	return nil
}

// Compare returns the test of Diebold and Mariano between two methods on one target
// and horizon: a positive statistic says that b errs less. It panics if there is no
// such row.
func (t *Table) Compare(a, b, target string, horizon int) (statistic, p float64) {
	i, j := t.find(a, target, horizon), t.find(b, target, horizon)
	if i < 0 || j < 0 {
		panic("forecast: the table has no such method, target and horizon")
	}
	return DieboldMariano(t.errors[i], t.errors[j], horizon)
}

// Relative returns RMSE over that of method base, averaged over the targets, for a
// method and horizon. Targets on which base makes no error are left out; it is NaN if
// none is left.
func (t *Table) Relative(method, base string, horizon int) float64 {
	sum, n := 0.0, 0
	for _, r := range t.Rows {
		if r.Method != method || r.Horizon != horizon {
			continue
		}
		if j := t.find(base, r.Target, horizon); j >= 0 && t.Rows[j].RMSE > 0 {
			sum, n = sum+r.RMSE/t.Rows[j].RMSE, n+1
		}
	}
	return sum / float64(n)
}
