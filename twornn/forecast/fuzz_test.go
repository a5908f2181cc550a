package forecast

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn/internal/store"
)

// Whatever the text, sealed or not, an error in one line or a forecaster that forecasts from
// a record of its columns without a panic, to numbers or an error.
func FuzzRead(f *testing.F) {
	for _, path := range []string{"testdata/version1.json", "testdata/version1season.json"} {
		file, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		text := string(file)
		f.Add([]byte(text), true)
		for _, c := range [][2]string{{`"Shift":1`, `"Shift":1048575`}, {`"Period":6`, `"Period":1048575`}, {`"Rows":100`, `"Rows":9223372036854775807`}, {`"Horizons":[1]`, `"Horizons":[1048575]`}, {`"Order":1`, `"Order":9223372036854775807`},
			{`"Index":[`, `"Index":[-1,`}, {`"Columns":[`, `"Columns":["",`}, {`"Scale":`, `"Scale":1e-308,"x":`}, {`"Targets":[0`, `"Targets":[0,0`}} {
			f.Add([]byte(strings.Replace(text, c[0], c[1], 1)), false)
		}
	}
	for _, text := range []string{"", "{}", "null", "[]", `{"Version":1}`, `{"Version":1,"Mixture":{}}`, `{"Version":1,"Columns":["a"],"Targets":[0],"Horizons":[1],"Start":[0],"Mixture":{"Designs":[null],"Paths":[null],"Cells":[[null]],"Warps":[[{}]],"Low":[0],"High":[0],"Rows":1},"Exams":[{}]}`} {
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, seal bool) {
		if seal {
			text = store.Seal(text)
		}
		g, err := decode(text)
		if err != nil {
			if g != nil || strings.ContainsAny(err.Error(), "\r\n\x00") || len(err.Error()) > 1000 {
				t.Fatalf("the error is %q", err)
			}
			return
		}
		names := g.task.columns
		columns := make([][]float64, len(names))
		seen := map[string]bool{}
		for j, name := range names {
			if seen[name] {
				t.Fatalf("two columns are called %q", name)
			}
			seen[name] = true
			columns[j] = make([]float64, 40)
			for i := range columns[j] {
				columns[j][i] = 10 + math.Sin(float64(i+j))
			}
		}
		r := datasets.FromColumns(names, columns...)
		if y, err := g.Forecast(nil, r, 30); err == nil {
			for _, v := range y.RawMatrix().Data {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("a forecast is %v", v)
				}
			}
		}
		_, _, _ = g.Interval(r, 30, 0.9)
		_ = g.String()
	})
}
