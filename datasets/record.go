package datasets

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// records splits a file into lines and lines into fields. Lines are counted as the
// file has them, whatever is passed over.
type records struct {
	b       *bufio.Reader
	comma   rune
	comment string // what a line of comment begins with; empty for none
	latin1  bool
	utf8    string // the first line that is read as Latin-1 and was UTF-8, beyond ASCII
	noUTF8  bool   // there is one that was not
	below   bool   // the header has been read

	line     int      // lines read so far
	start    int      // line on which the record begins
	lines    []int    // line of each field, nil if all are on start
	blank    int      // the last blank line passed over
	comments int      // lines of comment passed over
	lastNote string   // the text of the last of them that has any
	fields   []string // reused
	text     string   // the first line of the record
	long     []byte   // a line that did not fit the buffer, reused
}

var errLongRecord, errQuote = errors.New("row too long"), errors.New("stray quote")

// maxRecord limits a row, so that a quote that is never closed does not pull a
// whole file into memory.
const maxRecord = 4 << 20

// readLine returns the next line without its end, valid until the next call, and
// io.EOF when there is none.
func (r *records) readLine() ([]byte, error) {
	text, err := r.b.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		r.long = append(r.long[:0], text...)
		for err == bufio.ErrBufferFull && len(r.long) <= maxRecord {
			text, err = r.b.ReadSlice('\n')
			r.long = append(r.long, text...)
		}
		text = r.long
	}
	switch {
	case len(text) > maxRecord:
		return nil, errLongRecord
	case err != nil && err != io.EOF:
		return nil, err
	case len(text) == 0:
		return nil, io.EOF
	}
	r.line++
	text = bytes.TrimSuffix(text, []byte("\n"))
	text = bytes.TrimSuffix(text, []byte("\r"))
	return text, nil
}

// skip passes over n lines.
func (r *records) skip(n int) error {
	for range n {
		if _, err := r.readLine(); err != nil {
			return err
		}
	}
	return nil
}

// read returns the next record, valid until the next call. Blank lines and lines of
// comment are passed over. In an error, r.start is the line of the record.
func (r *records) read() ([]string, error) {
	r.fields, r.lines = r.fields[:0], nil
	for {
		r.start = r.line + 1
		text, err := r.readLine()
		switch {
		case err != nil:
			return nil, err
		case len(text) == 0, r.comma == ' ' && len(bytes.Trim(text, " \t")) == 0:
			r.blank = r.line
		case r.isComment(text):
			r.comments++
			if note := bytes.TrimSpace(text[len(r.comment):]); len(note) > 0 {
				r.lastNote = r.decode(note)
			}
		default:
			r.text = r.decode(text)
			return r.split(r.text)
		}
	}
}

// isComment reports whether a line is one of comment. Below the header a first cell such as #N/A is
// no comment but a missing value.
func (r *records) isComment(text []byte) bool {
	if r.comment == "" || !bytes.HasPrefix(text, []byte(r.comment)) {
		return false
	}
	if r.comment != "#" || !r.below {
		return true
	}
	ends := string(r.comma)
	if r.comma == ' ' {
		ends = " \t"
	}
	first := r.decode(text)
	if i := strings.IndexAny(first, ends); i >= 0 {
		first = first[:i]
	}
	return !isSheetError(strings.TrimSpace(first))
}

// decode returns text in UTF-8.
func (r *records) decode(text []byte) string {
	if !r.latin1 || !slices.ContainsFunc(text, func(c byte) bool { return c >= utf8.RuneSelf }) {
		return string(text)
	}
	if !utf8.Valid(text) {
		r.noUTF8 = true
	} else if r.utf8 == "" {
		r.utf8 = string(text)
	}
	var b strings.Builder
	for _, c := range text {
		if 0x80 <= c && c < 0xA0 {
			b.WriteRune(windows1252[c-0x80])
		} else {
			b.WriteRune(rune(c))
		}
	}
	return b.String()
}

// windows1252 are the characters 0x80 to 0x9F, which Latin-1 leaves to control codes
// and files of Windows do not.
var windows1252 = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8D, 'Ž', 0x8F,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9D, 'ž', 'Ÿ',
}

// split fills r.fields with those of a line. A field in quotes may go on in the
// lines that follow.
func (r *records) split(text string) ([]string, error) {
	quoted := strings.IndexByte(text, '"') >= 0
	switch {
	case r.comma == ' ':
		return r.splitBlanks(text)
	case !quoted:
		sep := string(r.comma)
		for {
			field, rest, more := strings.Cut(text, sep)
			r.fields = append(r.fields, field)
			if !more {
				return r.fields, nil
			}
			text = rest
		}
	}
	for {
		field, rest, err := r.field(text)
		if err != nil {
			return nil, err
		}
		r.fields = append(r.fields, field)
		if rest == "" {
			return r.fields, nil
		}
		text = rest[utf8.RuneLen(r.comma):]
	}
}

// field returns the first field of text, and the rest from the separator on.
func (r *records) field(text string) (field, rest string, err error) {
	if r.lines != nil || r.line > r.start {
		r.lines = append(r.lines, r.line)
	}
	if !strings.HasPrefix(text, `"`) {
		i := strings.IndexRune(text, r.comma)
		if i < 0 {
			i = len(text)
		}
		if strings.IndexByte(text[:i], '"') >= 0 {
			return "", "", errQuote
		}
		return text[:i], text[i:], nil
	}
	field, rest, err = r.quoted(text[1:])
	if err == nil && rest != "" && !strings.HasPrefix(rest, string(r.comma)) {
		err = errQuote
	}
	return field, rest, err
}

// quoted returns the text up to the closing quote, and what follows it.
func (r *records) quoted(text string) (field, rest string, err error) {
	var b strings.Builder
	first := r.line
	for {
		i := strings.IndexByte(text, '"')
		switch {
		case i < 0:
			b.WriteString(text)
			b.WriteByte('\n')
			if b.Len() > maxRecord {
				return "", "", errLongRecord
			}
			next, err := r.readLine()
			if err == io.EOF {
				return "", "", errQuote
			}
			if err != nil {
				return "", "", err
			}
			text = r.decode(next)
		case i+1 < len(text) && text[i+1] == '"':
			b.WriteString(text[:i+1])
			text = text[i+2:]
		default:
			b.WriteString(text[:i])
			if r.line > first && r.lines == nil {
				// The fields before, and this one, began on the first line.
				r.lines = make([]int, len(r.fields)+1)
				for k := range r.lines {
					r.lines[k] = first
				}
			}
			return b.String(), text[i+1:], nil
		}
	}
}

// splitBlanks splits at runs of blanks and tabs, which at the ends of a line mean
// nothing.
func (r *records) splitBlanks(text string) ([]string, error) {
	const blanks = " \t"
	text = strings.Trim(text, blanks)
	for text != "" {
		i := strings.IndexAny(text, blanks)
		if text[0] == '"' {
			field, rest, err := r.quoted(text[1:])
			if err != nil || rest != "" && !strings.ContainsAny(rest[:1], blanks) {
				return nil, cmpError(err)
			}
			r.fields = append(r.fields, field)
			text = strings.TrimLeft(rest, blanks)
			continue
		}
		if i < 0 {
			i = len(text)
		}
		if strings.IndexByte(text[:i], '"') >= 0 {
			return nil, errQuote
		}
		r.fields = append(r.fields, text[:i])
		text = strings.TrimLeft(text[i:], blanks)
	}
	if len(r.fields) == 0 {
		r.fields = append(r.fields, "")
	}
	return r.fields, nil
}

func cmpError(err error) error {
	if err != nil {
		return err
	}
	return errQuote
}
