package course

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/twornn/spectral/plotting"
	"github.com/twornn/spectral/twornn/experiment"
)

// Parallel runs f(0), …, f(n−1) side by side and returns when all of them have.
func Parallel(n int, f func(i int)) {
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { f(i) })
	}
	group.Wait()
}

// Runner runs experiments and keeps their rows in a file of notebooks/out, where the next
// cell finds them. The rows belong to the code that made them: after a change of the package
// they are made anew.
type Runner struct {
	File string
}

// Run does the grids one after the other, on all cores, with a bar. If ctx ends it says so,
// returns the rows that there are, and goes on from there when it is run again.
func (r Runner) Run(ctx context.Context, what string, grids ...experiment.Grid) (rows experiment.Rows, err error) {
	for _, g := range grids {
		bar := plotting.NewBar("fits, "+what, 0)
		more, err := experiment.Run(ctx, g, experiment.RunOptions{
			Cache:   filepath.Join(experiment.SourceDir(), "notebooks", "out", r.File), // git ignores it
			Version: experiment.SourceVersion(),
			Progress: func(p experiment.Progress) error {
				if p.Done <= p.Cached {
					return nil // there is nothing to wait for
				}
				if p.Done == p.Total {
					defer bar.Done()
				}
				return bar.Of(p.Done, p.Total, p.Row.Method)
			},
		})
		rows = append(rows, more...)
		switch {
		case ctx.Err() != nil:
			fmt.Printf("Stopped with %d rows. Run the cell again, and it goes on from there.\n", len(rows))
			return rows, nil
		case err != nil:
			return rows, err
		}
	}
	return rows, nil
}

// Curves sums up the rows that differ by their seed alone, and returns a curve for each
// label: the median of the test error against N, with the quartiles as a band.
func Curves(rows experiment.Rows, label func(experiment.Median) string) (curves []plotting.Curve) {
	for _, m := range experiment.Medians(rows) {
		i := slices.IndexFunc(curves, func(c plotting.Curve) bool { return c.Name == label(m) })
		if i < 0 {
			i, curves = len(curves), append(curves, plotting.Curve{Name: label(m)})
		}
		c := &curves[i]
		c.Add(float64(m.N), m.MSE)
		c.Low, c.High = append(c.Low, m.Q1), append(c.High, m.Q3)
	}
	return curves
}

// ShowRows shows the medians of rows as a table: a row for each name, a column for each N.
func ShowRows(title string, rows experiment.Rows, name, cell func(experiment.Median) string) {
	header, lines := experiment.Layout(experiment.Medians(rows), name, cell)
	plotting.ShowTable(plotting.Table{Title: title, Header: header, Rows: lines})
}

// Method, WithRank and WithNoise name a median in a figure or a table. A rank of 0 was open.
func Method(m experiment.Median) string { return m.Method }

// WithRank is Method with the rank.
func WithRank(m experiment.Median) string { return fmt.Sprintf("%s, R = %d", m.Method, m.Rank) }

// WithNoise is Method with the noise.
func WithNoise(m experiment.Median) string { return fmt.Sprintf("%s, noise %g", m.Method, m.Noise) }

// Error and Seconds fill the cells of a table.
func Error(m experiment.Median) string { return plotting.Digits(m.MSE, 2) }

// Seconds is the median time of a fit.
func Seconds(m experiment.Median) string { return plotting.Digits(m.Seconds, 2) }
