package store

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSeal: what was sealed opens; with any byte changed it does not, or is unsealed; and
// what has no seal says so.
func TestSeal(t *testing.T) {
	text := Seal([]byte(` {"a":[1,2],"b":"}"} `))
	if ok, err := Open(append(text, '\n')); !ok || err != nil {
		t.Fatal(ok, err)
	}
	for i := range text {
		for bit := range 8 {
			flipped := bytes.Clone(text)
			flipped[i] ^= 1 << bit
			if ok, err := Open(flipped); ok && err == nil {
				t.Fatalf("bit %d of byte %d is not seen", bit, i)
			} else if err != nil && !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
		}
	}
	for _, none := range []string{"", "{}", `{"sha256":"00"}`, `{"a":1}`} {
		if ok, err := Open([]byte(none)); ok || err != nil {
			t.Errorf("%q: %v, %v", none, ok, err)
		}
	}
}

// TestNumbers: lists are read as they stand, and what is no number is named.
func TestNumbers(t *testing.T) {
	v, err := Append([]float64{9}, []byte(" [ 1, -2.5e3 ,\n0 ]"))
	if err != nil || !slices.Equal(v, []float64{9, 1, -2500, 0}) {
		t.Error(v, err)
	}
	if v, err := Append(nil, []byte("[]")); err != nil || len(v) != 0 {
		t.Error(v, err)
	}
	for text, want := range map[string]string{"[1,null]": "null", `["1"]`: `"1"`, "[[1]]": "[1]", "[1e999]": "1e999", "7": "a list", "": "nothing", "[1": "breaks off", `["\n"]`: "number"} {
		if _, err := Append(nil, []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	var items []string
	err = List([]byte(`[[1,2],{"a":"],"}, "x\"]" ,3]`), func(i int, item []byte) error {
		if i != len(items) {
			t.Errorf("item %d after %d", i, len(items))
		}
		items = append(items, string(item))
		return nil
	})
	if want := []string{"[1,2]", `{"a":"],"}`, `"x\"]"`, "3"}; err != nil || !slices.Equal(items, want) {
		t.Errorf("%q, %v", items, err)
	}
	if x, err := Append(nil, []byte("[5e-324]")); err != nil || x[0] != math.SmallestNonzeroFloat64 {
		t.Error(x, err)
	}
}

// TestFiles: a file is there whole or as it was, with its mode; limits hold; what is no file
// is refused.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, text := range []string{"one", "another"} {
		if err := Write(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := Read(path, 10); err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o644 {
		t.Error(info.Mode())
	}
	if _, err := Read(path, 3); err == nil || !strings.Contains(err.Error(), "larger than the 3 bytes") {
		t.Error(err)
	}
	// The file is named as it was asked for, not as it is called while it is written.
	no := filepath.Join(dir, "no", "f")
	if err := Write(no, nil); err == nil || !strings.HasPrefix(err.Error(), no+" cannot be written, as no file can be made in its folder: no such file") || strings.Contains(err.Error(), no+".") {
		t.Errorf("a folder that is not there: %v", err)
	}
	if err := Write(path, make([]byte, Limit+1)); err == nil || !strings.Contains(err.Error(), "256 MiB") {
		t.Error(err)
	}
	if _, err := Read("", 10); err == nil || !strings.Contains(err.Error(), "no file is named") {
		t.Error(err)
	}
	if err := Write("", nil); err == nil || !strings.Contains(err.Error(), "no file is named") {
		t.Error(err)
	}
	var to struct{ A []int }
	for text, want := range map[string]string{"[]": "it holds an array in the place", `{"A": "x"}`: "A holds a string in the place"} {
		if err := Unmarshal([]byte(text), &to); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, no := range []string{dir, "/dev/null"} {
		if _, err := Read(no, 10); err == nil || !strings.Contains(err.Error(), "no file") {
			t.Error(err)
		}
		if err := Write(no, nil); err == nil || !strings.Contains(err.Error(), "no file") {
			t.Error(err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("%d files are left behind", len(left)-1)
	}
}

// TestTwoEntries: an object with two entries of one name, of which either might be meant, is refused.
func TestTwoEntries(t *testing.T) {
	for text, want := range map[string]string{
		`{"h0":[1],"h0":[2]}`:      "two entries h0",
		`{"h0":[1], "H0" : [2]}`:   "two entries H0",
		`{"h0":[1],"h1":{"h0":2}}`: "",
		`[1, 1]`:                   "",
	} {
		var v any
		if err := Unmarshal([]byte(text), &v); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
