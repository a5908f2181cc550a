package plotting

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The house style. Colours are those of Okabe and Ito (2008), told apart by readers
// with any of the common colour blindnesses; lines differ in dash as well, so that
// print in grey still works.
var (
	ink     = color.NRGBA{R: 0x22, G: 0x22, B: 0x22, A: 0xff}
	faint   = color.NRGBA{R: 0xdd, G: 0xdd, B: 0xdd, A: 0xff}
	palette = []color.Color{
		color.NRGBA{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}, // blue
		color.NRGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff}, // vermilion
		color.NRGBA{R: 0x00, G: 0x9e, B: 0x73, A: 0xff}, // green
		color.NRGBA{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff}, // purple
		color.NRGBA{R: 0xe6, G: 0x9f, B: 0x00, A: 0xff}, // orange
		color.NRGBA{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff}, // sky
	}
	dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}, {10, 4}, {4, 2}}
)

const (
	width  = 8 * vg.Inch
	height = vg.Length(3.6 * vg.Inch)
	dpi    = 110

	titleSize = 13
	labelSize = 11
	tickSize  = 10
)

// newPlot returns an empty figure in the house style.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	sans := func(size float64) font.Font {
		return font.Font{Typeface: "Liberation", Variant: "Sans", Size: font.Length(size)}
	}
	spelt := newLetters()
	p.TextHandler, p.Title.TextStyle.Handler, p.Legend.TextStyle.Handler = spelt, spelt, spelt
	p.Title.TextStyle.Font = sans(titleSize)
	p.Title.TextStyle.Color = ink
	p.Title.Padding = 6
	p.Legend.TextStyle.Font = sans(tickSize)
	p.Legend.TextStyle.Color = ink
	p.Legend.Top = true
	p.Legend.Padding = 2
	p.Legend.ThumbnailWidth = 22
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Handler, a.Tick.Label.Handler = spelt, spelt
		a.Label.TextStyle.Font = sans(labelSize)
		a.Label.TextStyle.Color = ink
		a.Label.Padding = 4
		a.Tick.Label.Font = sans(tickSize)
		a.Tick.Label.Color = ink
		a.Color, a.Tick.Color = ink, ink
		a.Padding = 3
	}
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = faint, faint
	p.Add(g)
	return p
}

// lineStyle returns the style of the i-th line of a figure.
func lineStyle(i int) draw.LineStyle {
	return draw.LineStyle{Color: palette[i%len(palette)], Width: 1.6, Dashes: dashes[i%len(dashes)]}
}

// glyphStyle returns the style of the i-th set of points of a figure.
func glyphStyle(i int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: palette[i%len(palette)], Radius: 3.5, Shape: draw.CircleGlyph{}}
}

// largest is the size beyond which gonum/plot's search for tick marks may not end.
const largest = 1e300

// drawable returns an error if a value is too large for any axis.
func drawable(what string, v []float64) error {
	for i, x := range v {
		if math.Abs(x) > largest && !math.IsInf(x, 0) {
			return fmt.Errorf("plotting: %s: value %d is %g, too large for an axis", what, i+1, x)
		}
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
