package datasets

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// ReadLines reads a word a line. The symbols of a line are what separator stands between,
// with blanks around them left out; a separator of " " stands for any blanks, and "" makes every
// character a symbol. A blank line is the empty word. Lines end in LF or CR LF. The alphabet
// holds the symbols in the order in which they come.
//
// It errs, with the line, on text that is not UTF-8 and on an empty symbol between two
// separators.
func ReadLines(r io.Reader, separator string) (*Words, error) {
	scan := bufio.NewScanner(given(r))
	scan.Buffer(make([]byte, 1<<16), maxWord)
	t := newTexts(separator)
	line := 0
	for scan.Scan() {
		line++
		if problem, cure := t.add(scan.Text()); problem != "" {
			return nil, &CellError{File: "lines of words", Line: line, Text: scan.Text(), Problem: problem, Cure: cure}
		}
	}
	if err := scan.Err(); err != nil {
		return nil, lineError("lines of words", line+1, err)
	}
	return t.words()
}

// WordsFromFrame returns the words in a column of strings of df, a row a word, split as
// ReadLines does. It errs if there is no such column, and with a *[CellError] where a row
// is missing or cannot be split.
func WordsFromFrame(df dataframe.DataFrame, column, separator string) (*Words, error) {
	if df.Err != nil {
		return nil, fmt.Errorf("datasets: data frame: %w", df.Err)
	}
	if !slices.Contains(df.Names(), column) {
		return nil, fmt.Errorf("datasets: the data frame has no column %s; it has %s", inline(column), list(df.Names()))
	}
	c := df.Col(column)
	if c.Type() != series.String {
		return nil, &CellError{File: frameName, Column: column, Problem: fmt.Sprintf("is of type %s, no text", c.Type()), Cure: "make it strings first"}
	}
	t := newTexts(separator)
	for i := range c.Len() {
		e := c.Elem(i)
		problem, cure, text := "is missing", "leave the row out, or write an empty text for the empty word", ""
		if !e.IsNA() {
			text = e.String()
			problem, cure = t.add(text)
		}
		if problem != "" {
			return nil, &CellError{File: frameName, Row: i + 1, Column: column, Text: text, Problem: problem, Cure: cure}
		}
	}
	return t.words()
}

// texts is a list of words by their symbols' names, on its way into Words.
type texts struct {
	separator string
	names     []string
	index     map[string]int
	list      [][]int
}

func newTexts(separator string) *texts {
	return &texts{separator: separator, index: make(map[string]int)}
}

// add splits a text, or returns what is wrong with it.
func (t *texts) add(text string) (problem, cure string) {
	if !utf8.ValidString(text) {
		return "is not UTF-8", "convert the file, for example with iconv -t UTF-8"
	}
	if strings.ContainsRune(text, '\r') {
		return "holds a CR that no LF follows", `end lines in LF or CR LF, for example with tr '\r' '\n'`
	}
	var symbols []string
	switch {
	case strings.TrimSpace(text) == "":
	case t.separator == "":
		symbols = strings.Split(text, "")
	case strings.TrimSpace(t.separator) == "":
		symbols = strings.Fields(text)
	default:
		symbols = strings.Split(text, t.separator)
	}
	word := make([]int, len(symbols))
	for k, s := range symbols {
		if t.separator != "" {
			if s = strings.TrimSpace(s); s == "" {
				return fmt.Sprintf("has no symbol number %d", k+1), "write a symbol between two separators, or take one separator out"
			}
		}
		i, ok := t.index[s]
		if !ok {
			i = len(t.names)
			t.index[s] = i
			t.names = append(t.names, s)
		}
		word[k] = i
	}
	t.list = append(t.list, word)
	return "", ""
}

func (t *texts) words() (*Words, error) {
	if len(t.names) == 0 {
		return nil, errors.New("datasets: there is no symbol in the words; give a word of at least one")
	}
	w := NewWords(t.names)
	for _, word := range t.list {
		w.Add(word, 1)
	}
	return w, nil
}

// Recode returns the same words over another alphabet that has all their symbols, such as
// that of the training words for words of a test. It errs if one is not there, or twice.
func (w *Words) Recode(alphabet []string) (*Words, error) {
	to := make([]int, len(w.Alphabet))
	for i, s := range w.Alphabet {
		to[i] = slices.Index(alphabet, s)
	}
	if len(alphabet) == 0 {
		return nil, errors.New("datasets: the other alphabet is empty; name the symbols of the training words")
	}
	for i, s := range alphabet {
		if slices.Contains(alphabet[:i], s) {
			return nil, fmt.Errorf("datasets: the symbol %s occurs twice in the other alphabet; name it once", inline(s))
		}
	}
	r := NewWords(alphabet)
	for k, word := range w.words {
		v := make([]int, len(word))
		for t, s := range word {
			if v[t] = to[s]; v[t] < 0 {
				return nil, fmt.Errorf("datasets: the symbol %s of word %d is not in the other alphabet; add it there, or leave the word out", inline(w.Alphabet[s]), k+1)
			}
		}
		r.Add(v, w.counts[k])
	}
	return r, nil
}
