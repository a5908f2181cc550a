package forecast

// linear is a regression of one target at one horizon, learnt from all training rows.
type linear struct {
	Anchor    anchor
	Target    int
	Index     []int // features
	Coef      []float64
	Intercept float64
	Mean      float64 // of the transformed target
	Unit      float64
	Variance  float64 // of what it leaves, transformed
	Low, High float64 // the changes over the horizon that are believed, transformed
}

// learn returns a member of a family learnt from all training rows.
func (s *stage) learn(f family, c choice, target int) *linear {
	sys := newSystem(s.upTo(s.split.segments(), c.memory), f.use, f.scale)
	b, rest := sys.solve(c.lambda, []int{target*len(s.anchors) + c.anchor})
	low, high := s.changes(s.r.n)
	l := &linear{Anchor: s.anchors[c.anchor], Target: target, Index: sys.use, Intercept: b.At(0, 0),
		Mean: s.mean[target], Unit: s.unit[target], Variance: rest[0] * s.unit[target] * s.unit[target],
		Low: low[target], High: high[target]}
	for _, i := range sys.use {
		l.Coef = append(l.Coef, b.At(1+i, 0))
	}
	return l
}

// value returns the forecast from row t, of which x are the features.
func (l *linear) value(d *design, column int, s source, x []float64, t int) float64 {
	z := l.Intercept
	for i, f := range l.Index {
		z += l.Coef[i] * x[1+f]
	}
	v := s.v[column]
	z = l.Anchor.at(v, l.Mean, t, d.H) + l.Unit*z
	z = v[t] + min(max(z-v[t], l.Low), l.High)
	return d.warps[column].mean(z, l.Variance)
}
