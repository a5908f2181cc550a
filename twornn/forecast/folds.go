package forecast

// split says how the training rows are cut into rolling origins. Segment 0 to
// lead−1 are the first training stretch, cut up so that old rows can weigh less; each
// later segment is a block forecast from all the segments before it.
type split struct {
	bounds []int // segment s has the target rows bounds[s] to bounds[s+1]−1
	lead   int   // number of segments before the first origin
}

// Cuts of the training rows.
const (
	leadSegments = 6
	shortRecord  = 600  // rows below which more of the record is forecast, in more blocks
	longRecord   = 4000 // rows above which three blocks tell enough
)

// newSplit cuts n rows.
func newSplit(n int) split {
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
		s.bounds = append(s.bounds, i*o/leadSegments)
	}
	for i := range blocks + 1 {
		s.bounds = append(s.bounds, o+i*(n-o)/blocks)
	}
	return s
}

// segments returns the number of segments.
func (s split) segments() int { return len(s.bounds) - 1 }

// targets calls f with each segment's rows t whose target is in it and known: those
// with t ≥ first and t+h in the segment.
func (s split) rows(segment, first, h int, ok func(t int) bool) []int {
	var rows []int
	for r := max(s.bounds[segment], first+h); r < s.bounds[segment+1]; r++ {
		if ok(r - h) {
			rows = append(rows, r-h)
		}
	}
	return rows
}
