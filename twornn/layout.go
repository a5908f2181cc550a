package twornn

import (
	"slices"

	"github.com/twornn/spectral/twornn/internal/moments"
)

// otherL returns the least L for which the examples have sequences, or outputs, of the lengths
// that the basis asks for, whether they were measured or not; 0 if there is none.
func otherL(c moments.Set, b Basis) int {
	k := c.Kept()
	if k == nil {
		return 0
	}
	lengths, _ := k.Lengths()
	if len(lengths) == 0 {
		return 0
	}
	for L := 1; 2*L+1 <= lengths[len(lengths)-1]; L++ {
		if _, err := b.resolve(L, func(l int) bool { return slices.Contains(lengths, l) }); err == nil {
			return L
		}
	}
	return 0
}

// needed returns the lengths that a basis cannot do without.
func (b Basis) needed(L int) []int {
	if b == UpToLength {
		return b.lengths(L)
	}
	return EqualLength.lengths(L)
}
