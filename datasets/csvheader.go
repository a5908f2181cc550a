package datasets

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// readHeader keeps the names of the columns, blanks trimmed, and refuses a line that
// is no header for this CSV.
func (t *table) readHeader(record []string) error {
	line, _ := t.csv.FieldPos(0)
	t.endLine, _ = t.csv.FieldPos(len(record) - 1)
	t.endLine += strings.Count(record[len(record)-1], "\n")
	for _, name := range record {
		if !utf8.ValidString(name) {
			return t.fail(line, "", name, "is not UTF-8", "save the file as UTF-8")
		}
		switch {
		case strings.Contains(name, mark):
			return t.fail(line, "", name, "holds a byte order mark, which nobody sees", "remove it")
		case strings.Contains(name, "\r"):
			return t.fail(line, "", "", loneCR, loneCRCure)
		}
		t.header = append(t.header, strings.TrimSpace(name))
	}
	if len(t.header) == 1 {
		for _, sign := range []rune{';', '\t', '|', ','} {
			if sign != t.Comma && strings.ContainsRune(t.header[0], sign) {
				return t.fail(line, "", t.header[0], fmt.Sprintf("is one field; its separator is %q?", sign),
					fmt.Sprintf("set CSV.Comma to %q", sign))
			}
		}
	}
	if cure := t.looksLikeData(); cure != "" {
		return t.fail(line, "", strings.Join(t.header, string(t.Comma)), "is data, no header", cure)
	}
	return t.checkNames(line)
}

// looksLikeData returns the cure if the header is a row of a file without one: it
// begins with a time, or is all numbers. Programs do number columns; CSV.Columns says
// that one did.
func (t *table) looksLikeData() (cure string) {
	const put = "put a line with the names of the columns first"
	if layoutOf(t.header[0]) != "" {
		return put
	}
	for _, name := range t.header {
		if _, ok := t.numbers.plain(name); !ok || len(t.Columns) > 0 {
			return ""
		}
	}
	return put + "; if these are the names, name those to read in CSV.Columns"
}

// checkNames refuses empty names and names that occur twice. If CSV.Columns says
// what is wanted, only the columns in use matter.
func (t *table) checkNames(line int) error {
	inUse := func(name string) bool {
		if len(t.Columns) == 0 {
			return true
		}
		_, condition := t.Where[name]
		return name != "" && (slices.Contains(t.Columns, name) || name == t.Time || condition)
	}
	const cure = "mend the header, or set CSV.Columns to the columns wanted"
	for i, name := range t.header {
		switch {
		case !inUse(name):
		case name == "":
			return t.fail(line, "", "", fmt.Sprintf("field %d of the header has no name", i+1), cure)
		case slices.Index(t.header, name) < i:
			return t.fail(line, name, "", "occurs twice in the header", cure)
		}
	}
	return nil
}

// start settles which fields are times, numbers and conditions. It sees the first
// row, since the first column may turn out to hold times.
func (t *table) start(record []string) error {
	t.started = true
	for _, name := range slices.Sorted(maps.Keys(t.Where)) {
		i, err := t.field(name, "CSV.Where")
		if err != nil {
			return err
		}
		t.where = append(t.where, condition{i, strings.TrimSpace(t.Where[name])})
	}
	switch {
	case t.Time == NoTime:
	case t.Time != "":
		i, err := t.field(t.Time, "CSV.Time")
		if err != nil {
			return err
		}
		t.time = i
	case isTimeColumn(t.header[0], record[0]) && !slices.Contains(t.Columns, t.header[0]):
		t.time = 0
	default:
		if err := t.timesElsewhere(record); err != nil {
			return err
		}
	}
	if len(t.Columns) == 0 {
		for i, name := range t.header {
			if _, condition := t.Where[name]; i != t.time && !condition {
				t.fields = append(t.fields, i)
			}
		}
	}
	for k, name := range t.Columns {
		i, err := t.field(name, "CSV.Columns")
		if err != nil {
			return err
		}
		if slices.Index(t.Columns, name) < k {
			return fmt.Errorf("datasets: CSV.Columns names %s twice", inline(name))
		}
		t.fields = append(t.fields, i)
	}
	if len(t.fields) == 0 {
		return t.fail(0, "", "", fmt.Sprintf("has no column of numbers beside %s", list(t.header)),
			"to read a column of times as numbers, name it in CSV.Columns")
	}
	for _, i := range t.fields {
		t.out.columns = append(t.out.columns, t.header[i])
	}
	for _, name := range slices.Sorted(maps.Keys(t.Range)) {
		if !slices.Contains(t.out.columns, name) {
			return t.fail(0, "", "", fmt.Sprintf("column %s of CSV.Range is not read", inline(name)),
				fmt.Sprintf("CSV.Range may name %s", list(t.out.columns)))
		}
	}
	t.out.values = make([][]float64, len(t.fields))
	t.signed = make([]bool, len(t.fields))
	if t.time >= 0 {
		t.out.timeName = t.header[t.time]
	}
	return nil
}

// timesElsewhere refuses a file that has its times in another column than the first,
// since a series that lost them would have no gaps.
func (t *table) timesElsewhere(record []string) error {
	for i, name := range t.header {
		_, condition := t.Where[name]
		if !isTimeColumn(name, record[i]) || condition || slices.Contains(t.Columns, name) {
			continue
		}
		problem := "seems to hold the times, which only the first column is taken for unasked"
		if name == "" {
			problem = fmt.Sprintf("field %d of the header, without a name, %s", i+1, problem)
		}
		return t.fail(0, name, "", problem, "name it in CSV.Time, or set CSV.Time to NoTime")
	}
	return nil
}

// isTimeColumn is the rule by which a first column is taken for the times.
func isTimeColumn(name, first string) bool {
	return isTimeName(name) || layoutOf(first) != ""
}

// field returns the place of a column that an option asks for.
func (t *table) field(name, option string) (int, error) {
	if i := slices.Index(t.header, name); i >= 0 {
		return i, nil
	}
	return 0, t.fail(0, "", "", fmt.Sprintf("has no column %s", inline(name)),
		fmt.Sprintf("%s may name %s", option, list(t.header)))
}
