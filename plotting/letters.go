package plotting

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// letters draws plain text in which characters that the font lacks, which would be blank or
// all the same box, are spelt by their numbers: 日 as [U+65E5].
type letters struct{ text.Handler }

func newLetters() letters { return letters{plot.DefaultTextHandler} }

// Box implements text.Handler.
func (l letters) Box(txt string, f font.Font) (width, height, depth vg.Length) {
	return l.Handler.Box(l.spell(txt, f), f)
}

// Draw implements text.Handler.
func (l letters) Draw(c vg.Canvas, txt string, sty text.Style, pt vg.Point) {
	l.Handler.Draw(c, l.spell(txt, sty.Font), sty, pt)
}

// spell returns the text as it is drawn. What has no width by nature, such as a joiner or a
// byte order mark, is left out; of other blanks and controls there is a blank.
func (l letters) spell(txt string, f font.Font) string {
	face := l.Cache().Lookup(f, f.Size).Face
	var buffer sfnt.Buffer
	var b strings.Builder
	for _, r := range txt {
		i, err := face.GlyphIndex(&buffer, r)
		switch {
		case r == '\n':
			b.WriteRune(r)
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector):
		case unicode.IsSpace(r) || unicode.IsControl(r):
			b.WriteByte(' ')
		case err != nil || i == 0:
			fmt.Fprintf(&b, "[U+%04X]", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
