package datasets

import "strings"

// points tells whether the points of a file could be signs between thousands: in one that is separated
// by semicolons, as those with decimal commas are, and with neither sign set. Nothing says so where each
// point of the file stands before three digits and after one to three, and where a column has
// cells without a point too, of up to three digits, as 981 beside 1.234. A column with a point in every cell is
// most likely written with three decimals, but may as well hold numbers above a thousand alone: it is read, with a note.
type points struct {
	on      bool // nothing told yet that points are decimal
	columns []pointed
}

// pointed is what the cells of a column are like.
type pointed struct {
	first     string // the first with a point
	line      int    // of that; 0 if there is none
	bare      bool   // there is one without, of up to three digits
	ungrouped bool   // there is one without, of more
}

// see takes in a cell of column j that is a number.
func (p *points) see(j int, text string, line int) {
	text = strings.TrimLeft(strings.TrimSpace(text), "+-")
	whole, fraction, point := strings.Cut(text, ".")
	c := &p.columns[j]
	switch {
	case !point && len(whole) > 3:
		c.ungrouped = true
	case !point:
		c.bare = true
	case len(fraction) != 3 || !allDigits(fraction) || len(whole) == 0 || len(whole) > 3 || whole[0] == '0':
		p.on = false
	case c.line == 0:
		c.first, c.line = strings.Clone(text), line
	}
}

// inDoubt returns the first column whose points read in two ways, −1 if there is none.
func (p *points) inDoubt() int {
	for j, c := range p.columns {
		if p.on && c.line > 0 && c.bare && !c.ungrouped {
			return j
		}
	}
	return -1
}

// allGrouped returns the columns with a point in every cell, where nothing in the file says what it is.
func (p *points) allGrouped() (columns []int) {
	for j, c := range p.columns {
		if p.on && c.line > 0 && !c.bare && !c.ungrouped {
			columns = append(columns, j)
		}
	}
	return columns
}
