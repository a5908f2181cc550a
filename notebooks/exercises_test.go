package notebooks_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/twornn/spectral/notebooks/internal/nb"
)

var (
	numbered = regexp.MustCompile(`(?m)^### (Exercise \d+)`)
	lettered = regexp.MustCompile(`\*\*(Open exercise [A-Z])\.\*\*`)
	solution = regexp.MustCompile(`(?m)^## ((?:Exercise \d+|Open exercise [A-Z]))`)
	goBlock  = regexp.MustCompile("(?s)```go\n(.*?)```")
)

// asks finds a cell that checks an answer: it says so until there is a right one.
var asks = regexp.MustCompile(`"not (yet|answered)`)

// solutions returns the text of a notebook's solutions, and false in a copy of the course that
// has none at all, such as "make handout" writes.
func solutions(t *testing.T, root, notebook string) (text string, ok bool) {
	t.Helper()
	dir := filepath.Join(root, "notebooks", "solutions")
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return "", false
	}
	data, err := os.ReadFile(filepath.Join(dir, strings.TrimSuffix(filepath.Base(notebook), ".ipynb")+".md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data), true
}

// Each notebook explains its signs in a box near the top, has open exercises, and solutions in
// a file of their own, for each exercise one; none stands in the notebook.
func TestExercises(t *testing.T) {
	root, notebooks := course(t)
	for _, path := range notebooks {
		name := filepath.Base(path)
		n, err := nb.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		notation := -1
		for i, c := range n.Cells {
			if c.Type != "markdown" {
				continue
			}
			text.WriteString(string(c.Source) + "\n")
			if notation < 0 && strings.Contains(string(c.Source), "**Notation**") {
				notation = i
			}
		}
		if notation < 0 || notation > 1 {
			t.Errorf("%s has no box of notation in its first cells", name)
		}
		if strings.Contains(text.String(), "<details>") {
			t.Errorf("%s has a solution in it", name)
		}
		if !strings.Contains(text.String(), "(solutions/"+strings.TrimSuffix(name, ".ipynb")+".md)") {
			t.Errorf("%s does not say where its solutions are", name)
		}
		var asked []string
		for _, m := range numbered.FindAllStringSubmatch(text.String(), -1) {
			asked = append(asked, m[1])
		}
		open := lettered.FindAllStringSubmatch(text.String(), -1)
		for i, m := range open {
			if want := "Open exercise " + string(rune('A'+i)); m[1] != want {
				t.Errorf("%s: %s stands where %s should", name, m[1], want)
			}
			asked = append(asked, m[1])
		}
		if len(open) < 4 {
			t.Errorf("%s has %d open exercises", name, len(open))
		}
		solved, ok := solutions(t, root, path)
		if !ok {
			continue
		}
		var answered []string
		for _, m := range solution.FindAllStringSubmatch(solved, -1) {
			answered = append(answered, m[1])
		}
		slices.Sort(asked)
		slices.Sort(answered)
		if !slices.Equal(asked, answered) {
			t.Errorf("%s asks %q, its solutions answer %q", name, asked, answered)
		}
	}
}

// Each notebook sets out from a question, and has something to change and see within its first
// three screens.
func TestSomethingToChange(t *testing.T) {
	_, notebooks := course(t)
	for _, path := range notebooks {
		n, err := nb.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if question := linesAbove(n, "?"); question < 0 || question > 10 {
			t.Errorf("%s: its first question stands below %d lines", filepath.Base(path), question)
		}
		if above := linesAbove(n, "*Change and see:*"); above < 0 || above > 3*screen {
			t.Errorf("%s: what there is to change and see stands below %d lines, want %d at most", filepath.Base(path), above, 3*screen)
		}
	}
}

// "make quickstart" prints the tables of the first notebook without the text around them, so
// each says what it is.
func TestQuickstartTablesHaveTitles(t *testing.T) {
	_, notebooks := course(t)
	n, err := nb.Read(notebooks["00"])
	if err != nil {
		t.Fatal(err)
	}
	tables := n.Tables()
	if len(tables) < 4 {
		t.Errorf("%d tables", len(tables))
	}
	for _, table := range tables {
		title, rest, _ := strings.Cut(table, "\n")
		if title == "" || !strings.HasPrefix(rest, "\n") {
			t.Errorf("a table without a title:\n%s", table)
		}
	}
}

// screen is about how many lines JupyterLab shows at once in a window of 1,000 pixels, 22 for a
// line of text and 18 for one of code; a figure takes the room of 18.
const screen, figure = 42, 18

// linesAbove returns about how many lines of 100 characters are above the first text of a
// notebook that holds the words, or -1 if none does.
func linesAbove(n *nb.Notebook, words string) (above int) {
	lines := func(text string) (lines int) {
		for line := range strings.Lines(text) {
			lines += 1 + utf8.RuneCountInString(line)/100
		}
		return lines
	}
	for _, c := range n.Cells {
		if before, _, ok := strings.Cut(string(c.Source), words); ok && c.Type == "markdown" {
			return above + lines(before)
		}
		above += lines(string(c.Source)) + 1
		for _, o := range c.Outputs {
			if _, ok := o.In("image/png"); ok {
				above += figure
			} else if plain, ok := o.In("text/plain"); ok {
				above += lines(plain)
			} else {
				above += lines(string(o.Text))
			}
		}
	}
	return -1
}

// withSolutions writes a copy of a notebook with its solutions run behind the other cells. First
// comes a cell for each exercise: the solution in place of what is declared there, and the
// exercise's own check. Then all other code of the solutions, a cell a block, which has to run
// without fault. It returns the path and the names of the exercises.
func withSolutions(t *testing.T, root, path string) (copied string, names []string) {
	t.Helper()
	n, err := nb.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	copied = filepath.Join(t.TempDir(), filepath.Base(path))
	text, ok := solutions(t, root, path)
	if !ok {
		appendCells(t, path, copied, nil)
		return copied, nil
	}
	answers, others := codeOf(text)
	cells, names := checkedBy(t, n, answers)
	appendCells(t, path, copied, append(cells, others...))
	return copied, names
}

// codeOf returns the Go code of a file of solutions: the first block of each exercise by its
// name, and all others in order.
func codeOf(text string) (answers map[string]string, others []string) {
	answers = make(map[string]string)
	for section := range strings.SplitSeq(text, "\n## ") {
		title, _, _ := strings.Cut(section, "\n")
		name, _, _ := strings.Cut(title, ":")
		for i, block := range goBlock.FindAllStringSubmatch(section, -1) {
			if i == 0 && strings.HasPrefix(name, "Exercise ") {
				answers[name] = block[1]
			} else {
				others = append(others, block[1])
			}
		}
	}
	return answers, others
}

// checkedBy returns for each exercise of a notebook its answer with the notebook's own check of
// it, and the names of the exercises.
func checkedBy(t *testing.T, n *nb.Notebook, answers map[string]string) (cells, names []string) {
	t.Helper()
	exercise := ""
	for _, c := range n.Cells {
		if m := numbered.FindStringSubmatch(string(c.Source)); c.Type == "markdown" && m != nil {
			if exercise != "" {
				t.Errorf("no cell checks %s", exercise)
			}
			exercise = m[1]
		}
		if c.Type != "code" || !asks.MatchString(string(c.Source)) {
			continue
		}
		_, check, ok := strings.Cut(string(c.Source), "%%\n")
		if !ok || exercise == "" {
			t.Fatalf("an exercise without a check or a heading: %s", c.Source)
		}
		answer, ok := answers[exercise]
		if !ok {
			t.Fatalf("no solution to run for %s", exercise)
		}
		cells, names = append(cells, answer+"\n%%\n"+check), append(names, exercise)
		exercise = ""
	}
	return cells, names
}

// appendCells writes a copy of a notebook with further cells of code.
func appendCells(t *testing.T, path, copied string, cells []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	for i, source := range cells {
		doc["cells"] = append(doc["cells"].([]any), map[string]any{"cell_type": "code", "id": fmt.Sprint("solution-", i),
			"metadata": map[string]any{}, "execution_count": nil, "outputs": []any{}, "source": source})
	}
	if data, err = json.Marshal(doc); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkSolutions reads what the cells that withSolutions added have said: each that answers an
// exercise must be right, where the exercise as it is left to the reader is not. cells is the
// number of those that the notebook has itself.
func checkSolutions(t *testing.T, n *nb.Notebook, cells int, names []string) {
	t.Helper()
	code := n.Code()
	for i, name := range names {
		said := saidBy(code[cells+i])
		if !strings.Contains(said, "right") || strings.Contains(said, "not ") {
			t.Errorf("the solution of %s: %s", name, said)
		}
	}
	for _, c := range code[:cells] {
		if said := saidBy(c); asks.MatchString(string(c.Source)) && !strings.Contains(said, "not ") {
			t.Errorf("an exercise is answered as it stands: %s", said)
		}
	}
}

func saidBy(c nb.Cell) string {
	var said strings.Builder
	for _, o := range c.Outputs {
		said.WriteString(string(o.Text))
	}
	return said.String()
}

// unasked are the sections that need no open exercise: they begin or end a notebook.
var unasked = []string{"What to take along", "In one figure", "Your own data", "In a dozen lines", "Load"}

// Every other section has an open exercise.
func TestEverySectionAsks(t *testing.T) {
	_, notebooks := course(t)
	for _, path := range notebooks {
		n, err := nb.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, c := range n.Cells {
			if c.Type == "markdown" {
				text.WriteString(string(c.Source) + "\n")
			}
		}
		_, sections, _ := strings.Cut(text.String(), "\n## ")
		for section := range strings.SplitSeq(sections, "\n## ") {
			title, _, _ := strings.Cut(section, "\n")
			if !lettered.MatchString(section) && !slices.Contains(unasked, title) {
				t.Errorf("%s: no open exercise under %q", filepath.Base(path), title)
			}
		}
	}
}

// Every formula of the course is one that a page can show: see nb.MathML.
func TestFormulas(t *testing.T) {
	root, notebooks := course(t)
	texts := make(map[string]string)
	for _, path := range notebooks {
		n, err := nb.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range n.Cells {
			if c.Type == "markdown" {
				texts[filepath.Base(path)] += string(c.Source) + "\n\n"
			}
		}
		if text, ok := solutions(t, root, path); ok {
			texts["solutions of "+filepath.Base(path)] = text
		}
	}
	data, err := os.ReadFile(filepath.Join(root, "notebooks", "INDEX.md"))
	if err != nil {
		t.Fatal(err)
	}
	texts["INDEX.md"] = string(data)
	code := regexp.MustCompile("(?s)```.*?```|`[^`]*`")
	formula := regexp.MustCompile(`(?s)\$\$(.+?)\$\$|\$([^$]+?)\$`)
	total := 0
	for name, text := range texts {
		for _, m := range formula.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			total++
			if _, err := nb.MathML(m[1]+m[2], m[1] != ""); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if total < 1000 {
		t.Errorf("only %d formulas were found", total)
	}
}
