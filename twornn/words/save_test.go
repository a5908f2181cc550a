package words

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn/internal/store"
)

// someAutomaton is a mixture that Fit learnt.
func someAutomaton(t testing.TB) *Automaton {
	w := datasets.NewWords([]string{"a", "ü \"", ""})
	for k, word := range [][]int{{0, 1}, {0, 1, 0, 1}, {}, {2}, {0, 1, 0, 1, 0, 1}, {2, 2}} {
		w.Add(word, float64(k+1))
	}
	a, err := Fit(context.Background(), w, Options{States: 2, Starts: 1})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestSaveAutomaton: the same bits come back; with any bit of the file changed, or cut
// short, it is the same automaton or none.
func TestSaveAutomaton(t *testing.T) {
	a, path := someAutomaton(t), filepath.Join(t.TempDir(), "a.json")
	if err := a.Save(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	same := func(b *Automaton) bool {
		sameBits(t, "a saved automaton", a.WFA(), b.WFA())
		return a.String() == b.String()
	}
	if b, err := Load(path); err != nil || !same(b) {
		t.Fatalf("%v\n%v, want\n%v", err, b, a)
	}
	for i := range text {
		flipped := bytes.Clone(text)
		flipped[i] ^= 1 << (i % 8)
		if b, err := decode(flipped); err == nil && !same(b) {
			t.Fatalf("byte %d changed gives another automaton", i)
		}
		if _, err := decode(text[:i]); err == nil && i < len(text)-1 {
			t.Fatalf("the first %d bytes load", i)
		}
	}
	if err := a.Save("/dev/null"); err == nil || !strings.Contains(err.Error(), "device") {
		t.Error(err)
	}
	var none *Automaton
	if err := none.Save(path); err == nil || !strings.Contains(err.Error(), "not fitted") {
		t.Error(err)
	}
}

// TestLoadOfHostileAutomata: shapes that disagree, numbers that are none, other files, and
// little memory for what claims much.
func TestLoadOfHostileAutomata(t *testing.T) {
	whole := `{"format":"twornn automaton of words","version":1,"alphabet":["a"],"parts":[{"method":"EM","weight":1,"heldOut":0,"start":[1],"stop":[0.5],"step":[[0.5]]}]}`
	if _, err := decode(store.Seal([]byte(whole))); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct{ from, to, want string }{
		"weights":     {`"weight":1`, `"weight":0.5`, "sum to"},
		"weight":      {`"weight":1`, `"weight":-1`, "weight is"},
		"symbols":     {`["a"]`, `["a","b"]`, "1 matrices for 2 symbols"},
		"twice":       {`["a"]`, `["a","a"]`, "occurs twice"},
		"none":        {`["a"]`, `[]`, "no symbol"},
		"stop":        {`[0.5],"step"`, `[],"step"`, "stop 0"},
		"step":        {`[[0.5]]`, `[[0.5,1]]`, "2 entries for 1 state"},
		"more":        {`[[0.5]]`, `[[0.5],[1]]`, "symbol 1"},
		"negative":    {`[[0.5]]`, `[[-0.5]]`, "no probability"},
		"null":        {`[[0.5]]`, `[[null]]`, "null stands"},
		"absent":      {`,"step":[[0.5]]`, ``, "a list should"},
		"large":       {`[[0.5]]`, `[[1e999]]`, "can be held"},
		"future":      {`"version":1`, `"version":2`, "version 2"},
		"foreign":     {`twornn automaton of words`, `twornn model`, "twornn model"},
		"72 GB of it": {`"start":[1]`, `"start":[` + strings.Repeat("1,", 99999) + `1]`, "start has 100000"},
	} {
		text := strings.Replace(whole, c.from, c.to, 1)
		if _, err := decode(store.Seal([]byte(text))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := decode([]byte(whole)); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Error(err)
	}
}
