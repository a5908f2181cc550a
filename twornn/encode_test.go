package twornn

import (
	"bytes"
	"encoding/gob"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func sameModel(a, b *Model) bool {
	if len(a.A) != len(b.A) || !mat.Equal(a.H0, b.H0) || !mat.Equal(a.Omega, b.Omega) {
		return false
	}
	for i := range a.A {
		if !mat.Equal(a.A[i], b.A[i]) {
			return false
		}
	}
	return true
}

func TestSaveLoadIsExact(t *testing.T) {
	for _, s := range modelSizes {
		m := Random(s.n, s.d, s.p, 1e-7, pcg(1))
		path := filepath.Join(t.TempDir(), "a model.json")
		if err := m.Save(path); err != nil {
			t.Fatal(err)
		}
		got, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if !sameModel(m, got) {
			t.Errorf("%+v: the model changed on disk", s)
		}
	}
}

// TestGob: gonb/cache stores values with encoding/gob, which drops unexported fields.
func TestGob(t *testing.T) {
	m := Random(3, 2, 2, 1, pcg(2))
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(m); err != nil {
		t.Fatal(err)
	}
	var got Model
	if err := gob.NewDecoder(&b).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if !sameModel(m, &got) {
		t.Error("the model changed in gob")
	}
}

func TestLoadOfBadFiles(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"empty":   {"", "EOF"},
		"no json": {"hello", "invalid character"},
		"nothing": {"{}", "h0 has 0 entries"},
		"short A": {`{"h0":[1,2],"A":[[[1,2]]],"Omega":[[1,2]]}`, "A 1 slices"},
		"ragged":  {`{"h0":[1,2],"A":[[[1,2]],[[1]]],"Omega":[[1,2]]}`, "A[1][0] has 1 entries for 2 states"},
		"inputs":  {`{"h0":[1,2],"A":[[[1,2]],[]],"Omega":[[1,2]]}`, "A[1] has 0 inputs"},
		"omega":   {`{"h0":[1],"A":[[[1]]],"Omega":[[1,2]]}`, "Omega[0] has 2 entries"},
		"null":    {`{"h0":[null],"A":[[[1]]],"Omega":[[1]]}`, "null stands where a number should"},
		"rest":    {`{"h0":[1],"A":[[[1]]],"Omega":[[1]]} x`, "something follows"},
		"second":  {`{"h0":[1],"A":[[[1]]],"Omega":[[1]]}{}`, "something follows"},
		"too big": {`{"h0":[1e999],"A":[[[1]]],"Omega":[[1]]}`, "1e999"},
	} {
		path := filepath.Join(dir, "bad.json")
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Load(filepath.Join(dir, "absent.json")); err == nil {
		t.Error("an absent file loads")
	}
}

func TestSaveRefusesNaNAndKeepsTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.json")
	m := Random(2, 2, 1, 1, pcg(3))
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	bad := Random(2, 2, 1, 1, pcg(4))
	bad.H0.SetVec(0, math.NaN())
	if err := bad.Save(path); err == nil {
		t.Error("a NaN is saved")
	}
	if got, err := Load(path); err != nil || !sameModel(m, got) {
		t.Errorf("the old file is gone: %v", err)
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("%d files left behind", len(files)-1)
	}
}

// TestLoadReadsTheSharedModels: the target models of the accuracy tables are in the
// same form.
func TestLoadReadsTheSharedModels(t *testing.T) {
	path := "../../shared/data/models/random-code-0.json"
	if _, err := os.Stat(path); err != nil {
		t.Skip("the target models lie outside the repository and are not here")
	}
	m, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if n, d, p := m.Dims(); n != 5 || d != 3 || p != 2 {
		t.Errorf("%d states, %d inputs, %d outputs; want 5, 3, 2", n, d, p)
	}
}
