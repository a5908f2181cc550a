package datasets

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// mark is the byte order mark of UTF-8.
const mark = "\uFEFF"

// loneCR is what is wrong with a file of an old Mac, and the cure.
const loneCR, loneCRCure = "has line ends that are CR alone", "save it with LF or CR LF"

// beginsPage reports whether a text that begins so is a web page.
func beginsPage(first []byte) bool {
	text := strings.ToLower(string(bytes.TrimSpace(first)))
	tag, ok := strings.CutPrefix(text, "<html")
	return strings.HasPrefix(text, "<!doctype html") || ok && strings.TrimLeft(tag, "> \t\r\n") != tag
}

// checkEncoding removes the mark of UTF-8, also if it is doubled, and refuses UTF-16,
// marked or not, what is compressed, and web pages.
func (t *table) checkEncoding(b *bufio.Reader) error {
	for {
		head, err := b.Peek(4)
		if len(head) == 0 && err != nil && err != io.EOF {
			return t.broken(err)
		}
		starts := func(with string) bool { return bytes.HasPrefix(head, []byte(with)) }
		switch {
		case starts("\xFF\xFE"), starts("\xFE\xFF"):
			return t.fail(0, "", "", "is written in UTF-16", "save it as UTF-8")
		case starts("\x1F\x8B"), starts("PK\x03\x04"):
			return t.fail(0, "", "", "is compressed", "unpack it, or give Read what compress/gzip or archive/zip unpacks")
		case starts(mark):
			if _, err := b.Discard(len(mark)); err != nil {
				return t.broken(err)
			}
		case bytes.IndexByte(head, 0) >= 0:
			return t.fail(0, "", "", "holds zero bytes, as UTF-16 does and text in UTF-8 does not", "save it as UTF-8")
		default:
			if head, _ := b.Peek(512); beginsPage(head) {
				return t.fail(0, "", "", "is a web page, and holds no table of comma-separated values", "look at it in a browser: it may ask to log in, or have a link to the data themselves")
			}
			return nil
		}
	}
}

// read returns the next row, or io.EOF when there are no more.
func (t *table) read() (row, error) {
	fields, err := t.rec.read()
	switch {
	case err == io.EOF:
		return row{}, err
	case err == errQuote && t.header == nil && t.otherSign() != 0:
		sign := t.otherSign()
		return row{}, t.fail(t.rec.start, "", t.rec.text, fmt.Sprintf("has another separator, %q?", sign), fmt.Sprintf("set CSV.Comma to %q", sign))
	case err == errQuote:
		cure := `in a field with quotes, every quote is doubled and quotes begin and end the field`
		return row{}, t.fail(t.rec.start, "", "", "has a stray quote", cure)
	case err != nil:
		return row{}, t.broken(err)
	}
	return row{fields, t.rec.start, t.rec.lines, t.rec.line, t.rec.blank}, nil
}

// otherSign returns the sign that stands between the quotes of a line in place of
// CSV.Comma, 0 if there is none.
func (t *table) otherSign() rune {
	for _, sign := range separators {
		if sign != t.Comma && strings.Contains(t.rec.text, `"`+string(sign)+`"`) {
			return sign
		}
	}
	return 0
}

// broken returns the error of a reader that cannot go on.
func (t *table) broken(err error) error {
	if err == errLongRecord {
		return t.fail(t.rec.start, "", "", fmt.Sprintf("has a row of more than %d MiB, the limit of one", maxRecord>>20),
			"look for a quote that is never closed, or for line ends that are CR alone; if the row is to be so long, put its columns into several files, or make rows of them")
	}
	return fmt.Errorf("datasets: %s: %w", inline(t.name), err)
}

// How many rows are read ahead to see what the columns hold, and of how many bytes.
const headRows, headBytes = 200, 1 << 20

// readHeader reads the header and the rows after it by which the columns are known.
func (t *table) readHeader() error {
	if err := t.rec.skip(t.Skip); err == io.EOF {
		return t.fail(0, "", "", fmt.Sprintf("has %s", count(t.rec.line, "line")), "lower CSV.Skip, which passes over all of them")
	} else if err != nil {
		t.rec.start = t.rec.line + 1
		return t.broken(err)
	}
	t.rec.below = len(t.Names) > 0
	first, err := t.read()
	t.rec.below = true
	if err == io.EOF {
		return t.fail(0, "", "", emptyFile, "it needs a header and rows")
	}
	if err != nil {
		return err
	}
	if len(t.Names) > 0 {
		first.fields = slices.Clone(first.fields)
		if len(first.fields) != len(t.Names) {
			return t.fail(first.line, "", "", fmt.Sprintf("has %s, CSV.Names %d", count(len(first.fields), "field"), len(t.Names)), "give every column a name")
		}
		t.head = append(t.head, first)
		first = row{fields: t.Names, line: first.line, end: first.line - 1}
	} else if first, err = t.headerIn(first); err != nil {
		return err
	}
	if err := t.unitsUnder(first); err != nil {
		return err
	}
	t.readHead()
	return t.checkHeader(first)
}

// headerIn returns the row that has the names: first, or the last line of comment if
// first is data and that names as many fields.
func (t *table) headerIn(first row) (row, error) {
	first.fields = slices.Clone(first.fields)
	if t.rec.lastNote == "" || !slices.ContainsFunc(first.fields, t.isDatum) {
		return first, nil
	}
	names := records{b: bufio.NewReader(strings.NewReader("")), comma: t.Comma}
	fields, err := names.split(strings.TrimSpace(t.rec.lastNote))
	if err != nil || len(fields) != len(first.fields) || slices.ContainsFunc(fields, t.isDatum) {
		return first, nil
	}
	t.head = append(t.head, first)
	t.note(Comments, "", fmt.Sprintf("the names are those of the comment before line %d", first.line))
	return row{fields: fields, line: first.line, end: first.line - 1}, nil
}

// unitsUnder reads the rows of the header under the names.
func (t *table) unitsUnder(names row) error {
	for k := 1; k < t.HeaderRows; k++ {
		r, err := t.read()
		if err == io.EOF {
			return t.fail(0, "", "", fmt.Sprintf("has %d of the rows of its header", k), "lower CSV.HeaderRows")
		}
		if err != nil {
			return err
		}
		if len(r.fields) != len(names.fields) {
			return t.fail(r.line, "", "", fmt.Sprintf("has %s, the header %d", count(len(r.fields), "field"), len(names.fields)),
				"lower CSV.HeaderRows, or mend the row")
		}
		if k == 1 && !areTypes(r.fields) {
			for _, u := range r.fields {
				t.units = append(t.units, strings.TrimSpace(strings.ToValidUTF8(u, "\uFFFD")))
			}
		}
	}
	return nil
}

// areTypes reports whether all cells name types of data: 5s and 14n, float, or none.
func areTypes(fields []string) bool {
	for _, f := range fields {
		f = strings.ToLower(strings.TrimSpace(f))
		switch f {
		case "", "s", "n", "d", "string", "text", "char", "str", "int", "integer", "float", "double", "real", "number", "numeric",
			"date", "time", "datetime", "timestamp", "bool", "boolean", "float64", "int64", "object", "category":
			continue
		}
		if f = strings.TrimRight(f, "sdn"); f == "" || !allDigits(f) {
			return false
		}
	}
	return true
}

// readHead reads some rows ahead.
func (t *table) readHead() {
	for size := 0; len(t.head) < headRows && size < headBytes && t.after == nil; {
		var r row
		if r, t.after = t.read(); t.after == nil {
			r.fields = slices.Clone(r.fields)
			for _, f := range r.fields {
				size += len(f) + 16
			}
			t.head = append(t.head, r)
		}
	}
}

// checkHeader keeps the names of the columns, blanks trimmed, and refuses a line that
// is no header for this CSV.
func (t *table) checkHeader(r row) error {
	t.endLine = r.end
	for _, name := range r.fields {
		switch {
		case !utf8.ValidString(name):
			return t.fail(r.line, "", name, notUTF8, notUTF8Cure)
		case strings.Contains(name, mark):
			return t.fail(r.line, "", name, "holds a byte order mark, which nobody sees", "remove it")
		case strings.Contains(name, "\r"):
			return t.fail(r.line, "", "", loneCR, loneCRCure)
		}
		t.header = append(t.header, strings.TrimSpace(name))
	}
	if len(t.Names) == 0 {
		if err := t.checkLine(r.line); err != nil {
			return err
		}
	}
	t.index = make(map[string]int, len(t.header))
	for i, name := range t.header {
		if _, twice := t.index[name]; !twice {
			t.index[name] = i
		}
	}
	if err := t.checkNames(r.line); err != nil {
		return err
	}
	return t.checkUnder()
}

// checkNames refuses empty names and names that occur twice. If CSV.Columns says
// what is wanted, only the columns in use matter.
func (t *table) checkNames(line int) error {
	inUse := func(name string) bool {
		if len(t.Columns) == 0 {
			return true
		}
		_, condition := t.Where[name]
		return name != "" && (t.asked[name] || name == t.Time || condition || slices.Contains(t.Times, name) || slices.Contains(t.by, name))
	}
	const cure = "mend the header, or set CSV.Columns to the columns wanted"
	for i, name := range t.header {
		switch {
		case !inUse(name):
		case name == "":
			return t.fail(line, "", "", fmt.Sprintf("field %d of the header has no name", i+1), cure)
		case t.index[name] < i:
			return t.fail(line, name, "", "occurs twice in the header", cure)
		}
	}
	return nil
}

// field returns the place of a column that an option asks for.
func (t *table) field(name, option string) (int, error) {
	if i, ok := t.index[name]; ok {
		return i, nil
	}
	return 0, t.fail(0, "", "", fmt.Sprintf("has no column %s", inline(name)),
		fmt.Sprintf("%s may name %s", option, list(t.header)))
}
