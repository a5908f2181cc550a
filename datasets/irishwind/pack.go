//go:build ignore

// Pack turns irish-wind.csv into the file that package datasets embeds:
//
//	go run irishwind/pack.go irish-wind.csv irishwind/irishwind.gz
//
// The values are whole hundredths of a knot. For each station in turn it writes the
// low bytes of all days, then the high bytes, which compress better apart, and
// compresses all with gzip. Dates are left out: no day is missing.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"log"
	"math"
	"os"
	"strconv"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: pack irish-wind.csv irishwind.gz")
	}
	f, err := os.Open(os.Args[1])
	check(err)
	rows, err := csv.NewReader(f).ReadAll()
	check(err)
	rows = rows[1:]

	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	check(err)
	for j := 1; j < len(rows[0]); j++ {
		low, high := make([]byte, len(rows)), make([]byte, len(rows))
		for i, r := range rows {
			v, err := strconv.ParseFloat(r[j], 64)
			check(err)
			h := math.Round(100 * v)
			if h/100 != v || h < 0 || h > math.MaxUint16 {
				log.Fatalf("row %d: %s is no hundredth that fits 16 bits", i+1, r[j])
			}
			low[i], high[i] = byte(int(h)), byte(int(h)>>8)
		}
		_, err := z.Write(low)
		check(err)
		_, err = z.Write(high)
		check(err)
	}
	check(z.Close())
	check(os.WriteFile(os.Args[2], b.Bytes(), 0o644))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
