package twornn

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/store"
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
		"empty":    {"", "it is empty"},
		"broken":   {`{"h0":[1,2`, "breaks off after 10 bytes"},
		"no json":  {"hello", "invalid character"},
		"nothing":  {"{}", "h0, A or Omega is missing"},
		"zero":     {`{"h0":[],"A":[],"Omega":[]}`, "h0 has 0 entries"},
		"short A":  {`{"h0":[1,2],"A":[[[1,2]]],"Omega":[[1,2]]}`, "A 1 slices"},
		"ragged":   {`{"h0":[1,2],"A":[[[1,2]],[[1]]],"Omega":[[1,2]]}`, "A[1][0] has 1 entries for 2 states"},
		"inputs":   {`{"h0":[1,2],"A":[[[1,2]],[]],"Omega":[[1,2]]}`, "A[1] has 0 inputs"},
		"omega":    {`{"h0":[1],"A":[[[1]]],"Omega":[[1,2]]}`, "Omega[0] has 2 entries"},
		"null":     {`{"h0":[null],"A":[[[1]]],"Omega":[[1]]}`, "null stands where a number should"},
		"rest":     {`{"h0":[1],"A":[[[1]]],"Omega":[[1]]} x`, "after top-level value (byte 38)"},
		"second":   {`{"h0":[1],"A":[[[1]]],"Omega":[[1]]}{}`, "after top-level value (byte 37)"},
		"word":     {`{"h0":["1"],"A":[[[1]]],"Omega":[[1]]}`, "stands where a number should"},
		"flat":     {`{"h0":[1],"A":[[1]],"Omega":[[1]]}`, "1 stands where a list should"},
		"future":   {`{"format":"twornn model","version":9,"new":{}}`, "version 9"},
		"foreign":  {`{"format":"twornn forecaster","version":2}`, "twornn forecaster"},
		"stripped": {`{"format":"twornn model","version":1,"h0":[1],"A":[[[1]]],"Omega":[[1]]}`, "checksum"},
		"too big":  {`{"h0":[1e999],"A":[[[1]]],"Omega":[[1]]}`, "1e999"},
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
	for _, path := range []string{dir, "/dev/zero"} {
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "no file") {
			t.Errorf("%s: %v", path, err)
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

// TestEveryFlippedBitIsSeen: with any bit of a saved model changed, it loads as the same
// function or not at all; cut anywhere, not at all.
func TestEveryFlippedBitIsSeen(t *testing.T) {
	m := Random(2, 2, 1, 1, pcg(5))
	path := filepath.Join(t.TempDir(), "m.json")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range text {
		for bit := range 8 {
			flipped := bytes.Clone(text)
			flipped[i] ^= 1 << bit
			if got, err := decode(flipped); err == nil && !sameModel(m, got) {
				t.Fatalf("bit %d of byte %d changed loads as another model", bit, i)
			}
		}
		if _, err := decode(text[:i]); err == nil && i < len(text)-1 {
			t.Fatalf("the first %d bytes load", i)
		}
	}
}

// TestSaveKeepsLinksAndRefusesDevices: a link is written through and stays a link; what is
// no regular file is left alone.
func TestSaveKeepsLinksAndRefusesDevices(t *testing.T) {
	dir := t.TempDir()
	m, real, link := Random(2, 2, 1, 1, pcg(6)), filepath.Join(dir, "real.json"), filepath.Join(dir, "link.json")
	if err := os.WriteFile(real, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real.json", link); err != nil {
		t.Skip("no links here")
	}
	if err := m.Save(link); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link has become a file")
	}
	if got, err := Load(real); err != nil || !sameModel(m, got) {
		t.Error("what the link leads to has no model:", err)
	}
	if info, _ := os.Stat(real); info.Mode().Perm() != 0o600 {
		t.Errorf("a file for its owner alone is now %v", info.Mode())
	}
	broken := filepath.Join(dir, "broken.json")
	if err := os.Symlink("nowhere", broken); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/dev/null": "a device", dir: "a folder", broken: "leads to no file"} {
		if err := m.Save(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if info, err := os.Lstat("/dev/null"); err != nil || info.Mode().IsRegular() {
		t.Fatal("the device is gone")
	}
}

// TestLoadTakesMemoryForWhatIsThere: h0 of 3,000 entries and slices of a thousand empty rows
// ask for 72 GB; they take less than a megabyte.
func TestLoadTakesMemoryForWhatIsThere(t *testing.T) {
	const n, d = 3000, 1000
	items := func(what string, k int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(what+",", k), ",") + "]"
	}
	for name, text := range map[string]string{
		"empty rows":   `{"h0":` + items("1", n) + `,"A":[` + items("[]", d) + "," + strings.TrimSuffix(strings.Repeat("[],", n-1), ",") + `],"Omega":[[1]]}`,
		"empty Omega":  `{"h0":[1],"A":[[[1]]],"Omega":` + items("[]", 1<<20) + `}`,
		"empty slices": `{"h0":[1],"A":` + items("[]", 1<<20) + `,"Omega":[[1]]}`,
		"deep":         `{"h0":[1],"A":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `,"Omega":[[1]]}`,
		"deeper":       strings.Repeat("[", 1<<20),
		"long key":     `{"` + strings.Repeat("a", 1<<20) + `":1}`,
	} {
		var err error
		bytes := allocated(func() { _, err = decode([]byte(text)) })
		if err == nil || len(err.Error()) > 300 || bytes > 10<<20 {
			t.Errorf("%s: %d bytes allocated, %.100v", name, bytes, err)
		}
	}
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Whatever the text, sealed or not, a model that comes back the same when it is saved, or an
// error in one line; memory for what is there alone.
func FuzzLoad(f *testing.F) {
	text, err := Random(2, 2, 1, 1, pcg(1)).encode()
	if err != nil {
		f.Fatal(err)
	}
	const one = `{"h0":[1],"A":[[[1]]],"Omega":[[1]]}`
	list := func(what string, k int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(what+",", k), ",") + "]"
	}
	for _, s := range []string{string(text), one, "", "{}", "null", "[]", `{"h0":[],"A":[],"Omega":[]}`, strings.Replace(one, "[[[1]]]", "[[[1],[1]]]", 1), strings.Replace(one, "[1]", "[null]", 1),
		`{"h0":` + list("1", 3000) + `,"A":[` + list("[]", 1000) + strings.Repeat(",[]", 2999) + `],"Omega":[[1]]}`, strings.Replace(one, "[[[1]]]", list("[]", 1<<12), 1), strings.Replace(one, "[[1]]", list("[1]", 1<<12), 1),
		strings.Replace(one, "[[[1]]]", strings.Repeat("[", 1<<10)+strings.Repeat("]", 1<<10), 1), strings.Replace(one, "[1]", "[1e400]", 1), strings.Replace(one, "[1]", "[-0]", 1), strings.Replace(one, "[1]", `["]"]`, 1),
		`{"format":"twornn model","version":2}`, `{"version":99999999999999999999}`, `{"h0":{"a":[1]},"A":[[[1]]],"Omega":[[1]]}`, " \t" + one + " \n"} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, seal bool) {
		if seal {
			text = store.Seal(text)
		}
		m, err := decode(text)
		if err != nil {
			if m != nil || strings.ContainsAny(err.Error(), "\r\n\x00") || len(err.Error()) > 1000 {
				t.Fatalf("the error is %q", err)
			}
			return
		}
		text, err = m.encode()
		if err != nil || !json.Valid(text) {
			t.Fatalf("%v, or what is saved is no JSON", err)
		}
		if back, err := decode(store.Seal(text)); err != nil || !sameModel(m, back) {
			t.Fatalf("another model came back: %v", err)
		}
	})
}
