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
