package forecast

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
)

func TestSave(t *testing.T) {
	s := positive(noisy(260, 5))
	o := Options{Horizons: []int{1, 4}, Seasons: []int{6}}
	f, err := TwoRNN{}.Learn(context.Background(), s.Rows(0, 200), o)
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
	for _, at := range []int{3, 150, 259} {
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
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	text, s := b.String(), noisy(260, 5)
	for _, c := range [][2]string{
		{`"Version":1`, `"Version":9`}, {`"Targets":[0,1]`, `"Targets":[0,7]`}, {`"Horizons":[1,4]`, `"Horizons":[1]`},
		{`"Start":[`, `"Start":[1,`}, {`"Set":0`, `"Set":5`}, {`"Index":[`, `"Index":[9999,`}, {`"Kind":1`, `"Kind":-1`},
		{`"Order":`, `"Order":9`}, {`"Mixture":{`, `"Mixture":null,"x":{`}, {`"Cells":[`, `"Cells":[[],`},
		{`"Rows":200`, `"Rows":0`},
	} {
		if !strings.Contains(text, c[0]) {
			continue
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
