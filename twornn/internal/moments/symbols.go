package moments

import "fmt"

// Symbol returns the place of the one in a unit vector, −1 if the row is none.
func Symbol(row []float64) int {
	one := -1
	for i, v := range row {
		switch {
		case v == 1 && one < 0:
			one = i
		case v != 0:
			return -1
		}
	}
	return one
}

// wordOf returns the symbols of an example, and the first step, from 1, whose input is no
// unit vector; 0 if all are.
func wordOf(e Example) (word []int, wrong int) {
	word = make([]int, e.Steps())
	for t := range word {
		if word[t] = Symbol(e.X.RawRowView(t)); word[t] < 0 {
			return nil, t + 1
		}
	}
	return word, 0
}

// areWords reports whether all examples are words.
func areWords(examples []Example) bool {
	for _, e := range examples {
		if _, wrong := wordOf(e); wrong > 0 {
			return false
		}
	}
	return true
}

// addWord takes an example that is a word, and errs if it is none.
func (k *Kept) addWord(e Example, place int) error {
	word, wrong := wordOf(e)
	if wrong > 0 {
		return fmt.Errorf("twornn: sequence %d: step %d is no unit vector, as all inputs before it are; mend it, or give L to have the data measured", k.N+1, wrong)
	}
	if r, ok := k.count(place); ok {
		r.Word = word
		k.keep(r, e)
	}
	return nil
}

// AsWords reports whether examples are kept as words alone, and not measured.
func (k *Kept) AsWords() bool { return len(k.Runs) > 0 && k.Runs[0].Word != nil }
