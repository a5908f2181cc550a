package notebooks_test

import (
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/twornn/spectral/notebooks/internal/nb"
)

// course returns the notebooks of the course by their two digits.
func course(t *testing.T) (root string, notebooks map[string]string) {
	t.Helper()
	root, err := nb.Root()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := nb.Course(root)
	if err != nil {
		t.Fatal(err)
	}
	notebooks = make(map[string]string)
	for _, path := range paths {
		notebooks[filepath.Base(path)[:2]] = path
	}
	return root, notebooks
}

// headings returns the headings of a notebook, without the signs before them.
func headings(t *testing.T, path string) (found []string) {
	t.Helper()
	n, err := nb.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range n.Cells {
		for line := range strings.Lines(string(c.Source)) {
			if c.Type == "markdown" && strings.HasPrefix(line, "#") {
				found = append(found, strings.TrimSpace(strings.TrimLeft(line, "#")))
			}
		}
	}
	return found
}

var (
	place    = regexp.MustCompile(`\[(\d\d)\]\((\d\d_\w+\.ipynb)\): ([^|]*)`)
	notebook = regexp.MustCompile(`\]\(((?:notebooks/)?\d\d_\w+\.ipynb)\)`)
)

// Every section that the index names is in its notebook, and every notebook is named.
func TestIndexNamesSections(t *testing.T) {
	root, notebooks := course(t)
	text, err := os.ReadFile(filepath.Join(root, "notebooks", "INDEX.md"))
	if err != nil {
		t.Fatal(err)
	}
	sections, named := make(map[string][]string), make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		for part := range strings.SplitSeq(line, "; ") {
			m := place.FindStringSubmatch(part)
			if m == nil {
				continue
			}
			number, file, section := m[1], m[2], strings.TrimSpace(m[3])
			path := notebooks[number]
			if filepath.Base(path) != file {
				t.Errorf("[%s] leads to %s", number, file)
				continue
			}
			if sections[number] == nil {
				sections[number] = headings(t, path)
			}
			named[number] = true
			// What follows in brackets, or after a comma, is not the heading.
			if !slices.ContainsFunc(sections[number], func(h string) bool {
				rest, ok := strings.CutPrefix(section, h)
				return ok && (rest == "" || strings.HasPrefix(rest, " (") || strings.HasPrefix(rest, ", "))
			}) {
				t.Errorf("%s has no section %q", file, section)
			}
		}
	}
	for number, path := range notebooks {
		if !named[number] {
			t.Errorf("the index does not name %s", filepath.Base(path))
		}
	}
}

// Everything that the paper numbers has a line in the index.
func TestIndexIsComplete(t *testing.T) {
	root, _ := course(t)
	text, err := os.ReadFile(filepath.Join(root, "notebooks", "INDEX.md"))
	if err != nil {
		t.Fatal(err)
	}
	// As the LaTeX source counts them.
	for kind, most := range map[string]int{"Theorem": 4, "Equation": 4, "Algorithm": 2, "Figure": 5, "Table": 3, "Section": 6} {
		for i := 1; i <= most; i++ {
			if !strings.Contains(string(text), fmt.Sprintf("| %s %d", kind, i)) {
				t.Errorf("%s %d is missing", kind, i)
			}
		}
		if strings.Contains(string(text), fmt.Sprintf("| %s %d", kind, most+1)) {
			t.Errorf("there is no %s %d in the paper", kind, most+1)
		}
	}
	for _, name := range []string{"Section 4.1", "Section 4.2", "Section 4.3", "Appendix A.1", "Appendix A.2", "Appendix A.3", "Appendix B", "Appendix C", "Appendix D"} {
		if !strings.Contains(string(text), "| "+name) {
			t.Errorf("%s is missing", name)
		}
	}
}

// The README shows every notebook of the course, each with the picture that stands for
// it, and the notebooks lead on to each other.
func TestReadmeShowsNotebooks(t *testing.T) {
	root, notebooks := course(t)
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range notebooks {
		file := filepath.Base(path)
		name := strings.TrimSuffix(file, ".ipynb")
		if !strings.Contains(string(text), "["+name+"](notebooks/"+file+")") {
			t.Errorf("the README does not link %s", file)
		}
		picture := "notebooks/pictures/" + name + ".png"
		if !strings.Contains(string(text), `src="`+picture+`"`) {
			t.Errorf("the README does not show %s", picture)
		}
		f, err := os.Open(filepath.Join(root, picture))
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := png.Decode(f); err != nil {
			t.Errorf("%s: %v", picture, err)
		}
		if info, err := f.Stat(); err == nil && info.Size() > 60_000 {
			t.Errorf("%s takes %d bytes", picture, info.Size())
		}
		f.Close()
	}
	for _, m := range notebook.FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
			t.Errorf("the README links %s: %v", m[1], err)
		}
	}
}

// Links from one notebook to another, and to the index, lead somewhere, and each notebook
// but the last says which is next.
func TestNotebooksLeadOn(t *testing.T) {
	root, notebooks := course(t)
	local := regexp.MustCompile(`\]\(([^):]+\.(?:ipynb|md))\)`)
	last := ""
	for number := range notebooks {
		last = max(last, number)
	}
	for number, path := range notebooks {
		n, err := nb.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		next := false
		for _, c := range n.Cells {
			if c.Type != "markdown" {
				continue
			}
			for _, m := range local.FindAllStringSubmatch(string(c.Source), -1) {
				if _, err := os.Stat(filepath.Join(root, "notebooks", m[1])); err != nil {
					t.Errorf("%s links %s: %v", filepath.Base(path), m[1], err)
				}
			}
			next = strings.Contains(string(c.Source), "**Next:** [")
		}
		if !next && number != last {
			t.Errorf("%s does not say in its last text what is next", filepath.Base(path))
		}
	}
}
