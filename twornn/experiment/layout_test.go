package experiment

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
)

func TestOf(t *testing.T) {
	rows := Rows{{Method: "a", N: 1}, {Method: "b", N: 2}, {Method: "c", N: 3}, {Method: "b", N: 4}}
	var got []int
	for _, r := range rows.Of("b", "none", "a") {
		got = append(got, r.N)
	}
	if want := []int{2, 4, 1}; !slices.Equal(got, want) {
		t.Errorf("got rows %v, want %v", got, want)
	}
	if got := rows.Of(); got != nil {
		t.Errorf("of no method there are %v", got)
	}
}

func TestLayout(t *testing.T) {
	medians := []Median{
		{Method: "TIHT", N: 160, MSE: 2}, {Method: "TIHT", N: 40, MSE: 1},
		{Method: "LSTM", N: 1280, MSE: 3}, {Method: "TIHT", N: 1280, MSE: 4},
	}
	header, table := Layout(medians,
		func(m Median) string { return m.Method },
		func(m Median) string { return fmt.Sprint(m.MSE) })
	got := fmt.Sprint(header, table)
	if want := "[N 40 160 1280] [[TIHT 1 2 4] [LSTM – – 3]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if header, table := Layout(nil, nil, nil); len(header) != 1 || table != nil {
		t.Errorf("of nothing: %v %v", header, table)
	}
}

// A cache makes the folder it is to lie in.
func TestCacheFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder", "rows.jsonl")
	for range 2 {
		c, err := openCache(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.close(); err != nil {
			t.Fatal(err)
		}
	}
}
