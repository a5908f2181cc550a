package words

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/phrase"
	"github.com/twornn/spectral/twornn/internal/stop"
	"github.com/twornn/spectral/twornn/internal/symbols"
)

// QueryOptions holds the choices of Learn.
type QueryOptions struct {
	// Tol is the error of an answer, relative to the largest answer. Zero means 1e-9. What
	// sticks out of the span of the rows by less counts as none.
	Tol float64
	// MaxStates ends the learning. Zero means 200.
	MaxStates int
}

// Learnt is a model learnt by queries.
type Learnt struct {
	*twornn.Model
	// Queries is the number of different words that the black box was asked, Equivalences
	// how often the oracle was.
	Queries, Equivalences int
	// Equal says that the oracle knew no difference at the end.
	Equal bool
	// Prefixes and Suffixes are the rows and columns that tell all: suffix k counts by its
	// output Outputs[k].
	Prefixes, Suffixes [][]int
	Outputs            []int
}

// String is the summary that a notebook prints.
func (l *Learnt) String() string {
	n, d, p := l.Dims()
	end := "the oracle knows no difference"
	if !l.Equal {
		end = "not yet equal"
	}
	return fmt.Sprintf("%s, %s, %s; %s (n²d = %d), %s, %s", phrase.Count(n, "state"), phrase.Count(d, "symbol"), phrase.Count(p, "output"), phrase.Count(l.Queries, "query"), n*n*d, phrase.Count(l.Equivalences, "equivalence query"), end)
}

// Learn finds the weighted automaton of n states behind a black box of d symbols, by
// Angluin's two kinds of query (Beimel et al. 2000). It keeps prefixes u and suffixes v
// with a Hankel block H of full rank, rows f(uv), and
//
//	H_σ = A^σ H   h₀ = the unit vector of the empty word   Ω = the outputs of the prefixes
//
// with rows f(uσv) in H_σ. Where a row f(uσ·) lies outside the span, uσ becomes a prefix. A word on which
// the oracle finds the model wrong is cut in two at the place where the state goes wrong, by
// halving, and what follows becomes a suffix. With exact answers n−1 equivalence queries
// are enough, and some n²d + n queries besides those of the halving. Asking the same word
// twice counts once.
//
// It errs if f or the oracle is nil or suits no d symbols, if the answers disagree in their
// number, are not finite, are all zero, or too large or too small to be multiplied, and if rounding or noise above Tol leaves a counterexample without use; the model so far
// then comes with the error. When ctx ends no more is asked, and the last model that the
// oracle was asked about comes with the error, if there is one and f and the oracle answer
// within a moment.
func Learn(ctx context.Context, f BlackBox, d int, oracle Oracle, o QueryOptions) (*Learnt, error) {
	switch {
	case d < 1:
		return nil, fmt.Errorf("words: a black box of %d symbols: give Learn the number of its symbols, 1 or more", d)
	case f == nil:
		return nil, errors.New("words: the black box is nil; give Learn the function to learn")
	case oracle == nil:
		return nil, errors.New("words: the oracle is nil; give Learn one, such as Against a known model, or Sampled words")
	case !(o.Tol >= 0 && o.Tol < 1) || o.MaxStates < 0:
		return nil, fmt.Errorf("words: Tol %v, MaxStates %d: give a fraction below 1 and no negative number; zero means the default", o.Tol, o.MaxStates)
	}
	return stop.Within(ctx, func() (l *Learnt, err error) {
		defer unfitOf(&err)
		return learn(ctx, f, d, oracle, o)
	})
}

func learn(ctx context.Context, f BlackBox, d int, oracle Oracle, o QueryOptions) (*Learnt, error) {
	if o.Tol == 0 {
		o.Tol = 1e-9
	}
	if o.MaxStates == 0 {
		o.MaxStates = 200
	}
	l := &learner{ctx: ctx, f: f, d: d, tol: o.Tol, asked: make(map[string][]float64)}
	if err := l.begin(oracle); err != nil {
		return nil, err
	}
	var last *Learnt
	for {
		err := l.close(o.MaxStates)
		if l.stopped() {
			return last, l.err
		}
		if err != nil {
			return l.result(false), err
		}
		last = l.result(false)
		l.equivalences++
		last.Equivalences++
		word, differs := l.consult(oracle, last.Model)
		if !differs {
			last.Equal = l.err == nil
			return last, l.err
		}
		useful := l.err == nil && l.split(last.Model, word)
		last.Queries = len(l.asked)
		if l.err != nil {
			return last, l.err
		}
		if !useful {
			return last, fmt.Errorf("words: the word %s tells nothing new of %s; the answers are noisier than Tol %.2g, raise it", spelt(word), phrase.Count(len(l.prefixes), "state"), o.Tol)
		}
	}
}

// column is a suffix and one of the outputs.
type column struct {
	word   []int
	output int
}

// learner is the state of Learn.
type learner struct {
	ctx          context.Context
	f            BlackBox
	d, p         int
	tol, size    float64
	asked        map[string][]float64
	equivalences int
	prefixes     [][]int
	columns      []column
	err          error
}

// stopped reports whether ctx has ended.
func (l *learner) stopped() bool {
	err := l.ctx.Err()
	if err != nil && l.err == nil {
		l.err = fmt.Errorf("words: stopped after %s: %w; allow more time, or raise QueryOptions.Tol if the answers are noisy", phrase.Count(len(l.asked), "query"), err)
	}
	return err != nil
}

// ask returns the answer to a word, which is asked once, and zeros once ctx has ended.
func (l *learner) ask(word []int) []float64 {
	k := fmt.Sprint(word)
	y, ok := l.asked[k]
	if ok {
		return y
	}
	if l.stopped() {
		return make([]float64, max(l.p, 1))
	}
	y = slices.Clone(l.f(slices.Clone(word)))
	if l.p == 0 {
		l.p = len(y)
	}
	for _, v := range y {
		switch {
		case l.err != nil:
		case v-v != 0:
			l.err = fmt.Errorf("words: the answer to %s is %v; a black box has to answer with finite numbers", spelt(word), v)
		case math.Abs(v) > largestAnswer:
			l.err = fmt.Errorf("words: the answer to %s is %.3g, too large to work with; let the black box answer in a larger unit, or the oracle give shorter words", spelt(word), v)
		}
		l.size = max(l.size, math.Abs(v))
	}
	if len(y) != l.p || len(y) == 0 {
		if l.err == nil {
			l.err = fmt.Errorf("words: the answer to %s has %s, those before it %d; a black box has to answer all words alike", spelt(word), phrase.Count(len(y), "output"), l.p)
		}
		y = make([]float64, max(l.p, 1))
	}
	l.asked[k] = y
	return y
}

// consult asks the oracle for a word on which m is wrong.
func (l *learner) consult(oracle Oracle, m *twornn.Model) (word []int, differs bool) {
	word, differs = oracle(m)
	for _, s := range word {
		if differs && (s < 0 || s >= l.d) && l.err == nil {
			l.err = fmt.Errorf("words: the oracle gives the word %s, and the symbols of the black box are 0 to %d; let the oracle give words of these, or tell Learn of more", spelt(word), l.d-1)
		}
	}
	return word, differs && l.err == nil
}

// row returns the outputs after u on the columns.
func (l *learner) row(u []int) []float64 {
	v := make([]float64, len(l.columns))
	for k, c := range l.columns {
		v[k] = l.ask(slices.Concat(u, c.word))[c.output]
	}
	return v
}

// begin takes the first prefix and suffix, so that their entry is not zero: the empty
// words, or else the word on which the zero function is wrong.
func (l *learner) begin(oracle Oracle) error {
	y := l.ask(nil)
	if l.err != nil {
		return l.err
	}
	if j := largestAbs(y); y[j] != 0 {
		l.prefixes, l.columns = [][]int{{}}, []column{{nil, j}}
		return nil
	}
	l.equivalences++
	word, differs := l.consult(oracle, twornn.NewModel(1, l.d, l.p))
	if l.err != nil {
		return l.err
	}
	if !differs {
		return errors.New("words: the black box answers zero to all words; there is nothing to learn")
	}
	if y = l.ask(word); l.err != nil {
		return l.err
	}
	l.prefixes, l.columns = [][]int{{}}, []column{{word, largestAbs(y)}}
	if y[largestAbs(y)] == 0 {
		return fmt.Errorf("words: the oracle says that the answer to %s is not zero, the black box that it is; one of them is wrong", spelt(word))
	}
	return nil
}

func largestAbs(y []float64) int {
	j := 0
	for k, v := range y {
		if math.Abs(v) > math.Abs(y[j]) {
			j = k
		}
	}
	return j
}

// close adds prefixes until the rows of all their continuations are in their span.
func (l *learner) close(limit int) error {
	for !l.stopped() {
		q := symbols.NewSpan(len(l.columns))
		for _, u := range l.prefixes {
			q.Add(l.row(u))
		}
		var far []int
		most := 0.0
		for _, u := range l.prefixes {
			for s := range l.d {
				w := append(slices.Clone(u), s)
				if r := q.Residual(l.row(w)); r > most {
					far, most = w, r
				}
			}
		}
		if l.err == nil && l.size < 1/largestAnswer {
			l.err = fmt.Errorf("words: the largest answer is %.3g, too small to work with; let the black box answer in a smaller unit", l.size)
		}
		if l.err != nil || most <= l.tol*l.size*math.Sqrt(float64(len(l.columns)))*10 {
			return l.err
		}
		if len(l.prefixes) >= limit {
			return fmt.Errorf("words: more than %d states; raise QueryOptions.MaxStates, or Tol if the answers are noisy", limit)
		}
		l.prefixes = append(l.prefixes, far)
	}
	return l.err
}

// model returns the automaton of the table: states are coordinates over the prefixes.
func (l *learner) model() *twornn.Model {
	n := len(l.prefixes)
	H := mat.NewDense(n, len(l.columns), nil)
	for i, u := range l.prefixes {
		H.SetRow(i, l.row(u))
	}
	m := twornn.NewModel(n, l.d, l.p)
	// The empty word is the first prefix.
	m.H0.SetVec(0, 1)
	for i, u := range l.prefixes {
		for j, y := range l.ask(u) {
			m.Omega.Set(j, i, y)
		}
	}
	for s := range l.d {
		next := mat.NewDense(len(l.columns), n, nil)
		for i, u := range l.prefixes {
			w := append(slices.Clone(u), s)
			if k := slices.IndexFunc(l.prefixes, func(v []int) bool { return slices.Equal(v, w) }); k >= 0 {
				next.SetCol(i, H.RawRowView(k)) // so that it comes out as the unit vector
			} else {
				next.SetCol(i, l.row(w))
			}
		}
		X, _, _, err := linalg.LeastSquares(mat.DenseCopyOf(H.T()), next, 1e-14)
		if err != nil {
			l.err = fmt.Errorf("words: the transitions of symbol %d: %w", s, err)
			return m
		}
		m.A[s].Copy(X.T())
	}
	return m
}

// split finds, by halving, where the state of m goes wrong on a word, and adds what follows
// as a suffix. It reports false if that tells nothing new.
func (l *learner) split(m *twornn.Model, word []int) bool {
	states := [][]float64{slices.Clone(m.H0.RawVector().Data)}
	for _, s := range word {
		next := make([]float64, len(l.prefixes))
		for i, x := range states[len(states)-1] {
			axpy(x, m.A[s].RawRowView(i), next)
		}
		states = append(states, next)
	}
	truth := l.ask(word)
	// off returns how far the answers after the state of i symbols are from the truth.
	off := func(i int) (int, float64) {
		y := make([]float64, l.p)
		for k, u := range l.prefixes {
			if x := states[i][k]; x != 0 {
				axpy(x, l.ask(slices.Concat(u, word[i:])), y)
			}
		}
		axpy(-1, truth, y)
		j := largestAbs(y)
		return j, math.Abs(y[j])
	}
	// Right at 0, wrong at the end.
	right, wrong := 0, len(word)
	output, size := off(wrong)
	if size == 0 {
		return false
	}
	for wrong-right > 1 {
		mid := (right + wrong) / 2
		if j, e := off(mid); e > size/2 {
			wrong, output = mid, j
		} else {
			right = mid
		}
	}
	c := column{slices.Clone(word[wrong:]), output}
	for _, old := range l.columns {
		if old.output == c.output && slices.Equal(old.word, c.word) {
			return false
		}
	}
	l.columns = append(l.columns, c)
	return l.err == nil
}

// result returns the model so far with its counts.
func (l *learner) result(equal bool) *Learnt {
	r := &Learnt{Model: l.model(), Queries: len(l.asked), Equivalences: l.equivalences, Equal: equal, Prefixes: l.prefixes}
	for _, c := range l.columns {
		r.Suffixes = append(r.Suffixes, c.word)
		r.Outputs = append(r.Outputs, c.output)
	}
	return r
}
