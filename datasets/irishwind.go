package datasets

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"slices"
	"sync"
	"time"
)

//go:generate go run irishwind/pack.go ../../shared/data/embeddable/irish-wind/irish-wind.csv irishwind/irishwind.gz

//go:embed irishwind/irishwind.gz
var irishPacked []byte

// irishCodes are the stations in the order of the source.
var irishCodes = []string{"RPT", "VAL", "ROS", "KIL", "SHA", "BIR", "DUB", "CLA", "MUL", "CLO", "BEL", "MAL"}

// irishDays is the number of days from 1961-01-01 to 1978-12-31.
const irishDays = 6574

// IrishWind returns the average wind speed of every day from 1961 to 1978 at the 12
// synoptic stations of the Irish Meteorological Service: 6,574 rows, none missing, in
// knots (1 knot = 0.5144 m/s). The columns are the codes of IrishStations.
//
// The data are those of
//
//	J. Haslett and A. E. Raftery (1989), Space-time modelling with long-memory
//	dependence: assessing Ireland's wind power resource, Applied Statistics 38, 1–50
//
// to be cited where they are used, as found in the R package gstat, data set wind.
// See irishwind/PROVENANCE.md. The first call takes some milliseconds to unpack them.
func IrishWind() *Series {
	s := *irishWind()
	return &s
}

var irishWind = sync.OnceValue(unpackIrishWind)

func unpackIrishWind() *Series {
	s := &Series{
		name: "Irish wind", columns: irishCodes, timeName: "date",
		step: 24 * time.Hour, rows: irishDays,
	}
	z, err := gzip.NewReader(bytes.NewReader(irishPacked))
	if err != nil {
		panic("datasets: irishwind.gz: " + err.Error()) // not the data's doing: they are compiled in
	}
	b, err := io.ReadAll(z)
	if err != nil || len(b) != 2*irishDays*len(irishCodes) {
		panic("datasets: irishwind.gz is damaged")
	}
	for range irishCodes {
		v := make([]float64, irishDays)
		low, high := b[:irishDays], b[irishDays:2*irishDays]
		for i := range v {
			v[i] = float64(int(low[i])+256*int(high[i])) / 100
		}
		s.values = append(s.values, v)
		b = b[2*irishDays:]
	}
	for i := range irishDays {
		s.times = append(s.times, time.Date(1961, 1, 1+i, 0, 0, 0, 0, time.UTC))
	}
	return s
}

// Station is a place where something is measured.
type Station struct {
	Code, Name          string
	Latitude, Longitude float64 // degrees, north and east positive
}

// IrishStations returns the stations of IrishWind in the order of its columns. The
// spelling Roslare is the source's.
func IrishStations() []Station { return slices.Clone(irishStations) }

var irishStations = []Station{
	{"RPT", "Roche's Point", 51.8, -8.25},
	{"VAL", "Valentia", 51.9333, -10.25},
	{"ROS", "Roslare", 52.2824, -6.357},
	{"KIL", "Kilkenny", 52.6667, -7.2667},
	{"SHA", "Shannon", 52.7, -8.9167},
	{"BIR", "Birr", 53.0833, -7.8833},
	{"DUB", "Dublin", 53.4333, -6.25},
	{"CLA", "Claremorris", 53.7167, -8.9833},
	{"MUL", "Mullingar", 53.5333, -7.3667},
	{"CLO", "Clones", 54.1833, -7.2333},
	{"BEL", "Belmullet", 54.2333, -10},
	{"MAL", "Malin Head", 55.3667, -7.3333},
}
