package plotting

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Show displays the figure inline, as PNG, in a GoNB notebook; elsewhere it does
// nothing, use Save there. Given an error, or a figure that cannot be drawn, it says
// so in place of the figure, in a terminal on standard error.
func Show(p *plot.Plot, err error) {
	var png []byte
	switch {
	case err == nil && gonbui.IsNotebook:
		png, err = PNG(p)
	case err == nil:
		_, err = paint(p)
	}
	switch {
	case err != nil && gonbui.IsNotebook:
		gonbui.DisplayMarkdown("**No figure:** " + err.Error())
	case err != nil:
		fmt.Fprintln(os.Stderr, "no figure:", err)
	case gonbui.IsNotebook:
		gonbui.DisplayPng(png)
	}
	if gonbui.IsNotebook {
		gonbui.Sync()
	}
}

// PNG returns the figure as a PNG picture of 880×396 points, or less high for a diagram
// that needs less. It errs if there is no figure or it cannot be drawn.
func PNG(p *plot.Plot) ([]byte, error) {
	c, err := paint(p)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(&b); err != nil {
		return nil, fmt.Errorf("plotting: %w", err)
	}
	return b.Bytes(), nil
}

// paint draws the figure on a canvas of its size.
func paint(p *plot.Plot) (c *vgimg.Canvas, err error) {
	if p == nil {
		return nil, errors.New("plotting: there is no figure to draw")
	}
	// gonum/plot panics on axes it cannot lay out; that is no reason to end a notebook
	// cell without a word.
	defer func() {
		if r := recover(); r != nil {
			c, err = nil, fmt.Errorf("plotting: cannot draw the figure: %v", r)
		}
	}()
	high := height
	if diagram, ok := p.X.Tick.Marker.(bare); ok {
		high = diagram.height
	}
	c = vgimg.NewWith(vgimg.UseWH(width, high), vgimg.UseDPI(dpi))
	p.Draw(page(draw.New(c)))
	return c, nil
}

// page returns the part of a canvas that a figure takes. The margin keeps the last tick
// label from being cut off.
func page(c draw.Canvas) draw.Canvas { return draw.Crop(c, 4, -14, 4, -6) }

// Save writes the figure to a PNG file.
func Save(path string, p *plot.Plot, err error) error {
	if err != nil {
		return err
	}
	png, err := PNG(p)
	if err != nil {
		return err
	}
	return os.WriteFile(path, png, 0o644)
}

// ShowTable displays the table: in a GoNB notebook as Markdown, with the aligned
// text beside it for programs that read the notebook; elsewhere it prints the text.
func ShowTable(t Table) {
	if !gonbui.IsNotebook {
		fmt.Println(t)
		return
	}
	gonbui.SendData(&protocol.DisplayData{Data: map[protocol.MIMEType]any{
		protocol.MIMETextMarkdown: t.Markdown(),
		protocol.MIMETextPlain:    t.String(),
	}})
	gonbui.Sync()
}
