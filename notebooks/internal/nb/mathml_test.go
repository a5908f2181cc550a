package nb

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

func TestMathML(t *testing.T) {
	for _, c := range []struct{ tex, want string }{
		{`h_t`, `<msub><mi>h</mi><mrow><mi>t</mi></mrow></msub>`},
		{`d^{2L}`, `<msup><mi>d</mi><mrow><mrow><mn>2</mn><mi>L</mi></mrow></mrow></msup>`},
		{`A_i^\top`, `<msubsup><mi>A</mi><mrow><mi>i</mi></mrow><mrow><mi>⊤</mi></mrow></msubsup>`},
		{`\sum_{i=1}^d x`, `<munderover><mo stretchy="false">∑</mo>`},
		{`\mathcal H^{(l)}`, `<msup><mi>ℋ</mi>`},
		{`\mathbb R`, `<mi>ℝ</mi>`},
		{`\frac1{s_k^2}`, `<mfrac><mn>1</mn><mrow><msubsup>`},
		{`\hat{\mathcal H}`, `<mover accent="true"><mrow><mi>ℋ</mi></mrow><mo>^</mo></mover>`},
		{`\tfrac12x^23`, `<mfrac><mn>1</mn><mn>2</mn></mfrac><msup><mi>x</mi><mrow><mn>2</mn></mrow></msup><mn>3</mn>`},
		{`a < b`, `<mo stretchy="false">&lt;</mo>`},
		{`0.05`, `<mn>0.05</mn>`},
		{`20{,}000`, `<mn>20,000</mn>`},
		{`\begin{pmatrix} B & C \\ 0 & B \end{pmatrix}`, `<mtr><mtd><mi>B</mi></mtd><mtd><mi>C</mi></mtd></mtr><mtr>`},
		// A sign is not a difference, bars and strokes stand close, and names keep to their brackets.
		{`(-1, 1)`, `<mo stretchy="false">(</mo><mo stretchy="false" lspace="0" rspace="0">−</mo><mn>1</mn>`},
		{`(x) - 1`, `<mo stretchy="false">)</mo><mo>−</mo>`},
		{`\hat x - 1`, `</mover><mo>−</mo>`},
		{`\|H\| - 1`, `<mi>H</mi><mo stretchy="false" lspace="0" rspace="0">‖</mo><mo>−</mo>`},
		{`2^{-|w|}`, `<mrow><mo stretchy="false" lspace="0" rspace="0">−</mo><mo stretchy="false" lspace="0" rspace="0">|</mo><mi>w</mi>`},
		{`1/N`, `<mo stretchy="false" lspace="0" rspace="0">/</mo>`},
		{`U \operatorname{diag}(s)`, `<mo lspace="0.17em" rspace="0">diag</mo>`},
		{`\log 2`, `<mo lspace="0" rspace="0.17em">log</mo>`},
		{`= \max(a, b)`, `<mo lspace="0" rspace="0">max</mo>`},
	} {
		got, err := MathML(c.tex, false)
		if err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, %v, want %s", c.tex, got, err, c.want)
		}
		wellFormed(t, got)
	}
	if got, _ := MathML("x", true); !strings.Contains(got, `display="block"`) {
		t.Error(got)
	}
	for _, bad := range []string{`\nonsense`, `{x`, `x_`, `\frac{1}`, `€`, `\mathcal{7}`, `\begin{cases}x\end{cases}`, `\begin{pmatrix} x`} {
		if got, err := MathML(bad, false); err == nil {
			t.Errorf("%q gave %s", bad, got)
		}
	}
}

func wellFormed(t *testing.T, s string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(s))
	d.Entity = xml.HTMLEntity
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Errorf("%v in %s", err, s)
			return
		}
	}
}
