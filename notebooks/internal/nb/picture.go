package nb

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"slices"
	"strings"
)

// pictureTag marks the code cell whose figure stands for its notebook.
const pictureTag = "picture"

// Picture returns the figure that stands for the notebook: the last one of the cell that
// is tagged "picture", else the last of all.
func (n *Notebook) Picture() ([]byte, error) {
	figure, tagged := "", 0
	for i, c := range n.Code() {
		if tagged == 0 || slices.Contains(c.Metadata.Tags, pictureTag) {
			if slices.Contains(c.Metadata.Tags, pictureTag) {
				if tagged != 0 {
					return nil, fmt.Errorf("cells [%d] and [%d] are both tagged %q", tagged, i+1, pictureTag)
				}
				figure, tagged = "", i+1
			}
			for _, o := range c.Outputs {
				if text, ok := o.In("image/png"); ok {
					figure = text
				}
			}
		}
	}
	switch {
	case figure == "" && tagged != 0:
		return nil, fmt.Errorf("cell [%d] is tagged %q and has no figure", tagged, pictureTag)
	case figure == "":
		return nil, errors.New("there is no figure")
	}
	return base64.StdEncoding.DecodeString(strings.ReplaceAll(figure, "\n", ""))
}

// Reduce returns a PNG image with at most so many colours, 256 or fewer, or the image as
// it is where that takes no less room.
func Reduce(data []byte, colours int) ([]byte, error) {
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	few := image.NewPaletted(m.Bounds(), medianCut(m, colours))
	draw.Draw(few, few.Bounds(), m, m.Bounds().Min, draw.Src) // each point in the nearest colour
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, few); err != nil {
		return nil, err
	}
	if b.Len() >= len(data) {
		return data, nil
	}
	return b.Bytes(), nil
}

// shade is a colour of an image and how many points have it.
type shade struct {
	color.RGBA
	points int
}

func (s shade) channel(i int) int { return int([]uint8{s.R, s.G, s.B}[i]) }

// medianCut returns at most n of the image's colours that stand for all. Half of them are
// the most frequent, so that what is drawn in one colour keeps it: the ground, lines, a
// faint grid. The set of the others is halved along its widest channel, then again the
// widest of the parts, and each part gives its most frequent colour.
func medianCut(m image.Image, n int) color.Palette {
	all := shades(m)
	slices.SortStableFunc(all, func(a, b shade) int { return b.points - a.points })
	var palette color.Palette
	for _, s := range all[:min(n/2, len(all))] {
		palette = append(palette, s.RGBA)
	}
	if len(palette) == len(all) {
		return palette
	}
	parts := [][]shade{all[len(palette):]}
	n -= len(palette)
	for len(parts) < n {
		which, axis, most := 0, 0, 0
		for i, p := range parts {
			for c := range 3 {
				by := func(a, b shade) int { return a.channel(c) - b.channel(c) }
				if wide := slices.MaxFunc(p, by).channel(c) - slices.MinFunc(p, by).channel(c); wide > most {
					which, axis, most = i, c, wide
				}
			}
		}
		if most == 0 {
			break // a colour each
		}
		p := parts[which]
		slices.SortStableFunc(p, func(a, b shade) int { return a.channel(axis) - b.channel(axis) })
		middle := len(p) / 2
		parts[which] = p[:middle]
		parts = append(parts, p[middle:])
	}
	for _, p := range parts {
		palette = append(palette, slices.MaxFunc(p, func(a, b shade) int { return a.points - b.points }).RGBA)
	}
	return palette
}

// shades returns the colours of an image, each once, in a fixed order.
func shades(m image.Image) []shade {
	points := make(map[color.RGBA]int)
	for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
		for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
			points[color.RGBAModel.Convert(m.At(x, y)).(color.RGBA)]++
		}
	}
	all := make([]shade, 0, len(points))
	for c, n := range points {
		all = append(all, shade{c, n})
	}
	slices.SortFunc(all, func(a, b shade) int {
		return cmp.Or(cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B), cmp.Compare(a.A, b.A))
	})
	return all
}
