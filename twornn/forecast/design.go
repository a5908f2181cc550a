package forecast

import (
	"math"
	"slices"
)

// design is the list of features of one horizon and one set of transformations.
type design struct {
	H        int
	Set      int    // of transformations, of the mixture
	warps    []warp // by column of the task
	Features []feature
}

// fill writes the rows (1, features in their units) to dst, len(rows)×(1+features).
func (d *design) fill(dst []float64, s source, rows []int) {
	stride := 1 + len(d.Features)
	for i := range rows {
		dst[i*stride] = 1
	}
	for j := range d.Features {
		f := &d.Features[j]
		if f.Kind == product {
			a, b := &d.Features[f.A], &d.Features[f.B]
			for i := range rows {
				row := dst[i*stride : (i+1)*stride]
				row[1+j] = min(max(row[1+f.A], a.Low), a.High) * min(max(row[1+f.B], b.Low), b.High)
			}
		} else {
			f.fill(dst[1+j:], stride, s, rows, d.H)
		}
		for i := range rows {
			x := &dst[i*stride+1+j]
			*x = (*x - f.Centre) / f.Scale
		}
	}
}

// scale sets the units of the features by the given training rows. Features that do
// not vary there get a scale of infinity, which makes them zero for good: a direction
// that the training rows do not span adds nothing to a forecast.
func (d *design) scale(s source, rows []int) {
	column := make([]float64, len(rows))
	cache := make([][]float64, len(d.Features)) // factors of products, in their units
	factor := make([]bool, len(d.Features))
	for _, f := range d.Features {
		if f.Kind == product {
			factor[f.A], factor[f.B] = true, true
		}
	}
	for j := range d.Features {
		f := &d.Features[j]
		if f.Kind == product {
			for i := range rows {
				column[i] = cache[f.A][i] * cache[f.B][i]
			}
		} else {
			f.fill(column, 1, s, rows, d.H)
		}
		f.setUnits(column)
		if factor[j] {
			cache[j] = make([]float64, len(rows))
			for i, x := range column {
				cache[j][i] = (x - f.Centre) / f.Scale
			}
		}
	}
}

// setUnits sets the units of a feature from its training values.
func (f *feature) setUnits(v []float64) {
	f.Centre = 0
	for _, x := range v {
		f.Centre += x / float64(len(v))
	}
	square, size := 0.0, math.Abs(f.Centre)
	for _, x := range v {
		square += (x - f.Centre) * (x - f.Centre) / float64(len(v))
		size = max(size, math.Abs(x))
	}
	if f.Scale = math.Sqrt(square); !(f.Scale > 1e-12*size) {
		f.Scale, f.Low, f.High = unvarying, 0, 0
		return
	}
	f.Low, f.High = (slices.Min(v)-f.Centre)/f.Scale, (slices.Max(v)-f.Centre)/f.Scale
}

// unvarying is the scale of a feature that does not vary in the training rows. It is
// finite so that it can be saved.
const unvarying = 1e300
