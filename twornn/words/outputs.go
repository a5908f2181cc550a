package words

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/twornn/spectral/twornn"
)

// OutputsOptions holds the choices of FitOutputs. The zero value chooses everything.
type OutputsOptions struct {
	// Futures is the length of the suffixes whose outputs tell states apart: a state is
	// what is observed after all words of up to so many symbols. Negative means by the
	// output at once, 0; zero means the least from 0 to 4 that explains the data.
	Futures int
	// Tol is the error of outputs, relative to the largest, up to which they count as
	// explained, and below which singular values count as none. Zero means 1e-8.
	Tol float64
}

// FitOutputs learns the linear 2-RNN of one-hot sequences with outputs, such as
// datasets.Tracking draws: exactly, if the outputs are without noise and the words
// tell all states and transitions. On one-hot inputs everything falls apart by symbol: with
// H the futures of the words observed, one row a word, and C their coordinates in the row
// space of H, A^σ is the least squares solution of
//
//	C A^σ = C^σ
//
// over the words u that were seen with uσ too, C^σ the rows of uσ (Theorem 3, with
// prefixes and suffixes as they come). Where the futures are as many different ones as
// the rank, they become the states; if transitions then are unit vectors up to
// the tolerance, they are rounded, and the machine is checked on all the data.
//
// It costs O(N n²) for N distinct prefixes and n states, whatever the number of
// symbols, and errs if the data are no one-hot words with finite outputs.
func FitOutputs(ctx context.Context, data iter.Seq[twornn.Sequence], o OutputsOptions) (*Machine, error) {
	if o.Tol == 0 {
		o.Tol = 1e-8
	}
	obs, err := observe(data)
	if err != nil {
		return nil, err
	}
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
		m, err := obs.machine(k, o.Tol)
		if err != nil {
			if best == nil {
				return nil, err
			}
			break
		}
		if best == nil || m.Error < best.Error {
			best = m
		}
		if best.Error <= o.Tol*obs.size() {
			break
		}
	}
	best.Words, best.Longest = obs.words, obs.longest
	return best, nil
}

// size returns the largest absolute output.
func (o *observations) size() (s float64) {
	for _, y := range o.outputs {
		for _, v := range y {
			s = max(s, math.Abs(v))
		}
	}
	return s
}

// maxFutures bounds the columns of H.
const maxFutures = 4000

// machine learns with the futures of up to k symbols.
func (o *observations) machine(k int, tol float64) (*Machine, error) {
	columns, power := o.p, 1
	for range k {
		power *= o.d
		if columns += power * o.p; columns > maxFutures {
			return nil, fmt.Errorf("words: futures of %d symbols are more than %d outputs for %d symbols; set OutputsOptions.Futures lower, or give symbols vectors with Embed", k, maxFutures, o.d)
		}
	}
	f := &futures{obs: o, suffixes: twornn.Words(o.d, k), at: make(map[int32]int)}
	if err := f.collect(tol); err != nil {
		return nil, err
	}
	m, err := f.solve(tol)
	if err != nil {
		return nil, err
	}
	m.Futures = k
	m.Error = o.errorOf(m.Model)
	if r := rounded(m.Model); r != nil {
		if e := o.errorOf(r); e <= max(m.Error, tol*o.size()) {
			m.Model, m.Error, m.Deterministic = r, e, true
		}
	}
	return m, nil
}
