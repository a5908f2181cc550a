package forecast

import (
	"context"
	"fmt"
)

// cell is the race for one target at one horizon.
type cell struct {
	h, target  int
	rows       []int // held out: forecasts are made from them
	blocks     []int // how many of these each block has
	truth      []float64
	last       []float64
	candidates []*candidate
}

// candidate is a rule that may forecast a cell, with what it forecast for the rows held
// out, each from rows before its block.
type candidate struct {
	name      string
	forecasts []float64
	score     float64                                  // within its family
	learn     func(ctx context.Context) (piece, error) // from all training rows
}

// piece is a rule as learnt from all training rows: the first of its fields that is
// set.
type piece struct {
	Linear *linear `json:",omitempty"`
	design *design
	path   *path
	Anchor *anchor `json:",omitempty"`
}

// add enters a candidate whose forecasts are all numbers.
func (x *cell) add(c *candidate) {
	if len(c.forecasts) != len(x.truth) {
		panic(fmt.Sprintf("forecast: %s: %d forecasts of %d rows", c.name, len(c.forecasts), len(x.truth)))
	}
	for _, f := range c.forecasts {
		if !isFinite(f) {
			return
		}
	}
	x.candidates = append(x.candidates, c)
}
