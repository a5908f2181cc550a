package forecast

import (
	"bytes"
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
)

func TestSave(t *testing.T) {
	s := positive(noisy(130, 5))
	o := Options{Horizons: []int{1, 4}, Seasons: []int{6}}
	f, err := TwoRNN{}.Learn(context.Background(), s.Rows(0, 100), o)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "forecaster.json")
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	g, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{3, 80, 129} {
		x, _ := f.Forecast(nil, s, at)
		y, err := g.Forecast(nil, s, at)
		if err != nil || !mat.Equal(x, y) {
			t.Errorf("row %d: %v, want %v (%v)", at, mat.Formatted(y), mat.Formatted(x), err)
		}
		a, b, _ := f.Interval(s, at, 0.8)
		c, d, err := g.Interval(s, at, 0.8)
		if err != nil || !mat.Equal(a, c) || !mat.Equal(b, d) {
			t.Errorf("row %d: the intervals differ", at)
		}
	}
	if f.String() != g.String() {
		t.Errorf("%v\n%v", f, g)
	}
	damaged(t, f)
}

// positive moves the columns of s above zero, so that logarithms take part.
func positive(s *datasets.Series) *datasets.Series {
	var columns [][]float64
	for _, name := range s.Columns() {
		v, _ := s.Column(name)
		for i := range v {
			v[i] += 12
		}
		columns = append(columns, v)
	}
	return datasets.FromColumns(s.Columns(), columns...)
}

// damaged reads the saved forecaster with single numbers changed: an error, or a
// forecaster that works, but no panic.
func damaged(t *testing.T, f *Fitted) {
	if f, err := Read(nil); f != nil || err == nil || !strings.Contains(err.Error(), "it is nil; open the file first") {
		t.Errorf("%v, %v", f, err)
	}
	if f, err := Read(strings.NewReader("")); f != nil || err == nil || !strings.Contains(err.Error(), "it is empty") {
		t.Errorf("nothing reads as a forecaster: %v", err)
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	// Version 1 has no checksum, so that what is checked here are the places alone.
	text, s := unsealed(b.String()), noisy(130, 5)
	for _, c := range [][2]string{
		{`"Version":1`, `"Version":9`}, {`"Targets":[0,1]`, `"Targets":[0,7]`}, {`"Horizons":[1,4]`, `"Horizons":[1]`},
		{`"Start":[`, `"Start":[1,`}, {`"Set":0`, `"Set":5`}, {`"Index":[`, `"Index":[9999,`}, {`"Kind":1`, `"Kind":-1`},
		{`"Order":`, `"Order":9`}, {`"Mixture":{`, `"Mixture":null,"x":{`}, {`"Cells":[`, `"Cells":[[],`},
		{`"Rows":100`, `"Rows":0`}, {`"Designs"`, `"Designz"`}, {`"Known"`, `"Format":"twornn forecaster","Known"`},
		{`"Known"`, `"sha256":"00","Known"`},
	} {
		if !strings.Contains(text, c[0]) {
			t.Errorf("the file has no %s", c[0])
		}
		g, err := Read(strings.NewReader(strings.Replace(text, c[0], c[1], 1)))
		if err != nil {
			continue
		}
		if c[0] != `"Kind":1` {
			t.Errorf("%s read without an error", c[1])
		}
		_, _ = g.Forecast(nil, s, 100)
	}
	for i := 0; i < len(text); i += len(text)/50 + 1 {
		if _, err := Read(strings.NewReader(text[:i])); err == nil {
			t.Errorf("the first %d bytes read without an error", i)
		}
	}
}

// unsealed returns a saved forecaster as version 1 wrote it.
func unsealed(text string) string {
	text = text[:strings.Index(text, `,"sha256":`)] + "}\n"
	return strings.Replace(text, `"Format":"twornn forecaster","Version":4`, `"Version":1`, 1)
}

// TestSavedForecasterIsItself: version 1 still loads, to the same forecasts; with any
// bit changed, or cut short, a forecaster is refused or the same; another kind of file, a
// later version and one that asks for memory get a sentence.
func TestSavedForecasterIsItself(t *testing.T) {
	s := positive(noisy(120, 5))
	f, err := Load("testdata/version1.json")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	want, _ := f.Forecast(nil, s, 110)
	same := func(text []byte) error {
		g, err := Read(bytes.NewReader(text))
		if err != nil {
			return err
		}
		if y, err := g.Forecast(nil, s, 110); err != nil || !mat.Equal(want, y) || g.String() != f.String() {
			t.Errorf("another forecaster was read: %v %v", y, err)
		}
		return nil
	}
	if err := same([]byte(unsealed(b.String()))); err != nil {
		t.Errorf("version 1: %v", err)
	}
	text := b.Bytes()
	step := len(text)/300 + 1 // all of it would take a minute
	for i := 0; i < len(text); i += step {
		flipped := bytes.Clone(text)
		flipped[i] ^= 1 << (i % 8)
		_ = same(flipped)
		if err := same(text[:i]); err == nil && i < len(text)-1 {
			t.Fatalf("the first %d bytes load", i)
		}
	}
	for name, c := range map[string]struct{ text, want string }{
		"a model":      {`{"format":"twornn model","version":1,"h0":[1]}`, "twornn model"},
		"no version":   {`{"h0":[1],"A":[[[1]]],"Omega":[[1]]}`, "version"},
		"a later one":  {`{"Format":"twornn forecaster","Version":5,"Other":{}}`, "version 5"},
		"a list":       {`[1]`, "holds an array"},
		"designs":      {`{"Version":1,"Mixture":{"Designs":[` + strings.Repeat("{},", 1<<19) + `{}]}}`, "parts"},
		"what follows": {unsealed(b.String()) + "x", "after top-level value"},
		"all of it":    {`{"Version":1,"Columns":["` + strings.Repeat("a", mostSaved) + `"]}`, "32 MiB"},
	} {
		if _, err := Read(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 300 {
			t.Errorf("%s: %.300v", name, err)
		}
	}
	var none *Fitted
	if err := none.Save(filepath.Join(t.TempDir(), "f")); err == nil || !strings.Contains(err.Error(), "not fitted") {
		t.Error(err)
	}
	if err := f.Save("/dev/null"); err == nil || !strings.Contains(err.Error(), "device") {
		t.Error(err)
	}
}

// TestOldFiles: forecasters that version 1 wrote load, and forecast what those forecast.
func TestOldFiles(t *testing.T) {
	s := positive(noisy(120, 5))
	for path, want := range map[string]float64{"testdata/version1.json": 13.211552190096496, "testdata/version1season.json": 11.968392044013763} {
		f, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		y, err := f.Forecast(nil, s, 110)
		if err != nil || math.Abs(y.At(0, 0)-want) > 1e-9 {
			t.Errorf("%s forecasts %v, want %v (%v)", path, y.At(0, 0), want, err)
		}
	}
}
