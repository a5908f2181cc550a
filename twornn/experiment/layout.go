package experiment

import (
	"slices"
	"strconv"
)

// Of returns the rows of the methods named, in the order of the names.
func (rows Rows) Of(methods ...string) Rows {
	var kept Rows
	for _, name := range methods {
		for _, r := range rows {
			if r.Method == name {
				kept = append(kept, r)
			}
		}
	}
	return kept
}

// Layout arranges medians as a table: a column for each N, smallest first, and a row for
// each name, in the order in which the names first occur. The name heads its row; where
// there is no median a cell is "–". Of several with one name and N it shows the last.
func Layout(medians []Median, name, cell func(Median) string) (header []string, table [][]string) {
	var sizes []int
	for _, m := range medians {
		sizes = append(sizes, m.N)
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	header = []string{"N"}
	for _, n := range sizes {
		header = append(header, strconv.Itoa(n))
	}
	at := map[string]int{}
	for _, m := range medians {
		s := name(m)
		i, ok := at[s]
		if !ok {
			i = len(table)
			at[s] = i
			row := slices.Repeat([]string{"–"}, 1+len(sizes))
			row[0] = s
			table = append(table, row)
		}
		j, _ := slices.BinarySearch(sizes, m.N)
		table[i][1+j] = cell(m)
	}
	return header, table
}
