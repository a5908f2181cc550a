package forecast

// The catalogue of features. Sizes follow the number of training rows, so that short
// records get few.
const (
	mostLags      = 36  // recent rows of a target
	mostRecent    = 160 // recent rows of all columns together
	fewColumns    = 4   // up to which the neighbours of a season ago are taken of all, not of targets alone
	mostKnown     = 48  // rows after t of a known column
	longSeason    = 200 // beyond, a single day a season ago tells little
	manyColumns   = 8   // beyond, less is taken of each column
	mostOtherLags = 24  // recent rows of the other columns
	mostDummies   = 24  // a season this long has a level for each place, a longer one waves
	mostNested    = 400 // an outer season this long has a level for each place if seen often
	mostProducts  = 120
	rowsPerLag    = 6 // training rows for each recent row of a target
	rowsPerOther  = 10
	rowsPerPair   = 8 // training rows for each product
)

// rates are those of the states that smooth a column.
var rates = []float64{0.5, 0.2, 0.07, 0.02}

// catalogue lists the features of horizon h.
func catalogue(k *task, n, h int) []feature {
	c := &cataloguer{k: k, n: n, h: h}
	c.lags()
	c.seasons()
	c.knowns()
	c.smooths()
	c.products()
	return c.list
}

type cataloguer struct {
	k    *task
	n, h int
	list []feature
}

func (c *cataloguer) add(f feature) { c.list = append(c.list, f) }

// isTarget tells whether column j is a target.
func (k *task) isTarget(j int) bool {
	for _, t := range k.targets {
		if t == j {
			return true
		}
	}
	return false
}

// lags adds the recent rows of all columns, and those at the same place in the seasons
// before: of targets the neighbours of that place too.
func (c *cataloguer) lags() {
	for j := range c.k.columns {
		p := min(mostLags, max(4, mostRecent/len(c.k.columns)), max(2, c.n/rowsPerLag))
		if !c.k.isTarget(j) {
			p = min(p, mostOtherLags, max(2, mostRecent/len(c.k.columns)), max(1, c.n/(rowsPerOther*len(c.k.columns))))
		}
		for s := range p {
			c.add(feature{Kind: lag, Column: j, Shift: s})
		}
		for _, season := range c.k.seasons {
			if 2*season > c.n || len(c.k.columns) > manyColumns && !c.k.isTarget(j) {
				continue
			}
			back := (c.h + season - 1) / season * season
			for _, m := range []int{0, season, 2 * season} {
				for _, o := range []int{0, -1, 1} {
					if o != 0 && len(c.k.columns) > fewColumns && !c.k.isTarget(j) || season > longSeason && (o != 0 || m != 0) {
						continue
					}
					shift := back + m + o
					if shift >= c.h && (o == 0 || m == 0) && back+m+season < c.n/2 {
						c.add(feature{Kind: aligned, Column: j, Shift: shift, Period: season})
					}
				}
			}
		}
	}
}

// seasons adds levels or waves.
func (c *cataloguer) seasons() {
	for i, s := range c.k.seasons {
		switch {
		case s <= mostDummies && c.n >= 3*s, c.nested(i):
			for p := 1; p < s; p++ {
				c.add(feature{Kind: dummy, Period: s, Shift: p})
			}
			// Sums of levels, to be multiplied.
			if first := c.k.seasons[0]; first >= 6 {
				c.wave(first, 1)
				c.wave(first, 2)
			}
		case c.n >= s:
			for w := 1; w <= min(3, s/2); w++ {
				c.wave(s, w)
			}
		}
	}
}

// nested tells whether season i is a whole number of the first and gets a level for each
// place.
func (c *cataloguer) nested(i int) bool {
	s := c.k.seasons[i]
	return i > 0 && s%c.k.seasons[0] == 0 && s <= mostNested && c.n >= 20*s
}

func (c *cataloguer) wave(s, w int) {
	c.add(feature{Kind: cosine, Period: s, Shift: w})
	if 2*w < s {
		c.add(feature{Kind: sine, Period: s, Shift: w})
	}
}

// knowns adds the known columns of the rows after t up to the row forecast, as far as
// the training rows allow, and what they smooth to there.
func (c *cataloguer) knowns() {
	p := min(mostKnown, c.h, max(1, c.n/(rowsPerOther*len(c.k.columns))))
	for _, j := range c.k.known {
		for s := range p {
			c.add(feature{Kind: known, Column: j, Shift: s})
		}
		for _, r := range rates {
			if float64(c.n)*r >= 10 && c.h > 1 {
				c.add(feature{Kind: carried, Column: j, Rate: r})
			}
		}
	}
}

// smooths adds the states that smooth a column.
func (c *cataloguer) smooths() {
	for j := range c.k.columns {
		for i, r := range rates {
			if len(c.k.columns) > manyColumns && i%2 == 0 {
				continue // half of them do where there are many columns
			}
			if float64(c.n)*r >= 10 {
				c.add(feature{Kind: smooth, Column: j, Rate: r})
			}
		}
	}
}

// products adds the squares and pairwise products of the features that matter most.
func (c *cataloguer) products() {
	base := c.base()
	most := min(mostProducts, c.n/rowsPerPair)
	for len(base) > 0 && len(base)*(len(base)+1)/2 > most {
		base = base[:len(base)-1]
	}
	for i, a := range base {
		for _, b := range base[i:] {
			if c.list[a].Kind == dummy && a == b {
				continue
			}
			c.add(feature{Kind: product, A: a, B: b})
		}
	}
}

// base returns the features to multiply, the most useful first.
func (c *cataloguer) base() []int {
	var out []int
	take := func(ok func(f *feature) bool) {
		for i := range c.list {
			if ok(&c.list[i]) {
				out = append(out, i)
			}
		}
	}
	target := func(f *feature) bool { return c.k.isTarget(f.Column) }
	take(func(f *feature) bool { return f.Kind == lag && f.Shift == 0 && target(f) })
	take(func(f *feature) bool { return f.Kind == known && f.Shift == 0 })
	take(func(f *feature) bool { return f.Kind == lag && f.Shift == 0 && !target(f) })
	for i, s := range c.k.seasons {
		if i < 2 && c.n >= 2*s {
			take(func(f *feature) bool { return f.wave() && f.Period == s && f.Shift == 1 })
		}
	}
	take(func(f *feature) bool {
		return f.Kind == aligned && f.Period == c.k.seasons[0] && f.Shift == (c.h+f.Period-1)/f.Period*f.Period && target(f)
	})
	take(func(f *feature) bool {
		return (f.Kind == smooth || f.Kind == carried) && (f.Rate == rates[2] || f.Rate == rates[1] && len(c.k.columns) > manyColumns)
	})
	take(func(f *feature) bool {
		return f.wave() && f.Period == c.k.seasons[0] && f.Period <= mostDummies && f.Shift == 2
	})
	take(func(f *feature) bool { return f.Kind == lag && f.Shift == 1 && target(f) })
	take(func(f *feature) bool { return f.Kind == smooth && f.Rate == rates[0] })
	take(func(f *feature) bool { return f.Kind == lag && f.Shift == 2 && target(f) })
	take(func(f *feature) bool { return f.Kind == lag && (f.Shift == 4 || f.Shift == 7) && target(f) })
	return out
}
