package nb

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode"
)

// MathML turns a formula as notebooks write it, in the part of TeX that the course uses, into
// MathML, which browsers draw by themselves: without a script, a font or a network. block is
// for a formula on lines of its own. It errs on what it does not know.
func MathML(tex string, block bool) (string, error) {
	p := &texParser{rest: []rune(tex)}
	body, err := p.row("")
	if err != nil {
		return "", fmt.Errorf("formula %q: %w", tex, err)
	}
	display := ""
	if block {
		display = ` display="block"`
	}
	return `<math xmlns="http://www.w3.org/1998/Math/MathML"` + display + "><mrow>" + body + "</mrow></math>", nil
}

// texSigns are the commands that stand for one sign: an identifier, or an operator.
var (
	texLetters = map[string]string{
		"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "eta": "η",
		"theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "rho": "ρ", "sigma": "σ", "tau": "τ", "omega": "ω",
		"Sigma": "Σ", "Omega": "Ω", "infty": "∞", "partial": "∂", "ldots": "…", "dots": "…", "cdots": "⋯",
		"top": "⊤", "dagger": "†", "star": "⋆",
	}
	texOperators = map[string]string{
		"times": "×", "otimes": "⊗", "cdot": "⋅", "bullet": "∙", "ge": "≥", "le": "≤", "approx": "≈", "in": "∈",
		"leftarrow": "←", "mapsto": "↦", "propto": "∝", "sum": "∑", "prod": "∏", "|": "‖",
		"langle": "⟨", "rangle": "⟩", "lceil": "⌈", "rceil": "⌉", "lVert": "‖", "rVert": "‖", "lvert": "|", "rvert": "|",
		"{": "{", "}": "}",
	}
	texNames  = map[string]bool{"max": true, "min": true, "log": true, "tanh": true}
	texSpaces = map[string]string{"quad": "1em", "qquad": "2em", ",": "0.17em", ";": "0.28em", " ": "0.25em", "!": "-0.17em"}
	texHats   = map[string]string{"hat": "^", "tilde": "~", "bar": "¯"}
	texStyles = map[string]rune{"mathcal": '𝒜', "mathbb": '𝔸', "mathbf": '𝐀'} // their A
	// Letters that Unicode had before it had the rest of their alphabet.
	texOdd = map[string]string{"mathcalB": "ℬ", "mathcalE": "ℰ", "mathcalF": "ℱ", "mathcalH": "ℋ", "mathcalI": "ℐ", "mathcalL": "ℒ", "mathcalM": "ℳ", "mathcalR": "ℛ",
		"mathbbC": "ℂ", "mathbbH": "ℍ", "mathbbN": "ℕ", "mathbbP": "ℙ", "mathbbQ": "ℚ", "mathbbR": "ℝ", "mathbbZ": "ℤ"}
)

var (
	texOperator = regexp.MustCompile(`^<(mo|mspace|munder|munderover)[ >]`)
	texCloses   = regexp.MustCompile(`^<mo[^>]*>[])}|‖⟩⌉!′]<`)
)

// texParser reads a formula from left to right.
type texParser struct {
	rest    []rune
	operand bool // what was read last may stand left of a minus or beside a function's name
}

func (p *texParser) peek() rune {
	if len(p.rest) == 0 {
		return 0
	}
	return p.rest[0]
}

func (p *texParser) next() rune {
	r := p.peek()
	if r != 0 {
		p.rest = p.rest[1:]
	}
	return r
}

// row reads atoms up to the end, or up to what ends: "}" of a group, or "\end".
func (p *texParser) row(end string) (string, error) {
	var b strings.Builder
	p.operand = false
	defer func() { p.operand = true }()
	for {
		if len(p.rest) == 0 {
			if end != "" {
				return "", fmt.Errorf("%s is missing", end)
			}
			return b.String(), nil
		}
		if end == "}" && p.peek() == '}' {
			p.next()
			return b.String(), nil
		}
		if end == "\\end" && (strings.HasPrefix(string(p.rest), "\\end{") || p.peek() == '&' || strings.HasPrefix(string(p.rest), `\\`)) {
			return b.String(), nil
		}
		if unicode.IsSpace(p.peek()) {
			p.next()
			continue
		}
		atom, err := p.scripted()
		if err != nil {
			return "", err
		}
		b.WriteString(atom)
		p.operand = !texOperator.MatchString(atom) || texCloses.MatchString(atom)
	}
}

// scripted reads an atom with what is set below and above it.
func (p *texParser) scripted() (string, error) {
	limits := false
	for _, big := range []string{`\sum`, `\prod`, `\max`, `\min`} {
		limits = limits || strings.HasPrefix(string(p.rest), big) && !unicode.IsLetter(append(p.rest, 0)[len(big)])
	}
	base, err := p.atom()
	if err != nil {
		return "", err
	}
	below, above := "", ""
	for p.peek() == '_' || p.peek() == '^' {
		at := p.next()
		script, err := p.argument()
		if err != nil {
			return "", err
		}
		if at == '_' {
			below += script
		} else {
			above += script
		}
	}
	tag := map[bool]string{true: "munder over", false: "msub sup"}[limits]
	switch a, c, _ := strings.Cut(tag, " "); {
	case below != "" && above != "":
		return fmt.Sprintf("<%s%s>%s%s%s</%s%s>", a, c, base, group(below), group(above), a, c), nil
	case below != "":
		return fmt.Sprintf("<%s>%s%s</%s>", a, base, group(below), a), nil
	case above != "":
		return fmt.Sprintf("<m%s>%s%s</m%s>", c, base, group(above), c), nil
	}
	return base, nil
}

func group(s string) string { return "<mrow>" + s + "</mrow>" }

// atom reads one sign, number, command or group.
func (p *texParser) atom() (string, error) {
	for unicode.IsSpace(p.peek()) {
		p.next()
	}
	switch r := p.next(); {
	case r == 0:
		return "", fmt.Errorf("it ends too early")
	case r == '{':
		body, err := p.row("}")
		return group(body), err
	case r == '\\':
		return p.command()
	case r == '\'':
		return "<mo>′</mo>", nil
	case unicode.IsDigit(r):
		number := string(r)
		for {
			if unicode.IsDigit(p.peek()) || p.peek() == '.' && len(p.rest) > 1 && unicode.IsDigit(p.rest[1]) {
				number += string(p.next())
			} else if strings.HasPrefix(string(p.rest), "{,}") { // of thousands
				number += ","
				p.rest = p.rest[3:]
			} else {
				break
			}
		}
		return "<mn>" + number + "</mn>", nil
	case unicode.IsLetter(r):
		return "<mi>" + string(r) + "</mi>", nil
	case r == '-' && !p.operand:
		return tight("−"), nil
	case r == '-':
		return "<mo>−</mo>", nil
	case r == '/' || r == '|':
		return tight(string(r)), nil
	case strings.ContainsRune("+=<>()[],.:;*!", r):
		return operator(string(r)), nil
	default:
		return "", fmt.Errorf("%q is not known", r)
	}
}

// argument reads what a command or a script is of: one sign, or one digit, or a group.
func (p *texParser) argument() (string, error) {
	for unicode.IsSpace(p.peek()) {
		p.next()
	}
	if unicode.IsDigit(p.peek()) {
		return "<mn>" + string(p.next()) + "</mn>", nil
	}
	return p.atom()
}

// operator is a sign that is not stretched to what stands beside it.
func operator(s string) string {
	return `<mo stretchy="false">` + html.EscapeString(s) + "</mo>"
}

// tight is a sign without space beside it.
func tight(s string) string {
	return `<mo stretchy="false" lspace="0" rspace="0">` + html.EscapeString(s) + "</mo>"
}

// function is a function's name, with a thin space to what it stands beside, but not to its bracket.
func (p *texParser) function(name string) string {
	space := map[bool]string{false: "0", true: "0.17em"}
	for unicode.IsSpace(p.peek()) {
		p.next()
	}
	rest := string(p.rest)
	ends := rest == "" || strings.ContainsRune("(})", p.peek()) || strings.HasPrefix(rest, `\,`)
	return `<mo lspace="` + space[p.operand] + `" rspace="` + space[!ends] + `">` + html.EscapeString(name) + "</mo>"
}

// command reads what follows a backslash.
func (p *texParser) command() (string, error) {
	name := string(p.next())
	for unicode.IsLetter([]rune(name)[0]) && unicode.IsLetter(p.peek()) {
		name += string(p.next())
	}
	if s, ok := texLetters[name]; ok {
		return "<mi>" + s + "</mi>", nil
	}
	if s, ok := texOperators[name]; ok {
		if s == "‖" || s == "|" {
			return tight(s), nil
		}
		return operator(s), nil
	}
	if texNames[name] {
		return p.function(name), nil
	}
	if width, ok := texSpaces[name]; ok {
		return `<mspace width="` + width + `"></mspace>`, nil
	}
	switch name {
	case "Big", "left", "right":
		return p.atom()
	case "frac", "tfrac":
		above, err := p.argument()
		if err != nil {
			return "", err
		}
		below, err := p.argument()
		return "<mfrac>" + above + below + "</mfrac>", err
	case "sqrt":
		body, err := p.argument()
		return "<msqrt>" + body + "</msqrt>", err
	case "text", "texttt", "operatorname":
		return p.words(name)
	case "begin":
		return p.matrix()
	}
	if sign, ok := texHats[name]; ok {
		body, err := p.atom()
		return `<mover accent="true">` + body + "<mo>" + sign + "</mo></mover>", err
	}
	if first, ok := texStyles[name]; ok {
		return p.styled(name, first)
	}
	return "", fmt.Errorf(`\%s is not known`, name)
}

// braced reads a group as it stands.
func (p *texParser) braced() (string, error) {
	for unicode.IsSpace(p.peek()) {
		p.next()
	}
	if p.peek() != '{' {
		return string(p.next()), nil
	}
	end := strings.IndexRune(string(p.rest), '}')
	if end < 0 {
		return "", fmt.Errorf("} is missing")
	}
	text := string(p.rest)[1:end]
	p.rest = []rune(string(p.rest)[end+1:])
	return text, nil
}

func (p *texParser) words(command string) (string, error) {
	text, err := p.braced()
	if err != nil {
		return "", err
	}
	if command == "operatorname" {
		return p.function(text), nil
	}
	// A formula within the text, as in \text{state $i$}, is a letter there.
	return "<mtext>" + strings.ReplaceAll(html.EscapeString(text), " ", "&nbsp;") + "</mtext>", nil
}

// styled reads letters of another alphabet.
func (p *texParser) styled(style string, first rune) (string, error) {
	text, err := p.braced()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, r := range strings.TrimSpace(text) {
		switch odd, ok := texOdd[style+string(r)]; {
		case ok:
			b.WriteString(odd)
		case r >= 'A' && r <= 'Z':
			b.WriteRune(first + r - 'A')
		case r == '1' && style == "mathbf":
			b.WriteString("𝟏")
		default:
			return "", fmt.Errorf(`\%s{%c} is not known`, style, r)
		}
	}
	return "<mi>" + b.String() + "</mi>", nil
}

// matrix reads what stands between \begin{pmatrix} and its end.
func (p *texParser) matrix() (string, error) {
	kind, err := p.braced()
	if err != nil || kind != "pmatrix" {
		return "", fmt.Errorf(`\begin{%s} is not known`, kind)
	}
	var b strings.Builder
	b.WriteString("<mo>(</mo><mtable><mtr>")
	for {
		cell, err := p.row("\\end")
		if err != nil {
			return "", err
		}
		b.WriteString("<mtd>" + cell + "</mtd>")
		if p.peek() == '&' {
			p.next()
			continue
		}
		if strings.HasPrefix(string(p.rest), `\\`) {
			p.rest = p.rest[2:]
			b.WriteString("</mtr><mtr>")
			continue
		}
		p.rest = p.rest[len(`\end`):]
		if _, err := p.braced(); err != nil {
			return "", err
		}
		b.WriteString("</mtr></mtable><mo>)</mo>")
		return b.String(), nil
	}
}
