package forecast

import "math"

// family is a set of features with prior scales, for one target or for all at once.
// Members of a family differ in the weight of the prior, the anchor and the memory.
type family struct {
	name   string
	use    []int
	scale  []float64
	target int     // −1: the same features serve all targets
	least  float64 // weights of the prior below this are not tried
}

// families lists the sets of features that are tried.
func families(s *stage) []family {
	var out []family
	h := s.d.H
	for c := range s.k.targets {
		out = append(out,
			s.family("own 3", c, ownFeatures(3, h, none)),
			s.family("own", c, ownFeatures(mostLags, h, none)),
			s.family("own fading", c, fading(ownFeatures(mostLags, h, smooth))))
	}
	if len(s.k.columns) > 1 {
		out = append(out,
			s.family("all 1", -1, allFeatures(1, h, none)),
			s.family("all 3", -1, allFeatures(3, h, none)),
			s.family("all", -1, allFeatures(mostLags, h, none)),
			s.family("all fading", -1, fading(allFeatures(mostLags, h, none))),
			s.family("all smooth", -1, fading(allFeatures(mostLags, h, smooth))))
	}
	for _, f := range []family{
		s.family("products", -1, s.withProducts(1, allFeatures(mostLags, h, smooth), false)),
		s.family("products 0.3", -1, s.withProducts(0.3, fading(allFeatures(mostLags, h, smooth)), false)),
		s.family("products few", -1, s.withProducts(1, allFeatures(3, h, smooth), false)),
		s.family("products now", -1, s.withProducts(0.5, allFeatures(3, h, none), true)),
	} {
		f.least = rowsOfPrior / float64(s.r.n)
		out = append(out, f)
	}
	return out
}

// nestedScale is the prior scale of the levels of an outer season, which the levels of
// the inner one explain for the most part.
const nestedScale = 1

// rowsOfPrior is how many rows the prior weighs at least, where there are products:
// with less they follow noise.
const rowsOfPrior = 2

// prior returns the scale of a feature for a target; column −1 stands for all targets.
type prior func(f *feature, column int) float64

func (s *stage) family(name string, target int, p prior) family {
	out := family{name: name, target: target}
	column := -1
	if target >= 0 {
		column = s.k.targets[target]
	}
	for i := range s.d.Features {
		f := &s.d.Features[i]
		w := p(f, column)
		if f.Kind == dummy && f.Period > mostDummies {
			w *= nestedScale // what the inner season leaves
		}
		if w > 0 {
			out.use, out.scale = append(out.use, i), append(out.scale, w)
		}
	}
	return out
}

// none stands for no kind of feature.
const none kind = -1

// ownFeatures are p recent rows of the target, the season, the known columns, and
// another kind of feature of the target.
func ownFeatures(p, h int, also kind) prior {
	return func(f *feature, column int) float64 {
		switch f.Kind {
		case lag:
			return flag(f.Column == column && f.Shift < p)
		case aligned: // unless among the recent rows
			return flag(f.Column == column && f.Shift-h >= p)
		case dummy, sine, cosine, known, carried:
			return 1
		}
		return flag(f.Kind == also && f.Column == column)
	}
}

// allFeatures are those of all columns, of p recent rows.
func allFeatures(p, h int, also kind) prior {
	return func(f *feature, _ int) float64 {
		switch f.Kind {
		case lag:
			return flag(f.Shift < p)
		case aligned:
			return flag(f.Shift-h >= p)
		case smooth, product:
			return flag(f.Kind == also)
		}
		return 1
	}
}

// fading draws recent rows the more to zero the older they are.
func fading(p prior) prior {
	return func(f *feature, column int) float64 {
		w := p(f, column)
		if f.Kind == lag {
			w /= math.Sqrt(float64(1 + f.Shift))
		}
		return w
	}
}

// withProducts adds products with a prior scale of their own, all of them or those of
// the last row and the season alone.
func (s *stage) withProducts(weight float64, p prior, now bool) prior {
	return func(f *feature, column int) float64 {
		if f.Kind != product {
			return p(f, column)
		}
		for _, i := range []int{f.A, f.B} {
			g := &s.d.Features[i]
			if now && !(g.Kind == lag && g.Shift == 0 || g.Kind == known || g.wave()) {
				return 0
			}
		}
		return weight
	}
}
