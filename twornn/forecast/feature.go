package forecast

import "math"

// kind says how a feature is made of the rows up to t, the place of row t+h in the
// season, and the known columns up to t+h.
type kind int

const (
	lag     kind = iota // the column, Shift rows before t
	aligned             // the column, Shift rows before t+h; Shift ≥ h
	smooth              // s_t = s_{t−1} + Rate·(x_t − s_{t−1}): a state carried along
	known               // a known column, Shift rows before t+h
	carried             // a known column smoothed as above, at t+h
	dummy               // 1 where t+h has place Shift in a season of Period rows
	sine                // sin 2π Shift (t+h)/Period
	cosine              // cos 2π Shift (t+h)/Period
	product             // of features A and B, each in its units and range
)

// feature is a column of a design. Shapes: scalars; Column is of the task.
type feature struct {
	Kind   kind
	Column int     `json:",omitempty"`
	Shift  int     `json:",omitempty"`
	Period int     `json:",omitempty"`
	Rate   float64 `json:",omitempty"`
	A      int     `json:",omitempty"`
	B      int     `json:",omitempty"`
	// Centre and Scale are the mean and standard deviation over the training rows, Low
	// and High the range in these units, to which products hold their factors.
	Centre, Scale, Low, High float64
}

// source is a record as features read it.
type source struct {
	n      int
	v      [][]float64 // transformed, by column
	smooth func(column int, rate float64) []float64
}

// smoothKey is what a smoothed column is remembered by.
type smoothKey struct {
	w      *warp
	column int
	rate   float64
}

// source returns the record as transformed by w.
func (r *record) source(w []warp) source {
	v := r.warped(w)
	return source{r.n, v, func(j int, rate float64) []float64 {
		return remember(r, smoothKey{&w[0], j, rate}, func() []float64 { return smoothed(v[j], rate) })
	}}
}

// smoothed returns the running mean of v with the given rate, begun at v[0].
func smoothed(v []float64, rate float64) []float64 {
	out := make([]float64, len(v))
	s := v[0]
	for t, x := range v {
		s += rate * (x - s)
		out[t] = s
	}
	return out
}

// fill writes feature f of rows t = rows[i], h ahead, to dst[i·stride], as it is.
// Products are of columns of the same rows, already in their units.
func (f *feature) fill(dst []float64, stride int, s source, rows []int, h int) {
	switch f.Kind {
	case smooth:
		v := s.smooth(f.Column, f.Rate)
		for i, t := range rows {
			dst[i*stride] = v[t]
		}
	case carried:
		v := s.smooth(f.Column, f.Rate)
		for i, t := range rows {
			dst[i*stride] = v[min(t+h, len(v)-1)]
		}
	case sine, cosine:
		f.fillWave(dst, stride, rows, h)
	default:
		var v []float64
		if f.Kind != dummy {
			v = s.v[f.Column]
		}
		for i, t := range rows {
			dst[i*stride] = f.at(v, t, h)
		}
	}
}

// at returns a lag, an aligned or known value or a dummy; rows before the first are as
// the first, known rows after the last as the last.
func (f *feature) at(v []float64, t, h int) float64 {
	switch f.Kind {
	case lag:
		return v[max(t-f.Shift, 0)]
	case aligned:
		i := t + h - f.Shift
		if i < 0 {
			// The same place of the season, the first time that it was seen.
			if f.Period > 0 {
				if i += (-i + f.Period - 1) / f.Period * f.Period; i <= t {
					return v[i]
				}
			}
			return v[0]
		}
		return v[i]
	case known:
		return v[min(max(t+h-f.Shift, 0), len(v)-1)]
	}
	if (t+h)%f.Period == f.Shift {
		return 1
	}
	return 0
}

func (f *feature) fillWave(dst []float64, stride int, rows []int, h int) {
	w := 2 * math.Pi * float64(f.Shift) / float64(f.Period)
	for i, t := range rows {
		a := w * float64((t+h)%f.Period)
		if f.Kind == sine {
			dst[i*stride] = math.Sin(a)
		} else {
			dst[i*stride] = math.Cos(a)
		}
	}
}

// wave tells whether the feature is a wave of a season.
func (f *feature) wave() bool { return f.Kind == sine || f.Kind == cosine }
