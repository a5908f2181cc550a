package twornn

import "fmt"

// inBytes writes a size for people.
func inBytes(n float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}} {
		if n >= u.size {
			return fmt.Sprintf("%.3g %s", n/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.3g kB", n/1e3)
}

// maxBlock bounds the entries of a Hankel block that is written out: the SVD of a
// square block of that size takes some twenty seconds.
const maxBlock = 1 << 20

// blockFits errs if the block of all words up to length L is too large, or does not fit in the memory.
func blockFits(L, d, p int, memory float64) error {
	fits := func(L int) bool {
		return blockEntries(L, d, p) <= maxBlock && blockBytes(L, d, p) <= memory
	}
	if fits(L) {
		return nil
	}
	cure := "give fewer inputs, or take words of equal length (Options{Basis: EqualLength})"
	for l := L - 1; l >= 1; l-- {
		if fits(l) {
			cure = fmt.Sprintf("lower L: give Options{L: %d}", l)
			break
		}
	}
	limit := ""
	if blockBytes(L, d, p) > memory {
		limit = fmt.Sprintf(", more than the %s of Options.Memory", inBytes(memory))
	}
	return fmt.Errorf("twornn: the block of all words up to length %d over %s has %.3g entries, where %d can be worked with, and takes %s with its shifts%s; %s",
		L, count(d, "input"), blockEntries(L, d, p), maxBlock, inBytes(blockBytes(L, d, p)), limit, cure)
}

// blockEntries returns how many entries the block of all words up to length L has.
func blockEntries(L, d, p int) float64 {
	words, size := 0.0, 1.0
	for range L + 1 {
		words += size
		size *= float64(d)
	}
	return words * words * float64(p)
}

// blockBytes returns what it takes with its shift by each symbol.
func blockBytes(L, d, p int) float64 { return 8 * float64(d+1) * blockEntries(L, d, p) }

// normalBytes returns what the normal equations of k parameters take.
func normalBytes(k int) float64 {
	const matrices = 8 // of each lane, their sum, with damping, its factor
	return matrices * 8 * float64(k) * float64(k)
}
