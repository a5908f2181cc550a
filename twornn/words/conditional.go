package words

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/linalg"
)

// conditional is the distribution that a weighted automaton tells whose values may be negative, or
// sum to anything: after a prefix u, x being a symbol σ or the end, it has
//
//	P(x | u) ∝ max(v(x), ε g(x) Σ_y max(v(y), 0))   v(σ) = Σ_w f(uσw)   v(end) = f(u)
//
// with g > 0 the shares of the unigrams; and P = g where no v is positive. Every word has a
// positive probability then, and those of any set of words sum to 1 at most.
type conditional struct {
	m    *twornn.Model
	ways [][]float64 // h·ways[x] is v(x): A^σ ω with ω the sums over all continuations, and at d Ω
	g    []float64
}

// floorShare is ε: what a continuation has at the least, of its share by the unigrams. From 0.001 to 0.01
// the perplexity on problems 3, 14, 24, 29 and 30 of PAutomaC moves by 0.003 at most, but a machine
// of three states with words that are impossible (TestSpectralStates) loses up to 0.02 nats a word.
const floorShare = 1e-3

// conditionalOf returns that of the first r states of m, whose values are the statistic; g are the
// unigrams.
func conditionalOf(m *twornn.Model, s Statistic, r int, g *pfa) (*conditional, error) {
	_, d, _ := m.Dims()
	c := &conditional{m: full(m, s, r)}
	ends := mat.DenseCopyOf(c.m.Omega.T())
	omega := mat.DenseCopyOf(m.Omega.Slice(0, 1, 0, r).T())
	if s == Strings || s == Suffixes { // the values are no sums over continuations yet
		var err error
		if omega, _, _, err = linalg.LeastSquares(ending(c.m), ends, 1e-12); err != nil {
			return nil, err
		}
	}
	for k := range d {
		var v mat.Dense
		v.Mul(c.m.A[k], omega)
		c.ways, c.g = append(c.ways, v.RawMatrix().Data), append(c.g, g.step[k][0])
	}
	c.ways, c.g = append(c.ways, ends.RawMatrix().Data), append(c.g, g.stop[0])
	return c, nil
}

// logProb returns the natural logarithm of the probability of a word.
func (c *conditional) logProb(word []int) float64 {
	h, next, v := append([]float64(nil), c.m.H0.RawVector().Data...), make([]float64, c.m.H0.Len()), make([]float64, len(c.ways))
	log := 0.0
	for _, s := range word {
		log += math.Log(c.prob(v, h, s))
		clear(next)
		for i, x := range h {
			axpy(x, c.m.A[s].RawRowView(i), next)
		}
		h, next = next, h
		size := 0.0
		for _, x := range h {
			size = max(size, math.Abs(x))
		}
		if _, e := math.Frexp(size); e < -100 || e > 100 { // its size plays no part
			for i := range h {
				h[i] = math.Ldexp(h[i], -e)
			}
		}
	}
	return log + math.Log(c.prob(v, h, len(c.ways)-1))
}

// prob returns P(x | u), where h is the state after u. It writes to v.
func (c *conditional) prob(v, h []float64, x int) float64 {
	total := 0.0
	for y, w := range c.ways {
		v[y] = dot(h, w)
		total += max(v[y], 0)
	}
	if !(total > 0) || math.IsInf(total, 1) {
		return c.g[x]
	}
	all := 0.0
	for y := range v {
		v[y] = max(v[y], floorShare*c.g[y]*total)
		all += v[y]
	}
	return v[x] / all
}
