package main

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twornn/spectral/twornn"
	"gonum.org/v1/gonum/mat"
)

// TestDrawIsReproducible: a seed is the same case twice, and seeds differ.
func TestDrawIsReproducible(t *testing.T) {
	kinds := map[string]bool{}
	for seed := range uint64(300) {
		a := draw(seed)
		kinds[a.inputs], kinds[a.target], kinds[a.layout] = true, true, true
		if seed%10 > 0 {
			continue
		}
		b := draw(seed)
		for i := range a.train {
			if !mat.Equal(a.train[i].X, b.train[i].X) || !mat.Equal(a.train[i].Y, b.train[i].Y) {
				t.Fatalf("seed %d: sequence %d differs", seed, i)
			}
		}
		if _, d := a.train[0].X.Dims(); d != a.d {
			t.Errorf("%v: %d inputs", a, d)
		}
	}
	if len(kinds) < 12+8+4+5 {
		t.Errorf("%d kinds: %v", len(kinds), kinds)
	}
}

// TestRidge: it is exact on a linear function with memory and a constant, without noise, whatever
// the units, and takes a column that does not move for none.
func TestRidge(t *testing.T) {
	c := draw(0)
	c.d, c.p = 3, 1
	for seed := uint64(0); c.target != "affine" || c.inputs != "normal" || c.noise > 0.1; seed++ {
		c = draw(seed)
	}
	g := fitRidge(c.train, c.d, c.p, true)
	if e := relative(g, c); !(e < 2*sq(c.noise)+1e-9) {
		t.Errorf("%v: error %g", c, e)
	}
	if e := relative(fitRidge(c.train, c.d, c.p, false), c); !(e > 0.01) {
		t.Errorf("%v: without a constant error %g", c, e)
	}
}

// TestVerdict: what is worse than a rival without a word is a silent failure, with one it is none;
// errors are failures unless a cure is named that helps.
func TestVerdict(t *testing.T) {
	var c *sample
	for seed := uint64(0); c == nil || c.inputs != "normal" || c.target != "affine" || c.noise > 0.3 || c.N < 50; seed++ {
		c = draw(seed)
	}
	zero := &twornn.Result{Model: twornn.NewModel(1, c.d, c.p)}
	v := verdict{}
	if v.score(c, zero); v.Failure != "silent" || math.Abs(v.Model-1) > 1e-9 {
		t.Errorf("the zero function on an affine target: %v", v)
	}
	v = verdict{}
	zero.Warnings = []twornn.Warning{{Kind: twornn.WorseThanZero}}
	if v.score(c, zero); v.Failure != "" || v.Warnings["WorseThanZero"] {
		t.Errorf("with a warning that is wrong: %v", v)
	}
	ctx := context.Background()
	for text, want := range map[string]bool{"no idea": false, "give Options{L: 1}": true, "Rank: 900000": false} {
		if got := cured(ctx, c, errors.New(text), time.Minute); got != want {
			t.Errorf("%q cured: %v", text, got)
		}
	}
}

// TestFileIsResumed: verdicts come back as they were written.
func TestFileIsResumed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fits")
	keep, err := appender(path)
	if err != nil {
		t.Fatal(err)
	}
	v := verdict{Seed: 7, Failure: "slow", Seconds: 31, Warnings: map[string]bool{"Unstable": true}}
	if err := keep(v); err != nil {
		t.Fatal(err)
	}
	known, err := read(path)
	if err != nil || known[7].Seconds != 31 || !known[7].Warnings["Unstable"] {
		t.Errorf("%v, %v", known, err)
	}
	if s := table([]verdict{known[7]}); !strings.Contains(s, "over 30 s                                             1") {
		t.Error(s)
	}
}

// TestRun: an argument that belongs to no flag, a file that is another, and an interrupt are errors that say so,
// and a file that is another is left as it was.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.csv")
	if err := os.WriteFile(other, []byte("a,b\n1,2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(dir, "long")
	if err := os.WriteFile(long, []byte(lineStart+strings.Repeat("1", 1<<20)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"-n 0 200", `"200" belongs to no flag`},
		{"-n 0 -file /dev/full", "-file /dev/full is no regular file"},
		{"-n 0 -file " + dir, "is no regular file"},
		{"-n 0 -file " + other, `is no list of verdicts: line 1 is "a,b"`},
		{"-n 0 -file " + long, "is no list of verdicts"},
		{"-n 0 -file " + filepath.Join(dir, "new"), ""},
	} {
		var out strings.Builder
		err := run(t.Context(), strings.Fields(c.args), &out)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.args, err)
		}
		if wrote := out.Len() > 0; wrote != (err == nil) {
			t.Errorf("%s: %q", c.args, out.String())
		}
	}
	if text, err := os.ReadFile(other); err != nil || string(text) != "a,b\n1,2\n" {
		t.Errorf("%q, %v", text, err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	var out strings.Builder
	if err := run(ctx, []string{"-n", "3"}, &out); err == nil || !strings.Contains(err.Error(), "interrupted after 0 of 3 seeds") || !strings.Contains(out.String(), "0 random fits") {
		t.Errorf("%v after %q", err, out.String())
	}
}
