package nb

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/png"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"
)

// What is committed should be read in one breath and fetched in one clone.
const (
	maxLines  = 12
	maxWidth  = 100     // characters of a line, a tab being four
	maxFigure = 100_000 // bytes of PNG
)

// temporary finds folders that differ from machine to machine.
var temporary = regexp.MustCompile(`/tmp/|/var/folders/|\bgonb_[0-9a-f]{8}\b`)

// Lint returns what keeps an executed notebook from being committed: what Scan
// finds, and beyond that anything that a reader of the file alone would miss or
// that ties it to one machine. Root is the repository's folder.
func Lint(n *Notebook, root string) []Problem {
	problems := Scan(n)
	add := func(cell int, source Text, format string, args ...any) {
		problems = append(problems, Problem{Cell: cell, Source: firstLine(string(source)), Cause: fmt.Sprintf(format, args...)})
	}
	if name := n.Metadata.Kernelspec.Name; name != "gonb" {
		add(0, "", "its kernel is %q, not \"gonb\"", name)
	}
	private := []string{root}
	if home, err := os.UserHomeDir(); err == nil && len(home) > 1 {
		private = append(private, strings.TrimRight(home, "/")+"/")
	}
	figures := 0
	for i, c := range n.Code() {
		number := i + 1
		if c.Count != nil && *c.Count != number {
			add(number, c.Source, "has the count %d: run the notebook from the top in a fresh kernel", *c.Count)
		}
		if lines := strings.Count(strings.TrimSpace(string(c.Source)), "\n") + 1; lines > maxLines {
			add(number, c.Source, "has %d lines, more than %d", lines, maxLines)
		}
		for line := range strings.Lines(string(c.Source)) {
			line = strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    ")
			if width := utf8.RuneCountInString(line); width > maxWidth {
				add(number, Text(line), "has a line of %d characters, more than %d", width, maxWidth)
			}
		}
		for _, o := range c.Outputs {
			if o.Type == "stream" && o.Name == "stderr" && describe(o) == "" {
				add(number, c.Source, "wrote to stderr: %s", firstLine(string(o.Text)))
			}
			if image, ok := o.In("image/png"); ok {
				figures++
				if fault := faultOfFigure(image); fault != "" {
					add(number, c.Source, "%s", fault)
				}
			}
			if place := findPath(o, private); place != "" {
				add(number, c.Source, "shows a path of this machine: %s", place)
			}
		}
	}
	if figures == 0 {
		add(0, "", "it shows no figure (image/png)")
	}
	return problems
}

// describe returns why the output fails a Scan, or "".
func describe(o Output) string {
	cause, _ := describeStderr(string(o.Text), 0)
	return cause
}

func faultOfFigure(image string) string {
	data, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(image, "\n", ""))
	if err != nil {
		return "has a figure that is not base64: " + err.Error()
	}
	if _, err := png.Decode(bytes.NewReader(data)); err != nil {
		return "has a figure that is not a PNG image: " + err.Error()
	}
	if len(data) > maxFigure {
		return fmt.Sprintf("has a figure of %d bytes, more than %d", len(data), maxFigure)
	}
	return ""
}

// findPath returns the first line of an output's text that names a folder of
// this machine. Images are left out: base64 can spell anything.
func findPath(o Output, private []string) string {
	texts := []string{string(o.Text)}
	for mediaType := range o.Data {
		if text, ok := o.In(mediaType); ok && strings.HasPrefix(mediaType, "text/") {
			texts = append(texts, text)
		}
	}
	for _, text := range texts {
		for line := range strings.Lines(text) {
			found := temporary.MatchString(line)
			for _, p := range private {
				found = found || strings.Contains(line, p)
			}
			if found {
				return strings.TrimSpace(line)
			}
		}
	}
	return ""
}
