package datasets

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// maxSymbols bounds the alphabet that the first line of a file may announce: each
// symbol is a name and, in an automaton, a matrix.
const maxSymbols = 1 << 20

// maxWord limits a line that is a word.
const maxWord = 1 << 28

// lineError is the error of a reader of words that cannot go on at a line.
func lineError(file string, line int, err error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return &CellError{File: file, Line: line, Problem: fmt.Sprintf("is longer than %d MiB, the limit of a line", maxWord>>20),
			Cure: "a line is one word: look whether the lines end in LF or CR LF, or break the word up"}
	}
	return fmt.Errorf("datasets: %s, line %d: %w", file, line, err)
}

// ReadPAutomaC reads the text format of the PAutomaC and SPiCe competitions: a first
// line with the number of words and the size d of the alphabet, then a line a word, with
// its length and its symbols, which are numbers from 0 to d−1. Lines end in LF or CR LF.
// A word that comes again is counted again. The symbols are named "0" to "d−1".
//
// Anything else in the file is a [*CellError], with the line and what to do.
func ReadPAutomaC(r io.Reader) (*Words, error) {
	p := &pautomac{scan: bufio.NewScanner(given(r))}
	p.scan.Buffer(make([]byte, 1<<16), maxWord)
	if !p.next() {
		return nil, p.end("is empty", "its first line must be the number of words and the size of the alphabet")
	}
	head, err := p.numbers()
	if err != nil {
		return nil, err
	}
	if len(head) != 2 || head[0] < 0 || head[1] < 1 || head[1] > maxSymbols {
		return nil, p.fail(string(p.text), "is not the number of words and the size of the alphabet",
			"write two numbers, such as 20000 8, into the first line")
	}
	n, d := head[0], head[1]
	w := NewWords(Numbered(d))
	for k := range n {
		if !p.next() {
			return nil, p.end(fmt.Sprintf("ends after %d of the %d words of its first line", k, n),
				"mend the first line, or fetch the whole file")
		}
		word, err := p.word(d)
		if err != nil {
			return nil, err
		}
		w.Add(word, 1)
	}
	for p.next() {
		if len(p.text) > 0 {
			return nil, p.fail(string(p.text), fmt.Sprintf("comes after the %d words of the first line", n), "mend the first line, or cut the file")
		}
	}
	if p.scan.Err() != nil {
		return nil, p.end("", "")
	}
	return w, nil
}

// pautomac is such a file on its way into Words.
type pautomac struct {
	scan *bufio.Scanner
	text []byte // of this line, without its end
	line int
}

func (p *pautomac) next() bool {
	if !p.scan.Scan() {
		return false
	}
	p.line++
	// Scanner drops the CR of CR LF; blanks at the end mean nothing either.
	p.text = bytes.TrimRight(p.scan.Bytes(), " \t")
	return true
}

// word reads a line: the length, then so many symbols.
func (p *pautomac) word(d int) ([]int, error) {
	v, err := p.numbers()
	if err != nil {
		return nil, err
	}
	if len(v) == 0 {
		return nil, p.fail("", "is blank where a word should be", "write 0 for the empty word")
	}
	if v[0] < 0 {
		return nil, p.fail(strconv.Itoa(v[0]), "is no length", "a line is the length of the word and its symbols")
	}
	if v[0] != len(v)-1 {
		return nil, p.fail(strconv.Itoa(v[0]), fmt.Sprintf("is the length, and %d symbols follow", len(v)-1),
			"mend the length or the symbols")
	}
	for _, s := range v[1:] {
		if s < 0 || s >= d {
			return nil, p.fail(strconv.Itoa(s), fmt.Sprintf("is not among the %d symbols that the first line announces", d),
				fmt.Sprintf("use 0 to %d, or mend the first line", d-1))
		}
	}
	return v[1:], nil
}

// numbers returns the whole numbers of the line.
func (p *pautomac) numbers() ([]int, error) {
	if bytes.IndexByte(p.text, '\r') >= 0 {
		return nil, p.fail("", "holds a CR that no LF follows", `end lines in LF or CR LF, for example with tr '\r' '\n'`)
	}
	fields := bytes.Fields(p.text)
	v := make([]int, len(fields))
	for i, f := range fields {
		x, err := strconv.Atoi(string(f))
		if err != nil {
			return nil, p.fail(string(f), "is no whole number", "a line is the length of the word and its symbols, with blanks between")
		}
		v[i] = x
	}
	return v, nil
}

// fail returns an error at this line.
func (p *pautomac) fail(text, problem, cure string) error {
	return &CellError{File: "PAutomaC file", Line: p.line, Text: text, Problem: problem, Cure: cure}
}

// end returns why there is no further line: that reading failed, or what is told.
func (p *pautomac) end(problem, cure string) error {
	if err := p.scan.Err(); err != nil {
		return lineError("PAutomaC file", p.line+1, err)
	}
	return &CellError{File: "PAutomaC file", Line: p.line, Problem: problem, Cure: cure}
}
