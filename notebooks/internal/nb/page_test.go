package nb

import (
	"strings"
	"testing"
)

// A finished page has no script and asks for nothing; formulas are MathML, but not what only
// looks like one, in code or in a link; and links lead to the other pages.
func TestFinish(t *testing.T) {
	page := `<html><head><title>a $x$</title><script src="https://elsewhere/MathJax.js"></script>` +
		`<link rel="stylesheet" href="file:///usr/share/x.css"><style>p { margin: 0 }</style></head><body class="jp">` +
		`<h2 id="read-$x$">Read off $h_0$<a href="#read-$%5COmega$">¶</a></h2><p>one ($x$), and $$a &lt; \frac12$$ see <a href="02_next.ipynb">02</a>, ` +
		`<a href="INDEX.md">the index</a> and <a href="solutions/01_a.md">answers</a>, not <a target="_blank" href="../twornn/doc.go"><code>doc.go</code></a></p><pre>costs $5 or $6</pre><script>run()</script></body></html>`
	got, err := finish(page, Links("", "02_next"))
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"<script", "https://", "file://", "run()", "../twornn"} {
		if strings.Contains(got, gone) {
			t.Errorf("%s is left in %s", gone, got)
		}
	}
	for _, want := range []string{"<msub><mi>h</mi>", `display="block"`, "<pre>costs $5 or $6</pre>", `id="read-$x$"`, `href="#read-$%5COmega$"`,
		`<a href="02_next.html">02</a>`, `href="paper.html"`, `href="solutions_01_a.html"`, "not <code>doc.go</code></p>", "p { margin: 0 }"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if whole := `<span class="keep">(<math xmlns="http://www.w3.org/1998/Math/MathML"><mrow><mi>x</mi></mrow></math>),</span> and`; !strings.Contains(got, whole) {
		t.Errorf("no %s in %s", whole, got)
	}
	if n := strings.Count(got, `href="02_next.html">02_next →</a>`); n != 2 {
		t.Errorf("%d links to the next page, want one above and one below", n)
	}
	if _, err := finish(strings.Replace(page, "h_0", `\unheard h`, 1), ""); err == nil || !strings.Contains(err.Error(), `\unheard`) {
		t.Errorf("a formula that is not known: %v", err)
	}
}
