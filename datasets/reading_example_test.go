package datasets

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/twornn/spectral/twornn"
)

// Two gauges in one file, each a series of its own.
func ExampleReadGroups() {
	file := `date;gauge;level
2020-01-01;Elbe;1.5
2020-01-01;Oder;3.5
2020-01-02;Elbe;1.75
2020-01-02;Oder;3.25
`
	all, err := ReadGroups(strings.NewReader(file), "levels.csv", CSV{Comma: ';'}, "gauge")
	for _, s := range all {
		level, _ := s.Column("level")
		fmt.Println(s.Name(), level)
	}
	fmt.Println(err)
	// Output:
	// levels.csv: Elbe [1.5 1.75]
	// levels.csv: Oder [3.5 3.25]
	// <nil>
}

// What an error says to set is what reads the file.
func ExampleRead_times() {
	file := `logger 7
day;clock;wind
;;m/s
31.01.2020;23:00;4,5
31.01.2020;24:00;-99,0
01.02.2020;01:00;5,5
`
	o := CSV{Comma: ';', Decimal: ',', Skip: 1, Missing: []string{"-99"}}
	_, err := Read(strings.NewReader(file), "wind.csv", o)
	fmt.Println(err)
	o.HeaderRows = 2
	s, err := Read(strings.NewReader(file), "wind.csv", o)
	fmt.Println(s, err)
	// Output:
	// datasets: wind.csv, line 3: ";;m/s" seems to be a row of units or types under the header; set CSV.HeaderRows to 2
	// wind.csv: 3 rows, 1 column
	// 2020-01-31 23:00 to 2020-02-01 01:00 UTC, step 1h
	// no gaps
	//   column  missing  min  mean  max  unit
	//     wind        1  4.5     5  5.5   m/s
	// note: times are joined from the columns day, clock and read as 2.1.2006 15:04
	// note: 1 time at 24:00, read as the start of the next day
	// warning: 1 of 3 rows (33 %) lacks a value, which no window holds <nil>
}

// The raw file of a station: one line is cut off, one value is missing.
func ExampleReadTUDelft() {
	rest := ",1.2,0,0" + strings.Repeat(",0", 15)
	var file strings.Builder
	for i := range 12 {
		fmt.Fprintf(&file, "2015-06-01 10:%02d:00,Rijnhaven,12.8,3.5,20,0,18.5,70,1.5,2.1,0,5,0.7,%d.5,225%s\r\n", 5*i, i%3, rest)
	}
	file.WriteString("2015-06-01 11:00:00,Rijnhaven,12.8,3.5\r\n")
	var report TUDelftReport
	s, err := ReadTUDelft(strings.NewReader(file.String()), TUDelft{Report: &report})
	if err != nil {
		fmt.Println(err)
		return
	}
	speed, _ := s.Column(WindSpeed)
	fmt.Println(s.Times()[0].Format("2006-01-02 15:04"), speed)
	fmt.Println(report)
	// Output:
	// 2015-06-01 10:00 [1.5]
	// 13 lines: 12 records, 0 blank, 0 out of order
	// rejected 1: fewer columns than 14: cut off, or garbage, the first on line 13
	// WindSpd_{Avg}: 12 values, 0 missing, 0 no number, 0 out of range
	// 1 hour, 1 with all 12 values, 0 with too few
}

// The second call needs no network.
func ExampleFetch() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "date,x\n2020-01-01,1\n2020-01-02,2\n")
	}))
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	for range 2 {
		path, err := Fetch(context.Background(), server.URL+"/x.csv", FetchOptions{Dir: dir})
		if err != nil {
			fmt.Println(err)
			return
		}
		s, err := ReadCSV(path, CSV{})
		fmt.Println(s.Len(), err)
		server.Close()
	}
	// Output:
	// 2 <nil>
	// 2 <nil>
}

// A model from a file, such as the command of package beam writes, says what comes after the
// last row of a record.
func ExampleSeries_Latest() {
	w := Window{Length: 3, Targets: []string{"level"}, Bias: true} // as it was fitted
	var file strings.Builder
	fmt.Fprintln(&file, "date,level,rain")
	level, rain := 10.0, 0.0
	for i := range 200 {
		fmt.Fprintf(&file, "%s,%v,%v\n", time.Date(2020, 1, 1+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly), level, rain)
		level, rain = 5+level/2+rain, float64(i*i%7)
	}
	s, err := Read(strings.NewReader(file.String()), "levels.csv", CSV{})
	if err != nil {
		log.Fatal(err)
	}
	fit, err := twornn.Fit(context.Background(), s.Windows(w), twornn.Options{})
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := fit.Save(filepath.Join(dir, "model.json")); err != nil {
		log.Fatal(err)
	}

	m, err := twornn.Load(filepath.Join(dir, "model.json"))
	if err != nil {
		log.Fatal(err)
	}
	x, err := s.Latest(w)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f on %s\n", m.Predict(nil, x), s.TimeAfter(1).Format(time.DateOnly))
	fmt.Printf("%.3f is right\n", level)
	// Output:
	// [15.008] on 2020-07-19
	// 15.008 is right
}
