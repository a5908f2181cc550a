package beam

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/twornn/spectral/datasets"
)

// TestShapesOfShards: a second shard that is written in another way is read as what it means, or
// the one error names it.
func TestShapesOfShards(t *testing.T) {
	const plain = "time,wind,rain\n2020-01-01,1,2\n2020-01-02,2,3\n2020-01-03,4,5\n2020-01-04,8,9\n"
	both := datasets.CSV{Columns: []string{"wind", "rain"}}
	const of = 2*2 + 4*4 + 8*8 // energy of the windows of one shard: wind, one day on
	for _, c := range []struct {
		name, text string
		csv        datasets.CSV
		windows    int     // of both shards
		energy     float64 // of both
		want       string  // in the error
	}{
		{name: "plain", text: plain, windows: 6, energy: 2 * of},
		{name: "CR LF", text: strings.ReplaceAll(plain, "\n", "\r\n"), windows: 6, energy: 2 * of},
		{name: "mark of UTF-8", text: "\uFEFF" + plain, windows: 6, energy: 2 * of},
		{name: "no line end", text: strings.TrimSuffix(plain, "\n"), windows: 6, energy: 2 * of},
		{name: "quotes", text: "\"time\",\"wind\",\"rain\"\n\"2020-01-01\",\"1\",2\n2020-01-02,\"2\",3\n2020-01-03,4,\"5\"\n2020-01-04,8,9\n", windows: 6, energy: 2 * of},
		{name: "empty", text: "", windows: 3, energy: of},
		{name: "header alone", text: "time,wind,rain\n", windows: 3, energy: of},
		{name: "another header alone", text: "time,gust\n", windows: 3, energy: of},
		{name: "one row", text: "time,wind,rain\n2020-01-01,1,2\n", windows: 3, energy: of},
		{name: "missing in the middle", text: strings.Replace(plain, ",2,3", ",,3", 1), windows: 4, energy: of + 8*8},
		{name: "NaN in the middle", text: strings.Replace(plain, ",2,3", ",NaN,3", 1), windows: 4, energy: of + 8*8},
		{name: "NA in the middle", text: strings.Replace(plain, ",4,5", ",NA,5", 1), windows: 4, energy: of + 2*2},
		{name: "an input missing", text: strings.Replace(plain, ",2,3", ",2,NA", 1), windows: 5, energy: of + 2*2 + 8*8},
		{name: "a gap", text: plain + "2020-01-09,1,1\n2020-01-10,3,1\n", windows: 7, energy: 2*of + 9},
		{name: "other order", text: "rain,time,wind\n2,2020-01-01,1\n", want: "b.csv"},
		{name: "other order, columns and time named", text: "rain,time,wind\n2,2020-01-01,1\n3,2020-01-02,2\n5,2020-01-03,4\n9,2020-01-04,8\n",
			csv: datasets.CSV{Columns: both.Columns, Time: "time"}, windows: 6, energy: 2 * of},
		{name: "a column more, those named", text: "time,sun,wind,rain\n2020-01-01,7,1,2\n2020-01-02,7,2,3\n2020-01-03,7,4,5\n2020-01-04,7,8,9\n", csv: both, windows: 6, energy: 2 * of},
		{name: "a column more, none named", text: "time,wind,rain,sun\n2020-01-01,1,2,7\n2020-01-02,2,3,7\n", want: "b.csv has wind, rain, sun; name the columns"},
		{name: "a column less", text: "time,wind\n2020-01-01,1\n2020-01-02,2\n", want: "b.csv has wind; name the columns"},
		{name: "a column less, named", text: "time,wind\n2020-01-01,1\n2020-01-02,2\n", csv: both, want: "b.csv"},
		{name: "no target", text: "time,rain\n2020-01-01,1\n2020-01-02,2\n", want: "b.csv has no column wind to be a target"},
		{name: "no times", text: "wind,rain\n1,2\n2,3\n", want: "a.csv has times and"},
		{name: "no header", text: plain[strings.Index(plain, "\n")+1:], want: "b.csv"},
		{name: "semicolons", text: strings.ReplaceAll(plain, ",", ";"), want: "b.csv"},
		{name: "tabs", text: strings.ReplaceAll(plain, ",", "\t"), want: "b.csv"},
		{name: "a field less", text: strings.Replace(plain, ",2,3", ",2", 1), want: "b.csv, line 3"},
		{name: "an open quote", text: strings.Replace(plain, ",2,3", ",\"2,3", 1), want: "b.csv"},
		{name: "days back", text: strings.Replace(plain, "2020-01-03", "2019-01-03", 1), want: "b.csv, line 4"},
		{name: "zero bytes", text: "\x00\x00\x00\x00\x00", want: "b.csv"},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"a.csv": plain, "b.csv": c.text} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		f := Files{Pattern: filepath.Join(dir, "*.csv"), CSV: c.csv, Window: datasets.Window{Length: 1, Targets: []string{"wind"}}}
		got, err := collected(t, func(s sdk.Scope) sdk.PCollection { return Read(s, f) })
		switch {
		case c.want != "":
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: error %v, want %q", c.name, err, c.want)
			}
			t.Logf("%s: %s", c.name, strings.ReplaceAll(err.Error(), dir+"/", ""))
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case got[1].N() != c.windows || math.Abs(got[1].Energy()-c.energy) > 1e-9:
			t.Errorf("%s: %d windows of energy %v, want %d of %v", c.name, got[1].N(), got[1].Energy(), c.windows, c.energy)
		}
	}
}
