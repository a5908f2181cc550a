package notebooks_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/twornn/spectral/notebooks/internal/nb"
)

var (
	numbered = regexp.MustCompile(`(?m)^### (Exercise \d+)`)
	lettered = regexp.MustCompile(`\*\*(Open exercise [A-Z])\.\*\*`)
	solved   = regexp.MustCompile(`(?m)^## ((?:Exercise \d+|Open exercise [A-Z]))`)
	goBlock  = regexp.MustCompile("(?s)```go\n(.*?)```")
)

// asks finds a cell that checks an answer: it says so until there is a right one.
var asks = regexp.MustCompile(`"not (yet|answered)`)

// solutions is the file of a notebook's solutions.
func solutions(root, notebook string) string {
	name := strings.TrimSuffix(filepath.Base(notebook), ".ipynb") + ".md"
	return filepath.Join(root, "notebooks", "solutions", name)
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
		if !strings.Contains(text.String(), "*Change and see:*") && name[:2] != "13" { // which is all to be changed
			t.Errorf("%s has nothing to change and see", name)
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
		data, err := os.ReadFile(solutions(root, path))
		if err != nil {
			t.Error(err)
			continue
		}
		var answered []string
		for _, m := range solved.FindAllStringSubmatch(string(data), -1) {
			answered = append(answered, m[1])
		}
		slices.Sort(asked)
		slices.Sort(answered)
		if !slices.Equal(asked, answered) {
			t.Errorf("%s asks %q, its solutions answer %q", name, asked, answered)
		}
	}
}

// withSolutions writes a copy of a notebook with a cell for each exercise behind the others:
// the solution in place of what is declared there, and the exercise's own check. It returns
// the path and the names of the exercises.
func withSolutions(t *testing.T, root, path string) (copied string, names []string) {
	t.Helper()
	n, err := nb.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(solutions(root, path))
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	exercise := ""
	for _, c := range n.Cells {
		if m := numbered.FindStringSubmatch(string(c.Source)); c.Type == "markdown" && m != nil {
			if exercise != "" {
				t.Errorf("%s: no cell checks %s", filepath.Base(path), exercise)
			}
			exercise = m[1]
		}
		if c.Type != "code" || !asks.MatchString(string(c.Source)) {
			continue
		}
		_, check, ok := strings.Cut(string(c.Source), "%%\n")
		if !ok || exercise == "" {
			t.Fatalf("%s: an exercise without a check or a heading: %s", filepath.Base(path), c.Source)
		}
		_, section, _ := strings.Cut(string(text), "\n## "+exercise)
		section, _, _ = strings.Cut(section, "\n## ")
		answer := goBlock.FindStringSubmatch(section)
		if answer == nil {
			t.Fatalf("%s: no solution to run for %s", filepath.Base(path), exercise)
		}
		doc["cells"] = append(doc["cells"].([]any), map[string]any{"cell_type": "code", "id": "solution-" + string(rune('0'+len(names))),
			"metadata": map[string]any{}, "execution_count": nil, "outputs": []any{}, "source": answer[1] + "\n%%\n" + check})
		names = append(names, exercise)
		exercise = ""
	}
	if data, err = json.Marshal(doc); err != nil {
		t.Fatal(err)
	}
	copied = filepath.Join(t.TempDir(), filepath.Base(path))
	if err := os.WriteFile(copied, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return copied, names
}

// checkSolutions reads what the cells that withSolutions added have said: each must be right,
// where the exercise as it is left to the reader is not.
func checkSolutions(t *testing.T, n *nb.Notebook, names []string) {
	t.Helper()
	code := n.Code()
	for i, name := range names {
		said := saidBy(code[len(code)-len(names)+i])
		if !strings.Contains(said, "right") || strings.Contains(said, "not ") {
			t.Errorf("the solution of %s: %s", name, said)
		}
	}
	for _, c := range code[:len(code)-len(names)] {
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
		data, err := os.ReadFile(solutions(root, path))
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(solutions(root, path))] = string(data)
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
