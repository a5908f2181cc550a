package beam

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twornn/spectral/datasets"
)

// count is what a file holds.
type count struct {
	Name    string
	Rows    int64
	Windows int64
	// Gaps and Missing are the stretches that are no windows because they bridge a gap, or lack a value.
	Gaps, Missing int64
	Columns       []string
	Timed         bool // it has times
	// Step is the sampling step in nanoseconds, or Months it is; neither without two rows and times.
	Step, Months int64
	Sum          string // of the contents, by sumOf
	Problem      string
}

// countOf counts the windows of a file.
func countOf(name string, all []*datasets.Series, w datasets.Window) count {
	c := count{Name: name}
	for _, s := range all {
		// It errs where there is no window: the targets are known to be there.
		r, _ := s.CountWindows(w)
		c.Rows += int64(s.Len())
		c.Windows += int64(r.Kept)
		c.Gaps += int64(r.LostToGaps)
		c.Missing += int64(r.LostToMissing)
		c.Columns, c.Timed = s.Columns(), s.Times() != nil
		if c.Step == 0 && c.Months == 0 && s.Len() > 1 {
			c.Step, c.Months = int64(s.Step()), int64(s.Gaps().Months)
		}
	}
	return c
}

// plan is where the windows of each file stand among all.
type plan struct {
	names []string         // sorted
	first map[string]int64 // place of the first window, from 1
	sums  map[string]string
	total int64
	// problem is what is wrong with the files together, if it is not empty.
	problem string
}

// plural returns "1 row", "2 rows".
func plural(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// newPlan returns the plan for the files, in the order of their names.
func newPlan(files []count, f Files) plan {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b count) int { return cmp.Compare(a.Name, b.Name) })
	p := plan{first: map[string]int64{}, sums: map[string]string{}}
	for _, c := range files {
		p.names = append(p.names, c.Name)
		p.first[c.Name], p.sums[c.Name] = p.total+1, c.Sum
		p.total += c.Windows
	}
	p.problem = problemOf(files, f, p.total)
	return p
}

// problemOf returns the first thing that is wrong with the files.
func problemOf(files []count, f Files, total int64) string {
	var sum count
	var like, step *count // the first file with rows, and with a step
	for i := range files {
		c := &files[i]
		sum.Rows, sum.Gaps, sum.Missing = sum.Rows+c.Rows, sum.Gaps+c.Gaps, sum.Missing+c.Missing
		switch {
		case c.Problem != "":
			return c.Problem
		case c.Rows == 0:
			continue
		case like == nil:
			like = c
		case !slices.Equal(c.Columns, like.Columns):
			return fmt.Sprintf("beam: %s has the columns %s, and %s has %s; name the columns to read, in one order for all", like.Name, strings.Join(like.Columns, ", "), c.Name, strings.Join(c.Columns, ", "))
		case c.Timed != like.Timed:
			// Where there are no times there are no gaps either.
			with, without := like, c
			if c.Timed {
				with, without = c, like
			}
			return fmt.Sprintf("beam: %s has times and %s has none; name the column of times, in all files, or say that there are none", with.Name, without.Name)
		}
		switch {
		case c.Step == 0 && c.Months == 0:
		case step == nil:
			step = c
		case c.Step != step.Step || c.Months != step.Months:
			return fmt.Sprintf("beam: the rows of %s are %s apart, those of %s %s; set the step", step.Name, step.step(), c.Name, c.step())
		}
	}
	if sum.Rows == 0 {
		return fmt.Sprintf("beam: there are no rows in the files %s (%d in number), or none that is asked for; name files that have some", f.Pattern, len(files))
	}
	if total == 0 {
		w := f.Window
		return fmt.Sprintf("beam: no window of %s is in the %s of the files %s (%d in number): %d lost to gaps, %d to missing values; lower the length or the horizon, or name fewer columns",
			plural(int64(w.Length+max(w.Horizon, 1)), "row"), plural(sum.Rows, "row"), f.Pattern, len(files), sum.Gaps, sum.Missing)
	}
	return tooLarge(like.Columns, f.Window, total)
}

// A fit holds heldWindows whole at a time, and so does every bundle: of these numbers, 64 MB, at the most.
// With 2^23.9 numbers, 10,000 windows of 10,001 rows in one file, the command took 1.6 GB; with 2^22.1, 3,000
// of 3,001, it took 0.6 GB.
const (
	heldWindows = 512
	mostNumbers = 1 << 23
)

// tooLarge says if the windows are too large to be held in memory.
func tooLarge(columns []string, w datasets.Window, total int64) string {
	inputs, outputs := int64(len(columns)), int64(len(w.Targets))
	if outputs == 0 {
		outputs = inputs
	}
	if w.Bias {
		inputs++
	}
	rows, held := int64(w.Length), min(total, heldWindows)
	numbers := rows*inputs + outputs
	if held*numbers <= mostNumbers {
		return ""
	}
	return fmt.Sprintf("beam: the %d windows of %d rows are too large: %d windows of %d numbers are held at a time, %d MB, and %d MB are the most; lower the length, or name fewer columns",
		total, w.Length+max(w.Horizon, 1), held, numbers, held*numbers*8/1_000_000, mostNumbers*8/1_000_000)
}

func (c *count) step() string {
	if c.Months > 0 {
		return plural(c.Months, "month")
	}
	return time.Duration(c.Step).String()
}
