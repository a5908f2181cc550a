package words

import (
	"context"
	"fmt"
	"iter"

	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/stop"
	"github.com/twornn/spectral/twornn/internal/symbols"
)

// OutputsOptions holds the choices of FitOutputs. The zero value chooses everything.
type OutputsOptions struct {
	// Futures is the length of the suffixes whose outputs tell states apart: a state is
	// what is observed after all words of up to so many symbols. Negative means by the
	// output at once, 0; zero means the least from 0 to 4 that explains the data, or, with the
	// warning twornn.Unexplained, the one that comes nearest.
	Futures int
	// Tol is the error of outputs, relative to the largest, up to which they count as
	// explained, and below which singular values count as none. Zero means 1e-8.
	Tol float64
}

// FitOutputs learns the linear 2-RNN of one-hot sequences with outputs, such as
// datasets.Tracking draws: exactly, if the outputs are without noise and the words
// tell all states and transitions. Outputs that differ after the same word are noise: it learns their mean,
// and Machine.Error counts how far each of them is from that. On one-hot inputs everything falls apart by symbol: with
// H the futures of the words observed, one row a word, and C their coordinates in the row
// space of H, A^σ is the least squares solution of
//
//	C A^σ = C^σ
//
// over the words u that were seen with uσ too, C^σ the rows of uσ (Theorem 3, with
// prefixes and suffixes as they come). Where the futures are as many different ones as
// the rank, they become the states, and where what was observed whole does not explain the data,
// other words are taken for the only state that agrees with what was observed after them. If
// transitions then are unit vectors up to the tolerance, they are rounded, and the machine is
// checked on all the data. One that does not explain them carries the warning twornn.Unexplained.
//
// Words suffice if each state is met with every symbol after it and, where outputs at once do not
// tell the state, if some word that leads there is followed by all words of Futures symbols. For sums
// modulo d, from 5 to 20, random words of three symbols sufficed in each of twenty draws from 6 d² words
// on with an output for each state, from 10 d² on with the sum as a number, which asks for futures of one.
//
// It costs O(N n²) for N distinct prefixes and n states, whatever the number of
// symbols, and errs if the data are no one-hot words with finite outputs.
func FitOutputs(ctx context.Context, data iter.Seq[twornn.Sequence], o OutputsOptions) (*Machine, error) {
	return stop.Within(ctx, func() (*Machine, error) { return fitOutputs(ctx, data, o) })
}

func fitOutputs(ctx context.Context, data iter.Seq[twornn.Sequence], o OutputsOptions) (*Machine, error) {
	if !(o.Tol >= 0 && o.Tol < 1) {
		return nil, fmt.Errorf("words: Tol %v: give a fraction below 1; zero means 1e-8", o.Tol)
	}
	if o.Tol == 0 {
		o.Tol = 1e-8
	}
	tree, err := observe(data)
	if err != nil {
		return nil, err
	}
	m, err := symbols.Learn(ctx, tree, symbols.Options{Futures: o.Futures, Tol: o.Tol})
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("words: %w", err)
	}
	r := &Machine{
		Model:   &twornn.Model{H0: m.H0, A: m.A, Omega: m.Omega},
		Futures: m.Futures, Deterministic: m.Deterministic, Error: tree.Error(m.Model), Words: tree.Words, Longest: tree.Longest,
	}
	for _, g := range m.Missing {
		r.Missing = append(r.Missing, Gap(g))
	}
	r.warn(tree, o)
	return r, nil
}

// contradiction says what to do with outputs that differ after the same word: by so much, if the
// largest is of size.
func contradiction(spread, size float64) string {
	s := fmt.Sprintf("outputs after the same word differ by up to %.2g, %.2g of the largest: the data are noisy; ", spread, spread/size)
	if 3*spread < size {
		s += "set Tol to several times as much, or "
	}
	return s + "give the words to twornn.Fit, which weighs noise"
}

// warn says where the machine does not explain its words, and which transitions it does not know.
func (m *Machine) warn(tree *symbols.Tree, o OutputsOptions) {
	if size := tree.Largest; !(m.Error <= o.Tol*size) {
		cure := "give more words, or the same to twornn.Fit"
		switch {
		case tree.Spread > o.Tol*size:
			cure = contradiction(tree.Spread, size)
		case tree.Silent() > 0:
			cure = "give words with an output after every symbol"
		case o.Futures != 0:
			cure = "leave Futures zero, or " + cure
		}
		m.Warnings = append(m.Warnings, twornn.Warning{Kind: twornn.Unexplained, Text: fmt.Sprintf("no machine was found that explains the words: an output of this one is off by %.2g, where the largest is %.2g; %s", m.Error, size, cure)})
	}
	for _, seen := range []bool{false, true} {
		var gaps []Gap
		for _, g := range m.Missing {
			if g.Seen == seen {
				gaps = append(gaps, g)
			}
		}
		if len(gaps) > 0 {
			what, cure := symbols.Gap(gaps[0]).Untold(len(gaps), m.Futures, spelt(gaps[0].Word))
			m.Warnings = append(m.Warnings, twornn.Warning{Kind: twornn.Deficient, Text: what + ": " + cure})
		}
	}
}
