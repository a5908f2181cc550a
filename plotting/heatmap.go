package plotting

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// HeatMap draws a matrix, such as a Hankel block, its first row at the top: blue below
// zero, white at zero, orange above, and beside it a bar with the values of the
// colours, whose range is symmetric about zero. The labels name the rows and columns, as
// words do those of a Hankel block; nil numbers them. Of labels that do not fit only
// every other one, or fewer, are written. A matrix of at most 12×12 has its values
// written into the cells, if they fit.
//
// Of a matrix of more than 200 rows or columns each cell drawn is the mean of several
// entries, or of a hundred among them, and the axis says of how many. Entries that are
// not finite are grey and crossed, and the axis counts them.
//
// HeatMap errs if the matrix has no entries or none that is finite, if the labels are
// not as many as the rows or columns, or if an entry is beyond 1e300.
func HeatMap(title string, m mat.Matrix, rows, columns []string) (*plot.Plot, error) {
	if d, ok := m.(*mat.Dense); m == nil || ok && d == nil {
		return nil, errors.New("plotting: there is no matrix to draw")
	}
	r, c := m.Dims()
	switch {
	case r == 0 || c == 0:
		return nil, fmt.Errorf("plotting: a matrix of %d×%d has no entries to draw", r, c)
	case rows != nil && len(rows) != r:
		return nil, fmt.Errorf("plotting: %s for %s", count(len(rows), "row label"), count(r, "row"))
	case columns != nil && len(columns) != c:
		return nil, fmt.Errorf("plotting: %s for %s", count(len(columns), "column label"), count(c, "column"))
	}
	h, err := newHeat(m)
	if err != nil {
		return nil, err
	}
	x, y := "column", "row"
	if columns != nil {
		x = ""
	}
	if rows != nil {
		y = ""
	}
	note := func(s string) {
		if x != "" {
			x += "; "
		}
		x += s
	}
	if h.high > 1 || h.wide > 1 {
		note(fmt.Sprintf("each cell is the mean of %d×%d entries", h.high, h.wide))
	}
	if h.missing > 0 {
		note(fmt.Sprintf("grey: %s missing", count(h.missing, "value")))
	}
	p := newPlot(title, x, y)
	h.number = p.X.Tick.Label
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0.5, float64(c)+0.5, -float64(r)-0.5, -0.5
	p.X.Padding, p.Y.Padding = 0, 0
	width, lines := vg.Length(0), 0
	for _, l := range columns {
		width = max(width, h.number.Width(short(l)))
	}
	if fits := float64(420 / (width + 6)); columns != nil {
		lines = int(min(fits, 60))
	}
	p.X.Tick.Marker = cellTicks{columns, c, max(lines, 1), 1}
	p.Y.Tick.Marker = cellTicks{rows, r, 14, -1}
	p.Add(h)
	return p, nil
}

// maxCells bounds the rows and columns of cells that are drawn.
const maxCells = 200

// heat holds the cells of a heat map.
type heat struct {
	rows, columns int       // of the matrix
	high, wide    int       // entries a cell
	cells         []float64 // by row; NaN is missing
	across        int       // cells a row
	limit         float64   // the largest size
	missing       int       // entries
	number        text.Style
}

// newHeat averages a matrix to at most maxCells in each direction.
func newHeat(m mat.Matrix) (*heat, error) {
	r, c := m.Dims()
	h := &heat{rows: r, columns: c, high: (r + maxCells - 1) / maxCells, wide: (c + maxCells - 1) / maxCells}
	h.across = (c + h.wide - 1) / h.wide
	// A cell of more than 10×10 entries is the mean of a hundred of them.
	stepI, stepJ := max(1, h.high/10), max(1, h.wide/10)
	for i := 0; i < r; i += h.high {
		for j := 0; j < c; j += h.wide {
			mean, n := 0.0, 0.0
			for k := i; k < min(i+h.high, r); k += stepI {
				for l := j; l < min(j+h.wide, c); l += stepJ {
					v := m.At(k, l)
					switch {
					case !finite(v):
						h.missing++
						continue
					case math.Abs(v) > largest:
						return nil, fmt.Errorf("plotting: entry (%d, %d) of the matrix is %g, too large for a colour", k+1, l+1, v)
					}
					n++
					mean += (v - mean) / n
				}
			}
			if n == 0 {
				mean = math.NaN()
			} else {
				h.limit = max(h.limit, math.Abs(mean))
			}
			h.cells = append(h.cells, mean)
		}
	}
	if h.missing > 0 && !h.any() {
		return nil, fmt.Errorf("plotting: the matrix of %d×%d has no finite entry", r, c)
	}
	if h.limit < 1/largest { // all zero
		h.limit = 1
	}
	return h, nil
}

func (h *heat) any() bool {
	for _, v := range h.cells {
		if finite(v) {
			return true
		}
	}
	return false
}

// diverging holds the colours from the least value to the largest, evenly spaced. Blue
// and orange are told apart by readers with any of the common colour blindnesses.
var diverging = []color.NRGBA{
	{R: 0x05, G: 0x30, B: 0x61, A: 0xff}, {R: 0x21, G: 0x66, B: 0xac, A: 0xff}, {R: 0x7d, G: 0xb4, B: 0xd9, A: 0xff},
	{R: 0xfa, G: 0xfa, B: 0xfa, A: 0xff},
	{R: 0xf6, G: 0xb6, B: 0x6a, A: 0xff}, {R: 0xd9, G: 0x6c, B: 0x0c, A: 0xff}, {R: 0x7a, G: 0x32, B: 0x04, A: 0xff},
}

// shade returns the colour of a value from −1 to 1.
func shade(v float64) color.NRGBA {
	at := (min(max(v, -1), 1) + 1) / 2 * float64(len(diverging)-1)
	i := min(int(at), len(diverging)-2)
	t := at - float64(i)
	a, b := diverging[i], diverging[i+1]
	mix := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + t*(float64(y)-float64(x)))) }
	return color.NRGBA{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: 0xff}
}

// nowhere is the colour of what is missing.
var nowhere = color.NRGBA{R: 0xc8, G: 0xc8, B: 0xc8, A: 0xff}

// Plot draws the cells, their values, and the bar.
func (h *heat) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	for k, v := range h.cells {
		i, j := k/h.across*h.high, k%h.across*h.wide
		cell := vg.Rectangle{
			Min: vg.Point{X: toX(float64(j) + 0.5), Y: toY(-float64(min(i+h.high, h.rows)) - 0.5)},
			Max: vg.Point{X: toX(float64(min(j+h.wide, h.columns)) + 0.5), Y: toY(-float64(i) - 0.5)},
		}
		fill := cell
		fill.Min.Y -= 0.4 // no seams: the next ones cover it
		fill.Max.X += 0.4
		if i+h.high >= h.rows {
			fill.Min.Y = cell.Min.Y
		}
		if j+h.wide >= h.columns {
			fill.Max.X = cell.Max.X
		}
		c.SetColor(nowhere)
		if finite(v) {
			c.SetColor(shade(v / h.limit))
		}
		c.Fill(fill.Path())
		if !finite(v) {
			line := draw.LineStyle{Color: color.White, Width: 0.8}
			c.StrokeLine2(line, cell.Min.X, cell.Min.Y, cell.Max.X, cell.Max.Y)
			c.StrokeLine2(line, cell.Min.X, cell.Max.Y, cell.Max.X, cell.Min.Y)
		}
	}
	if h.rows <= 12 && h.columns <= 12 {
		h.write(c, toX, toY)
	}
	h.bar(c)
}

// write writes the values into the cells, with as many digits as fit.
func (h *heat) write(c draw.Canvas, toX, toY func(float64) vg.Length) {
	style := h.number
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	style.Font.Size = min(style.Font.Size, (toY(0)-toY(-1))*0.8)
	room := (toX(1) - toX(0)) * 0.92
	if style.Font.Size < 6 {
		return
	}
	for digits := 3; digits > 0; digits-- {
		widest := vg.Length(0)
		for _, v := range h.cells {
			if finite(v) {
				widest = max(widest, style.Width(h.digits(v, digits)))
			}
		}
		if widest > room {
			continue
		}
		for digits > 1 && h.same(digits, digits-1) {
			digits-- // 3 and not 3.00, where all are whole
		}
		for k, v := range h.cells {
			if !finite(v) {
				continue
			}
			style.Color = ink
			if s := shade(v / h.limit); 3*int(s.R)+6*int(s.G)+int(s.B) < 1300 {
				style.Color = color.White
			}
			at := vg.Point{X: toX(float64(k%h.across + 1)), Y: toY(-float64(k/h.across + 1))}
			c.FillText(style, at, h.digits(v, digits))
		}
		return
	}
}

// same says whether every cell is the same number in either number of digits.
func (h *heat) same(more, fewer int) bool {
	for _, v := range h.cells {
		a, errA := strconv.ParseFloat(h.rounded(v, more), 64)
		b, errB := strconv.ParseFloat(h.rounded(v, fewer), 64)
		if finite(v) && (errA != nil || errB != nil || a != b) {
			return false
		}
	}
	return true
}

// digits prints a value with the decimals that give the largest so many digits.
func (h *heat) digits(v float64, digits int) string { return minus(h.rounded(v, digits)) }

// minus writes a number with minus signs in place of hyphens.
func minus(number string) string { return strings.ReplaceAll(number, "-", "−") }

func (h *heat) rounded(v float64, digits int) string {
	e := int(math.Floor(math.Log10(h.limit)))
	switch {
	case v == 0:
		return "0"
	case e < -3 || e > 4:
		return plain(fmt.Sprintf("%.*e", digits-1, v))
	}
	s := fmt.Sprintf("%.*f", max(0, digits-1-e), v)
	for _, d := range s {
		if d >= '1' && d <= '9' {
			return s
		}
	}
	if v < 0 {
		return s[1:] // no −0.00
	}
	return s
}

const (
	barGap, barWidth = 16, 12
)

// GlyphBoxes makes room for the bar.
func (h *heat) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	width := vg.Length(0)
	for _, t := range h.barTicks() {
		width = max(width, h.number.Width(t.Label))
	}
	return []plot.GlyphBox{{X: 1, Y: 0.5, Rectangle: vg.Rectangle{Max: vg.Point{X: barGap + barWidth + 6 + width}}}}
}

func (h *heat) barTicks() []plot.Tick {
	ticks := round{}.Ticks(-h.limit, h.limit)
	for i, t := range ticks {
		ticks[i].Label = minus(plain(t.Label))
	}
	return ticks
}

// plain prints exponents as power does, without a zero or a plus before them.
func plain(s string) string {
	return strings.NewReplacer("e-0", "e-", "e+0", "e", "e+", "e").Replace(s)
}

// bar draws the colours beside the matrix, with their values.
func (h *heat) bar(c draw.Canvas) {
	box := vg.Rectangle{Min: vg.Point{X: c.Max.X + barGap, Y: c.Min.Y}, Max: vg.Point{X: c.Max.X + barGap + barWidth, Y: c.Max.Y}}
	const steps = 128
	high := box.Size().Y
	for i := range steps {
		part := box
		part.Min.Y += high * vg.Length(i) / steps
		c.SetColor(shade(2*(float64(i)+0.5)/steps - 1))
		c.Fill(part.Path())
	}
	line := draw.LineStyle{Color: ink, Width: 0.6}
	c.SetLineStyle(line)
	c.Stroke(box.Path())
	style := h.number
	style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
	for _, t := range h.barTicks() {
		y := box.Min.Y + high*vg.Length((t.Value/h.limit+1)/2)
		c.StrokeLine2(line, box.Max.X, y, box.Max.X+3, y)
		c.FillText(style, vg.Point{X: box.Max.X + 6, Y: y}, t.Label)
	}
}

// cellTicks marks rows or columns with their labels, at most so many, or else with
// their numbers. The side is −1 for rows, which go down.
type cellTicks struct {
	labels []string
	n      int
	most   int
	side   float64
}

func (t cellTicks) Ticks(_, _ float64) []plot.Tick {
	if t.labels == nil {
		ticks := ranks{1, t.n}.Ticks(0, 0)
		for i := range ticks {
			ticks[i].Value *= t.side
		}
		return ticks
	}
	var ticks []plot.Tick
	for i := 0; i < t.n; i += (t.n + t.most - 1) / t.most {
		ticks = append(ticks, plot.Tick{Value: t.side * float64(i+1), Label: short(t.labels[i])})
	}
	return ticks
}

// short cuts a long label.
func short(s string) string {
	if r := []rune(s); len(r) > 16 {
		return string(r[:15]) + "…"
	}
	return s
}
