package nb

import (
	"fmt"
	"html"
	"regexp"
	"strings"
)

// Around is what stands above and below a page of the course: links, as HTML. It may be empty.
type Around string

// Links returns the links of a page of the course: to the one before it, to the index, and to
// the one after it. Names are those of notebooks, without their ending; "" is none.
func Links(before, after string) Around {
	link := func(name, text string) string {
		if name == "" {
			return "<span></span>"
		}
		return fmt.Sprintf(`<a href="%s.html">%s</a>`, name, text)
	}
	return Around(`<nav class="course">` + link(before, "← "+before) + link("index", "the course") + link(after, after+" →") + "</nav>")
}

// pageStyle makes a page readable: lines that are not too long, tables as wide as what is in
// them, lines of output broken between words, and figures no wider than the page. The fonts are
// those of the systems that know where scripts are set; without one a browser sets them too high.
const pageStyle = `<style>
.course { display: flex; justify-content: space-between; gap: 1em; max-width: 60em; margin: 1em auto; padding: 0 1em; font-family: sans-serif; }
.course a { color: #1976d2; text-decoration: none; }
.course a:hover { text-decoration: underline; }
.course > * { flex: 1; text-align: center; }
.course > :first-child { text-align: left; }
.course > :last-child { text-align: right; }
main, body > .jp-Notebook { max-width: 68em; margin: 0 auto; }
.jp-RenderedMarkdown table { width: auto; margin: 0.7em 0 1.2em; font-size: 0.95em; overflow-x: auto; display: block; }
.jp-RenderedMarkdown td, .jp-RenderedMarkdown th { padding: 0.25em 0.7em; vertical-align: top; white-space: normal; line-height: 1.3; }
.jp-RenderedMarkdown td:first-child:has(math), .jp-RenderedMarkdown td code { white-space: nowrap; }
.jp-OutputArea-output pre { word-break: normal; overflow-wrap: anywhere; }
.jp-RenderedImage img { max-width: 100%; height: auto; }
math { font-size: 1.08em; font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", "DejaVu Math TeX Gyre", math; }
math[display="block"] { margin: 0.6em 0; }
.keep { white-space: nowrap; }
</style>`

var (
	// Scripts, and links to style sheets elsewhere: a page does without either.
	pageScript = regexp.MustCompile(`(?s)<script\b.*?</script>|<link\b[^>]*\bhref=[^>]*>`)
	// What holds no formulas, and what may.
	verbatim = regexp.MustCompile(`(?s)<pre\b.*?</pre>|<code\b.*?</code>|<style\b.*?</style>|<title\b.*?</title>|<[A-Za-z/!][^>]*>`)
	// A formula on a line takes the signs beside it along, so that no line begins with a comma.
	formula = regexp.MustCompile(`(?s)\$\$(.+?)\$\$|([(]?)\$([^$]+?)\$([.,;:!?)]*)`)
	// Links that leave the folder: a page that was moved would miss what they lead to.
	outside = regexp.MustCompile(`(?s)<a [^>]*href="\.\./[^"]*"[^>]*>(.*?)</a>`)
	// Links from one notebook to another, and to the index and the solutions.
	local = regexp.MustCompile(`href="((?:solutions/)?[A-Za-z0-9_]+)\.(?:ipynb|md)([^"]*)"`)
)

// finish makes a page of nbconvert's one that needs nothing else.
func finish(page string, around Around) (string, error) {
	page = pageScript.ReplaceAllString(page, "")
	page = outside.ReplaceAllString(page, "$1")
	page = local.ReplaceAllStringFunc(page, func(link string) string {
		m := local.FindStringSubmatch(link)
		name := m[1]
		if name == "INDEX" {
			name = "paper"
		}
		return `href="` + strings.ReplaceAll(name, "solutions/", "solutions_") + `.html` + m[2] + `"`
	})
	head, body, ok := strings.Cut(page, "</head>")
	if !ok {
		return "", fmt.Errorf("the page has no head")
	}
	body, err := withMath(body)
	if err != nil {
		return "", err
	}
	at := strings.Index(body, ">") + 1 // behind <body …>
	end := strings.LastIndex(body, "</body>")
	if at == 0 || end < at {
		return "", fmt.Errorf("the page has no body")
	}
	body = body[:at] + string(around) + body[at:end] + string(around) + body[end:]
	return head + pageStyle + "</head>" + body, nil
}

// withMath writes the formulas of a page as MathML.
func withMath(body string) (string, error) {
	var b strings.Builder
	var first error
	convert := func(text string) string {
		return formula.ReplaceAllStringFunc(text, func(found string) string {
			m := formula.FindStringSubmatch(found)
			tex := html.UnescapeString(m[1] + m[3])
			// What stood between formulas was Markdown to nbconvert in places: none is left.
			math, err := MathML(tex, m[1] != "")
			if err != nil && first == nil {
				first = err
			}
			if m[2]+m[4] != "" {
				return `<span class="keep">` + m[2] + math + m[4] + "</span>"
			}
			return math
		})
	}
	last := 0
	for _, at := range verbatim.FindAllStringIndex(body, -1) {
		b.WriteString(convert(body[last:at[0]]))
		b.WriteString(body[at[0]:at[1]])
		last = at[1]
	}
	b.WriteString(convert(body[last:]))
	return b.String(), first
}
