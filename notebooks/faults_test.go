package notebooks_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/twornn/spectral/notebooks/internal/nb"
)

// Faults that the course once had, each wrong without a word.

// A fit is learnt in the cell that uses it, or read in the cell that saved it: a file that is
// found again must know all that went into it, options and data, and none does but the rows of
// experiments, which Runner keeps.
func TestNothingIsKeptBetweenCells(t *testing.T) {
	_, notebooks := course(t)
	keeps := regexp.MustCompile(`gonb/cache|\bgob\.|\bcache\.`)
	saves := regexp.MustCompile(`\.(Save|Write)\(`)
	loads := regexp.MustCompile(`\b(twornn|forecast|words)\.(Load|Read)\(`)
	for _, path := range notebooks {
		n, err := nb.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range n.Code() {
			source := string(c.Source)
			if keeps.MatchString(source) {
				t.Errorf("%s [%d] keeps values: %s", filepath.Base(path), i+1, keeps.FindString(source))
			}
			// A cache loads first, and saves what it did not find.
			if at := loads.FindStringIndex(source); at != nil && !saves.MatchString(source[:at[0]]) {
				t.Errorf("%s [%d] loads what it has not saved before", filepath.Base(path), i+1)
			}
		}
	}
}

// What a figure shows is what was computed: a value is not lowered to fit, unless its name
// says so.
func TestNoCurveIsCutInSilence(t *testing.T) {
	_, notebooks := course(t)
	lowered := regexp.MustCompile(`if ([\w.\[\]]+) > ([^{]+?) \{\s*([\w.\[\]]+) = ([^}]+?)\s*\}`)
	cut := regexp.MustCompile(`\.Y\b[^\n]*append\([^\n]*\b[mM]in\(|\.Add\([^\n]*,\s*(?:math\.M|m)in\(|\.Y\.Max\s*=`)
	for _, path := range notebooks {
		n, err := nb.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range n.Code() {
			if m := cut.FindString(string(c.Source)); m != "" {
				t.Errorf("%s [%d] cuts a curve: %s", filepath.Base(path), i+1, m)
			}
			for _, m := range lowered.FindAllStringSubmatch(string(c.Source), -1) {
				if m[1] == m[3] && m[2] == m[4] {
					t.Errorf("%s [%d] lowers a value: %s", filepath.Base(path), i+1, m[0])
				}
			}
		}
	}
}

// All words up to L are the cure that notebook 03 says they are: the function of the third
// letter from the end is found from L = 3 on, and never on words of equal length. So it stands
// in the notebook as committed, and TestNotebooks looks at it as it is run.
func TestUpToLIsTheCure(t *testing.T) {
	_, notebooks := course(t)
	n, err := nb.Read(notebooks["03"])
	if err != nil {
		t.Fatal(err)
	}
	upToLIsTheCure(t, n)
}

func upToLIsTheCure(t *testing.T, n *nb.Notebook) {
	t.Helper()
	for _, table := range n.Tables() {
		if !strings.Contains(table, "third letter from the end") {
			continue
		}
		rows := 0
		for line := range strings.Lines(table) {
			f := strings.Fields(line)
			if len(f) != 5 {
				continue
			}
			L, err := strconv.Atoi(f[0])
			if err != nil {
				continue
			}
			rows++
			found := map[bool][2]string{true: {"4", "true"}, false: {f[3], "false"}}[L >= 3]
			if f[1] != "1" || f[2] != "false" || f[3] != found[0] || f[4] != found[1] {
				t.Errorf("L = %d: %v", L, f)
			}
		}
		if rows != 5 {
			t.Errorf("%d rows of 5 in\n%s", rows, table)
		}
		return
	}
	t.Error("the table is missing")
}

// Fit takes the rank of least BIC; L is that of the spectral estimate of least BIC, which need
// not have the least in the end. The README says so (and twornn tests it).
func TestReadmeSaysHowLIsChosen(t *testing.T) {
	root, _ := course(t)
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if regexp.MustCompile("(?i)rank and `?L`? are those of least BIC").Match(text) {
		t.Error("it says that L is of least BIC")
	}
	if !strings.Contains(string(text), "`L` is that of the spectral estimate of least BIC") {
		t.Error("it does not say how L is chosen")
	}
}

// What notebooks 12 and 13 say of their tables holds of the tables as they are committed. They
// are made anew whenever a forecaster gets better, and the words are not.
func TestWordsAgreeWithTables(t *testing.T) {
	_, notebooks := course(t)
	wind := columns(t, notebooks["12"], "DUB in 1978")
	for _, measure := range []string{"RMSE", "MAE"} {
		for _, h := range []string{" 1", " 3", " 6"} {
			c := wind[measure+h]
			for method, x := range c {
				if c["2-RNN"] > x {
					t.Errorf("12: %s%s: %s has %g, the 2-RNN %g", measure, h, method, x, c["2-RNN"])
				}
			}
		}
	}
	const clear = 1.96
	behind := columns(t, notebooks["13"], "Behind the 2-RNN")
	count := func(rival string) (n int) {
		for _, statistic := range behind[rival] {
			if statistic > clear {
				n++
			}
		}
		return n
	}
	if ar, vr, ridge := count("AR"), count("VAR"), count("ridge"); ar != 8 || vr != 6 || ridge != 1 || behind["ridge"]["MAL, 1"] < clear {
		t.Errorf("13: clearly behind the 2-RNN are AR in %d rows, VAR in %d, ridge in %d", ar, vr, ridge)
	}
	rmse, better := columns(t, notebooks["13"], "RMSE on the test rows"), 0
	for row, x := range rmse["ridge"] {
		if x < rmse["2-RNN"][row] {
			better++
		}
	}
	if better != 2 {
		t.Errorf("13: ridge has the least RMSE in %d rows", better)
	}
}

// columns returns the numbers of the table whose title begins so, by column and row.
func columns(t *testing.T, path, title string) map[string]map[string]float64 {
	t.Helper()
	n, err := nb.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range n.Tables() {
		lines := strings.Split(table, "\n")
		if !strings.HasPrefix(table, title) || len(lines) < 5 {
			continue
		}
		gap := regexp.MustCompile(`\s{2,}`)
		header := gap.Split(lines[2], -1) // "" for a first column without a name
		found := make(map[string]map[string]float64)
		for _, line := range lines[4:] {
			cells := gap.Split(strings.TrimSpace(line), -1)
			for i, cell := range cells[1:] {
				x, err := strconv.ParseFloat(strings.TrimSuffix(cell, " %"), 64)
				if err != nil {
					t.Fatal(err)
				}
				name := strings.TrimSpace(header[1+i])
				if found[name] == nil {
					found[name] = make(map[string]float64)
				}
				found[name][cells[0]] = x
			}
		}
		return found
	}
	t.Fatalf("%s has no table %q", path, title)
	return nil
}
