package datasets

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

func ExampleIrishWind() {
	s := IrishWind()
	fmt.Println(s.Len(), "days,", len(s.Columns()), "stations,", s.Gaps())
	north, _ := s.Select("BEL", "MAL")
	fmt.Println(north.Between(time.Date(1961, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1962, 1, 1, 0, 0, 0, 0, time.UTC)))
	// Output:
	// 6574 days, 12 stations, no gaps
	// Irish wind: 365 rows, 2 columns
	// 1961-01-01 to 1961-12-31 UTC, step 24h
	// no gaps
	//   column  missing   min    mean    max
	//      BEL        0  0.71  13.503  29.63
	//      MAL        0     2  13.696  33.45
}

// Sums in hundredths of a knot, exact, taken from the source file with awk, and the
// first and last rows as they stand there.
func TestIrishWind(t *testing.T) {
	s := IrishWind()
	first := []float64{15.04, 14.96, 13.17, 9.29, 13.96, 9.87, 13.67, 10.25, 10.83, 12.58, 18.5, 15.04}
	last := []float64{20.33, 17.41, 27.29, 9.59, 12.08, 10.13, 19.25, 11.63, 11.58, 11.38, 12.08, 22.08}
	sums := []int{8127906, 6998975, 7665352, 4145745, 6874353, 4662448, 6440439, 5584232, 5585151, 5724158, 8625750, 10255086}
	high, zeros := 0.0, 0
	for j, name := range s.Columns() {
		v := column(t, s, name)
		if v[0] != first[j] || v[len(v)-1] != last[j] {
			t.Errorf("%s begins with %v and ends with %v", name, v[0], v[len(v)-1])
		}
		var sum int
		for _, x := range v {
			sum += int(math.Round(100 * x))
			high = max(high, x)
			if x == 0 {
				zeros++
			}
		}
		if sum != sums[j] {
			t.Errorf("%s sums to %d hundredths, want %d", name, sum, sums[j])
		}
	}
	times := s.Times()
	if len(times) != 6574 || short(times[0]) != "1961-01-01" || short(times[6573]) != "1978-12-31" || s.Step() != 24*time.Hour {
		t.Errorf("%d days from %v to %v", len(times), times[0], times[len(times)-1])
	}
	if high != 42.54 || zeros != 16 || s.Gaps().Count+s.Gaps().Irregular != 0 {
		t.Errorf("largest %v, %d zeros, %v", high, zeros, s.Gaps())
	}
}

func TestIrishWindSource(t *testing.T) {
	s := IrishWind()
	want, err := ReadCSV(needFile(t, sharedData+"embeddable/irish-wind/irish-wind.csv"), CSV{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Columns(), want.Columns()) || !slices.Equal(s.Times(), want.Times()) {
		t.Error("columns or times differ from the source")
	}
	for _, name := range want.Columns() {
		if !same(column(t, s, name), column(t, want, name)) {
			t.Errorf("%s differs from the source", name)
		}
	}
}

func TestIrishStations(t *testing.T) {
	stations := IrishStations()
	for j, name := range IrishWind().Columns() {
		s := stations[j]
		if s.Code != name || s.Latitude < 51 || s.Latitude > 56 || s.Longitude < -11 || s.Longitude > -6 {
			t.Errorf("%s: %+v", name, s)
		}
	}
	at := func(s Station) string { return fmt.Sprint(s.Name, s.Latitude, s.Longitude) }
	source, err := readLines(needFile(t, sharedData+"embeddable/irish-wind/stations.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stations {
		if !slices.ContainsFunc(source, func(f []string) bool {
			var q Station
			q.Code, q.Name = f[0], f[1]
			fmt.Sscan(f[2]+" "+f[3], &q.Latitude, &q.Longitude)
			return q.Code == s.Code && at(q) == at(s)
		}) {
			t.Errorf("%+v is not in the source", s)
		}
	}
	stations[0].Code = "XXX"
	if IrishStations()[0].Code != "RPT" {
		t.Error("a caller changed the stations")
	}
}

// No caller can spoil the data for another.
func TestIrishWindIsShared(t *testing.T) {
	a := IrishWind()
	column(t, a, "RPT")[0] = -1
	a.Columns()[0] = "XXX"
	a.Times()[0] = time.Time{}
	*a = Series{}
	if b := IrishWind(); b.Len() != 6574 || column(t, b, "RPT")[0] != 15.04 || b.Columns()[0] != "RPT" {
		t.Error("a caller changed the data")
	}
}

func BenchmarkIrishWindUnpack(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		unpackIrishWind()
	}
}
