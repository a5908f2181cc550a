package symbols

import (
	"context"
	"fmt"
)

// Options holds the choices of Learn.
type Options struct {
	// Futures is the length of the suffixes whose outputs tell states apart. Negative means by
	// the output at once, 0; zero means the least from 0 to 4 that explains the data.
	Futures int
	// Tol is the error of outputs, relative to the largest, up to which they count as
	// explained, and below which singular values count as none.
	Tol float64
	// Limit bounds the operations of each factorisation, and eight times the numbers of a
	// model; Learn errs where more is needed. Zero: none.
	Limit float64
}

// maxFutures bounds the columns of H.
const maxFutures = 4000

// Learn returns the machine of the words of the tree, exactly, if the outputs are without
// noise and the words tell all states and transitions. With H the outputs after each word and
// each suffix, one row a word, and C their coordinates in the row space of H, A^σ is the least
// squares solution of
//
//	C A^σ = C^σ
//
// over the words u that were seen with uσ too, C^σ the rows of uσ (Theorem 3 of the paper,
// with prefixes and suffixes as they come). Where the rows are as many different ones as
// the rank, they become the states, and where what was observed whole does not explain the data, other
// words are taken for the only state that agrees with what was observed after them; if transitions
// then are unit vectors up to the tolerance, they are rounded, and the machine is checked on all the data.
//
// It costs O(N n²) for N distinct prefixes and n states. It errs if the data tell no
// machine at all; one that does not explain them has a large Error.
func Learn(ctx context.Context, t *Tree, o Options) (*Machine, error) {
	from, to := 0, 4
	if o.Futures != 0 {
		from = max(o.Futures, 0)
		to = from
	}
	var best *Machine
	for k := from; k <= to; k++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, err := t.machine(k, o)
		if err != nil {
			if best == nil {
				return nil, err
			}
			break
		}
		if best == nil || m.Error < best.Error {
			best = m
		}
		if best.Error <= o.Tol*t.Size() {
			break
		}
	}
	return best, nil
}

// machine learns with the futures of up to k symbols.
func (t *Tree) machine(k int, o Options) (*Machine, error) {
	columns, power := t.P, 1
	for range k {
		power *= t.D
		if columns += power * t.P; columns > maxFutures {
			return nil, fmt.Errorf("futures of %d symbols are more than %d outputs for %d symbols; set Futures lower, or give symbols vectors with words.Embed", k, maxFutures, t.D)
		}
	}
	f := &futures{obs: t, suffixes: Words(t.D, k), limit: o.Limit, at: make(map[int32]int)}
	if err := f.collect(o.Tol); err != nil {
		return nil, err
	}
	m, err := f.machine(k, o.Tol)
	if err == nil && m.Error > o.Tol*t.Size() && f.complete(o.Tol) {
		if c, err := f.machine(k, o.Tol); err == nil && c.Error < m.Error {
			m = c
		}
	}
	return m, err
}

// machine returns that of the coordinates C, where futures are of up to k symbols.
func (f *futures) machine(k int, tol float64) (*Machine, error) {
	m, err := f.solve(tol)
	if err != nil {
		return nil, err
	}
	m.Model = f.start(m.Model, tol)
	m.Futures = k
	m.Error = f.obs.errorOf(m.Model)
	if r := rounded(m.Model); r != nil {
		if e := f.obs.errorOf(r); e <= max(m.Error, tol*f.obs.Size()) {
			m.Model, m.Error, m.Deterministic = r, e, true
		}
	}
	return m, nil
}
