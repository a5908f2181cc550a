package nb

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
)

// Problem is one reason why a notebook is not fit.
type Problem struct {
	Cell   int    // the code cell, as Jupyter numbers them; 0 is the notebook itself
	Line   int    // the line in that cell, where it is known; else 0
	Source string // that line of the source, else the cell's first
	Cause  string // what happened
}

func (p Problem) String() string {
	switch {
	case p.Cell == 0:
		return p.Cause
	case p.Line == 0:
		return fmt.Sprintf("cell [%d] (%s): %s", p.Cell, p.Source, p.Cause)
	}
	return fmt.Sprintf("cell [%d] line %d (%s): %s", p.Cell, p.Line, p.Source, p.Cause)
}

var (
	// What GoNB adds to the stderr of a program that failed. A program may print
	// the same words in the middle of a line, and that is no failure; but its last
	// line may lack a line feed, so that the words end up behind it.
	ending = regexp.MustCompile(`(?m)^(?:exit status \d+|signal: .*)$|(?:exit status \d+|signal: [a-z ]+(?:\(core dumped\))?)\s*\z`)

	// What GoNB says of such a program in the reply to Jupyter as well.
	ended = regexp.MustCompile(`^(?:exit status \d+|signal: .*)$`)

	// How a Go program says why it ends.
	reason = regexp.MustCompile(`(?m)^(?:panic: .*|fatal error: .*|\^C)$`)

	// Where GoNB says that it was, in the stack of a panic.
	place = regexp.MustCompile(`Cell \[(\d+)\] Line (\d+)`)

	// And in the box that it shows below: a place, and what the compiler says of it. GoNB
	// reads whole lines for the box, but the stack as it comes: a place that comes in two
	// parts, as the runtime writes it, is not marked there.
	boxed = regexp.MustCompile(`>Cell\[(\d+)\]: Line (\d+)</span>\s*<span class="gonb-err-location">[^<]*</span></span>([^<]*)<`)

	// How a program ends itself without a stack that says where.
	quits = regexp.MustCompile(`\bos\.Exit\(|\blog\.Fatal`)

	colour = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

// noFigure begins what package plotting shows in place of a figure.
const noFigure = "**No figure:**"

// Scan returns what went wrong in an executed notebook, in the order of its
// cells: errors, programs that panicked, exited with a status or were killed,
// figures that could not be drawn, and cells that were never run. It returns nil for a notebook that is well.
func Scan(n *Notebook) []Problem {
	var problems []Problem
	for i, c := range n.Code() {
		p := Problem{Cell: i + 1, Source: firstLine(string(c.Source))}
		var stderr, box strings.Builder
		end := ""
		for _, o := range c.Outputs {
			switch {
			case o.Type == "error" && ended.MatchString(o.Evalue):
				end = o.Evalue // of a program; why it ended is on its stderr
			case o.Type == "error":
				p.Cause, p.Line = describeError(o, box.String(), i+1)
			case o.Type == "stream" && o.Name == "stderr":
				stderr.WriteString(string(o.Text))
			}
			if text, ok := o.In("text/html"); ok {
				box.WriteString(text)
			}
			if text, ok := o.In("text/markdown"); ok && p.Cause == "" && strings.HasPrefix(text, noFigure) {
				p.Cause = strings.ReplaceAll(firstLine(text), "**", "")
			}
		}
		if p.Cause == "" {
			said := stderr.String()
			if !ending.MatchString(said) && end != "" {
				said += "\n" + end
			}
			p.Cause, p.Line = describeStderr(said, i+1)
			if line := lineIn(boxed, box.String(), i+1); p.Cause != "" && line != 0 {
				p.Line = line
			}
			if p.Cause != "" && p.Line == 0 {
				p.Line = onlyQuit(string(c.Source))
			}
		}
		if lines := strings.Split(string(c.Source), "\n"); 0 < p.Line && p.Line <= len(lines) {
			p.Source = strings.TrimSpace(lines[p.Line-1])
		}
		if p.Cause == "" && c.Count == nil {
			p.Cause = "was not run"
			if strings.TrimSpace(string(c.Source)) == "" {
				p.Cause = "is empty, so Jupyter does not run it"
			}
		}
		if p.Cause != "" {
			problems = append(problems, p)
		}
	}
	return problems
}

// describeStderr returns why a program failed, or "" if it did not.
func describeStderr(stderr string, cell int) (cause string, line int) {
	// GoNB colours the places it adds to a stack.
	stderr = colour.ReplaceAllString(stderr, "")
	end := strings.TrimSpace(ending.FindString(stderr))
	why := reason.FindString(stderr)
	line = lineIn(place, stderr, cell)
	switch {
	case end == "" && why == "":
		return "", 0
	case end == "":
		return why, line
	case why == "":
		// log.Fatal and its like: the line before says why.
		before := strings.TrimSpace(stderr[:strings.LastIndex(stderr, end)])
		if before == "" {
			return end, line
		}
		why = before[strings.LastIndex(before, "\n")+1:]
	}
	return why + " (" + end + ")", line
}

// describeError returns what an error output says. For a compile error that is the
// compiler's first complaint about a line of the cell, from GoNB's box.
func describeError(o Output, box string, cell int) (cause string, line int) {
	for _, m := range boxed.FindAllStringSubmatch(box, -1) {
		if m[1] == strconv.Itoa(cell) {
			return strings.TrimSpace(html.UnescapeString(m[3])), lineIn(boxed, box, cell)
		}
	}
	cause = firstLine(o.Evalue)
	if cause == "" {
		cause = o.Ename
	}
	return cause, 0
}

// lineIn returns the line of the given cell that a text names first, or 0. The pattern's
// first groups are the cell and the line.
func lineIn(pattern *regexp.Regexp, text string, cell int) int {
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		if m[1] == strconv.Itoa(cell) {
			line, err := strconv.Atoi(m[2])
			if err == nil {
				return line
			}
		}
	}
	return 0
}

// onlyQuit returns the line of a cell that ends the program, if there is just one.
func onlyQuit(source string) int {
	found := 0
	for i, line := range strings.Split(source, "\n") {
		if quits.MatchString(line) {
			if found > 0 {
				return 0
			}
			found = i + 1
		}
	}
	return found
}

// firstLine returns the first line of a cell that says something.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && line != "%%" {
			return line
		}
	}
	return strings.TrimSpace(text)
}
