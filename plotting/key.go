package plotting

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// key is a legend that finds its place: where nothing is drawn if it is short, else
// to the right of the axes, where it makes room for itself.
type key struct {
	entries       []keyEntry
	style         text.Style
	width, height vg.Length
	outside       bool
	x, y          float64 // of the axes, from 0 to 1: where it stands inside
	runs          []plotter.XYs
	bands         []stretch
}

type keyEntry struct {
	lines []string
	thumb plot.Thumbnailer // nil: a note
}

const (
	keySample  = 30  // the width of a sample
	keyMost    = 150 // the width of its text
	keyGap     = 10  // to what is beside it
	keyEntries = 4   // that may stand inside
	keyTries   = 40  // more than have room on any figure; to measure thousands takes a minute
	keyLetters = 500 // more than have room in any line; to measure a million takes seconds
)

func newKey(p *plot.Plot) *key { return &key{style: p.Legend.TextStyle} }

// add adds an entry, without a sample if thumb is nil. Those that have no room are only counted.
func (k *key) add(name string, thumb plot.Thumbnailer) {
	e := keyEntry{thumb: thumb}
	if len(k.entries) < keyTries {
		e.lines = k.wrap(name)
	}
	k.entries = append(k.entries, e)
}

// taken tells the key what is drawn.
func (k *key) taken(runs []plotter.XYs, bands []stretch) {
	k.runs, k.bands = append(k.runs, runs...), append(k.bands, bands...)
}

// dots tells the key of points that no line joins.
func (k *key) dots(points plotter.XYs) {
	for i := range points {
		k.runs = append(k.runs, points[i:i+1])
	}
}

// wrap breaks a name at its spaces into lines of at most keyMost.
func (k *key) wrap(name string) []string {
	var lines []string
	for word := range strings.FieldsSeq(name) {
		if r := []rune(word); len(r) > keyLetters || k.style.Width(word) > keyMost {
			n := min(len(r), 100)
			for n > 1 && k.style.Width(string(r[:n])+"…") > keyMost {
				n--
			}
			word = string(r[:n]) + "…"
		}
		if n := len(lines); n > 0 && k.style.Width(lines[n-1]+" "+word) <= keyMost {
			lines[n-1] += " " + word
		} else {
			lines = append(lines, word)
		}
		if len(lines) > 3 {
			return append(lines[:2:2], lines[2]+" …")
		}
	}
	return lines
}

// place adds the key to the figure, whose axes are set.
func (k *key) place(p *plot.Plot) {
	if len(k.entries) == 0 {
		return
	}
	c := p.DataCanvas(page(draw.NewCanvas(new(recorder.Canvas), width, height)))
	k.fit(c.Size().Y + 25)
	if len(k.entries) <= keyEntries {
		r := newRoom(c, p, k.runs, k.bands)
		for _, at := range [][2]float64{{1, 1}, {0, 1}, {1, 0}, {0, 0}, {0.5, 1}, {0.5, 0}, {1, 0.5}, {0, 0.5}} {
			k.x, k.y = at[0], at[1]
			if r.free(k.box(c.Rectangle)) {
				p.Add(k)
				return
			}
		}
	}
	k.outside = true
	p.Add(k)
}

// fit sets the size of the key, in smaller letters if it is too high, and leaves out
// entries, with a word on it, if that is not enough.
func (k *key) fit(most vg.Length) {
	all := k.entries
	if len(all) > keyTries {
		k.entries = all[:keyTries]
	}
	for k.measure(); k.height > most && k.style.Font.Size > 7.5; k.measure() {
		k.style.Font.Size -= 0.5
	}
	for n := len(k.entries) - 1; k.height > most && n > 0; n-- {
		note := keyEntry{lines: []string{fmt.Sprintf("and %d more", len(all)-n)}}
		k.entries = append(slices.Clone(all[:n]), note)
		k.measure()
	}
}

func (k *key) measure() {
	k.width, k.height = 0, 0
	for _, e := range k.entries {
		for _, l := range e.lines {
			k.width = max(k.width, k.style.Width(l))
		}
		k.height += k.lineHeight()*vg.Length(len(e.lines)) + 2
	}
	k.width += keySample + 6
}

func (k *key) lineHeight() vg.Length { return k.style.Font.Size * 1.15 }

// box is where the key stands on a canvas of which c is the part within the axes.
func (k *key) box(c vg.Rectangle) vg.Rectangle {
	size := vg.Point{X: k.width, Y: k.height}
	if k.outside {
		min := vg.Point{X: c.Max.X + keyGap, Y: c.Max.Y - k.height}
		return vg.Rectangle{Min: min, Max: min.Add(size)}
	}
	free := c.Size().Sub(size).Sub(vg.Point{X: 2 * keyGap, Y: 2 * keyGap})
	min := c.Min.Add(vg.Point{X: keyGap + vg.Length(k.x)*free.X, Y: keyGap + vg.Length(k.y)*free.Y})
	return vg.Rectangle{Min: min, Max: min.Add(size)}
}

// GlyphBoxes makes room to the right of the axes.
func (k *key) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	if !k.outside {
		return nil
	}
	return []plot.GlyphBox{{X: 1, Y: 0.5, Rectangle: vg.Rectangle{Max: vg.Point{X: keyGap + k.width}}}}
}

// Plot draws the key.
func (k *key) Plot(c draw.Canvas, _ *plot.Plot) {
	box := k.box(c.Rectangle)
	if !k.outside { // the grid would run through the text
		c.SetColor(color.White)
		c.Fill(box.Path())
	}
	line := k.lineHeight()
	y := box.Max.Y
	for _, e := range k.entries {
		if e.thumb != nil {
			e.thumb.Thumbnail(&draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: box.Min.X, Y: y - line + 1.5},
				Max: vg.Point{X: box.Min.X + keySample, Y: y - 1},
			}})
		}
		for _, l := range e.lines {
			y -= line
			c.FillText(k.style, vg.Point{X: box.Min.X + keySample + 6, Y: y + k.style.FontExtents().Descent}, l)
		}
		y -= 2
	}
}

// room knows where on a canvas something is drawn.
type room struct {
	vg.Rectangle
	cells map[[2]int]bool
}

const roomCell = 3 // points

// newRoom marks what the runs and bands cover.
func newRoom(c draw.Canvas, p *plot.Plot, runs []plotter.XYs, bands []stretch) room {
	r := room{c.Rectangle, map[[2]int]bool{}}
	toX, toY := p.Transforms(&c)
	for _, run := range runs {
		points := toPoints(run, toX, toY)
		for i, at := range points {
			r.line(points[max(i-1, 0)], at)
		}
	}
	for _, b := range bands {
		low, high := toPoints(b.low, toX, toY), toPoints(b.high, toX, toY)
		for i := range low {
			j := max(i-1, 0)
			steps := 1 + int((low[i].X-low[j].X)/roomCell)
			for s := range steps + 1 {
				t := vg.Length(s) / vg.Length(steps)
				r.line(low[j].Add(low[i].Sub(low[j]).Scale(t)), high[j].Add(high[i].Sub(high[j]).Scale(t)))
			}
		}
	}
	return r
}

func (r room) cell(at vg.Point) [2]int {
	at = at.Sub(r.Min)
	return [2]int{int(math.Floor(float64(at.X / roomCell))), int(math.Floor(float64(at.Y / roomCell)))}
}

func (r room) line(a, b vg.Point) {
	d := b.Sub(a)
	long := max(math.Abs(float64(d.X)), math.Abs(float64(d.Y)))
	if !(long < 10_000) { // not on any page
		return
	}
	steps := 1 + int(long/(roomCell/1.5))
	for s := range steps + 1 {
		r.cells[r.cell(a.Add(d.Scale(vg.Length(s)/vg.Length(steps))))] = true
	}
}

// free reports whether a box lies within the room with nothing in it or close by.
func (r room) free(box vg.Rectangle) bool {
	margin := vg.Point{X: 5, Y: 5}
	if box.Min.X < r.Min.X || box.Min.Y < r.Min.Y {
		return false
	}
	from, to := r.cell(box.Min.Sub(margin)), r.cell(box.Max.Add(margin))
	for x := from[0]; x <= to[0]; x++ {
		for y := from[1]; y <= to[1]; y++ {
			if r.cells[[2]int{x, y}] {
				return false
			}
		}
	}
	return true
}
