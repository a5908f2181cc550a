package forecast

// split says how the training rows are cut into rolling origins. Segment 0 to
// lead−1 are the first training stretch, cut up so that old rows can weigh less; each
// later segment is a block forecast from all the segments before it.
type split struct {
	bounds []int // segment s has the target rows bounds[s] to bounds[s+1]−1
	lead   int   // number of segments before the first origin
	step   int   // of the rows held out, every step-th is forecast
}

// Cuts of the training rows.
const (
	leadSegments = 6
	shortRecord  = 600   // rows below which more of the record is forecast, in more blocks
	mostRows     = 16000 // rows that are learnt from, the last ones
	mostHeld     = 2000  // rows held out, of a long record every so many
	longRecord   = 4000  // rows above which three blocks tell enough
)

// newSplit cuts n rows, the last ones of them if they are many.
func newSplit(n int, seasons []int) split {
	base := max(0, n-mostRows)
	n -= base
	first, blocks := 0.6, 4
	switch {
	case n < shortRecord:
		first, blocks = 0.5, 5
	case n > longRecord:
		blocks = 3
	}
	s := split{lead: leadSegments}
	o := int(first * float64(n))
	for i := range leadSegments {
		s.bounds = append(s.bounds, base+i*o/leadSegments)
	}
	for i := range blocks + 1 {
		s.bounds = append(s.bounds, base+o+i*(n-o)/blocks)
	}
	// Every place of a season is to be seen.
	for s.step = (n - o + mostHeld - 1) / mostHeld; s.step > 1 && !coprime(s.step, seasons); s.step++ {
	}
	return s
}

// coprime tells whether k shares no factor with any of the seasons.
func coprime(k int, seasons []int) bool {
	for _, s := range seasons {
		for a, b := k, s; ; a, b = b, a%b {
			if b == 0 {
				if a > 1 {
					return false
				}
				break
			}
		}
	}
	return true
}

// held returns the rows of a block that are forecast.
func (s split) held(segment, first, h int, ok func(t int) bool) []int {
	rows := s.rows(segment, first, h, ok)
	if s.step <= 1 {
		return rows
	}
	var out []int
	for i := 0; i < len(rows); i += s.step {
		out = append(out, rows[i])
	}
	return out
}

// segments returns the number of segments.
func (s split) segments() int { return len(s.bounds) - 1 }

// rows returns the rows t ≥ first whose target t+h is in a segment and measured.
func (s split) rows(segment, first, h int, ok func(t int) bool) []int {
	var rows []int
	for r := max(s.bounds[segment], first+h); r < s.bounds[segment+1]; r++ {
		if ok(r - h) {
			rows = append(rows, r-h)
		}
	}
	return rows
}
