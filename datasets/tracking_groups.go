package datasets

import (
	"fmt"
	"slices"
)

// SymmetricGroup returns the word problem of S_n by two generators: symbol 0 swaps the
// first two of n things, symbol 1 moves all by one place, and the state is the
// permutation so far, n! of them. It panics unless 2 ≤ n ≤ 7.
func SymmetricGroup(n int) *Tracking {
	if n < 2 || n > 7 {
		panic("datasets: symmetric groups are for 2 to 7 things")
	}
	swap, turn := identity(n), identity(n)
	swap[0], swap[1] = 1, 0
	for i := range turn {
		turn[i] = (i + 1) % n
	}
	return wordProblem(fmt.Sprintf("S%d", n), swap, turn)
}

// AlternatingGroup returns the word problem of A_n by two generators, the even
// permutations of n things, n!/2 of them: symbol 0 turns the first three round, symbol 1
// all n if n is odd and all but the first if it is even. It panics unless 4 ≤ n ≤ 7.
func AlternatingGroup(n int) *Tracking {
	if n < 4 || n > 7 {
		panic("datasets: alternating groups are for 4 to 7 things")
	}
	three, turn := identity(n), identity(n)
	three[0], three[1], three[2] = 1, 2, 0
	from := 1 - n%2
	for i := from; i < n; i++ {
		turn[i] = i + 1
	}
	turn[n-1] = from
	return wordProblem(fmt.Sprintf("A%d", n), three, turn)
}

func identity(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

// wordProblem returns the machine whose states are the products of the generators, 0 the
// identity: symbol σ multiplies by generator σ.
func wordProblem(name string, generators ...[]int) *Tracking {
	t := &Tracking{Name: "word problem of " + name}
	elements := [][]int{identity(len(generators[0]))}
	number := map[string]int{key(elements[0]): 0}
	for k := 0; k < len(elements); k++ {
		row := make([]int, len(generators))
		for s, g := range generators {
			product := slices.Clone(elements[k])
			for i, x := range elements[k] {
				product[i] = g[x]
			}
			at, ok := number[key(product)]
			if !ok {
				at = len(elements)
				number[key(product)] = at
				elements = append(elements, product)
			}
			row[s] = at
		}
		t.Next = append(t.Next, row)
	}
	return t
}
