package words

import (
	"math"
)

// counts holds how often, in expectation over the paths of the sample, each parameter was
// used, with the log-likelihood.
type counts struct {
	pfa
	logLik float64
	work   float64 // multiply-adds
}

// expect returns the expected counts of a over the sample: Baum and Welch's sums over
// prefixes, one step a node of the tries. States whose share after a prefix is below beam
// are left out there. It costs O(n·k) a node, k ≤ n the states that are not.
func (c *corpus) expect(a *pfa, beam float64) *counts {
	part := make([]*counts, len(c.tries))
	each(len(part), func(k int) { part[k] = c.tries[k].expect(a, beam) })
	for _, p := range part[1:] {
		part[0].add(&p.pfa)
		part[0].logLik += p.logLik
		part[0].work += p.work
	}
	t := part[0]
	for s, m := range t.step {
		for k, v := range a.step[s] {
			m[k] *= v
		}
	}
	return t
}

func (a *pfa) add(b *pfa) {
	axpy(1, b.start, a.start)
	axpy(1, b.stop, a.stop)
	for s := range a.step {
		axpy(1, b.step[s], a.step[s])
	}
}

// walk is a walk in depth through a trie, with what belongs to the nodes from the root to
// where it is, by depth.
type walk struct {
	t     *trie
	a     *pfa
	beam  float64
	out   *counts
	at    []int32   // nodes
	alpha []float64 // n each: where the prefix leads, of sum 1
	beta  []float64 // n each: the sums over the words below, over their probability
	grow  []float64 // the sum of alpha before it was made 1
	live  [][]int32 // states whose share of alpha is not left out
}

// expect is corpus.expect over one trie, steps not yet multiplied by their probability.
func (t *trie) expect(a *pfa, beam float64) *counts {
	w := &walk{t: t, a: a, beam: beam, out: &counts{pfa: *newPFA(a.n, a.d)}}
	for v := range t.symbol {
		for len(w.at) > 0 && w.at[len(w.at)-1] != t.parent[v] {
			w.leave()
		}
		w.enter(int32(v))
	}
	for len(w.at) > 0 {
		w.leave()
	}
	return w.out
}

// enter goes down to node v.
func (w *walk) enter(v int32) {
	n, depth := w.a.n, len(w.at)
	w.at = append(w.at, v)
	if len(w.live) == depth {
		w.alpha = append(w.alpha, make([]float64, n)...)
		w.beta = append(w.beta, make([]float64, n)...)
		w.grow = append(w.grow, 1)
		w.live = append(w.live, make([]int32, 0, n))
	}
	h := w.alpha[depth*n : (depth+1)*n]
	clear(w.beta[depth*n : (depth+1)*n])
	if depth == 0 {
		copy(h, w.a.start)
	} else {
		clear(h)
		A, up := w.a.step[w.t.symbol[v]], w.alpha[(depth-1)*n:depth*n]
		for _, i := range w.live[depth-1] {
			axpy(up[i], A[int(i)*n:int(i)*n+n], h)
		}
		z := sum(h)
		w.out.logLik += w.t.passes[v] * math.Log(z)
		w.grow[depth] = 1
		if z > 0 { // else the automaton excludes the words below, which then count for nothing
			w.grow[depth] = z
			scale(h, z)
		}
	}
	live := w.live[depth][:0]
	for i, x := range h {
		if x > w.beam {
			live = append(live, int32(i))
		} else {
			h[i] = 0
		}
	}
	w.live[depth] = live
}

// leave goes up from a node below which all is done.
func (w *walk) leave() {
	n, depth := w.a.n, len(w.at)-1
	v := w.at[depth]
	w.at = w.at[:depth]
	h, b := w.alpha[depth*n:(depth+1)*n], w.beta[depth*n:(depth+1)*n]
	if c := w.t.ends[v]; c > 0 {
		p := dot(h, w.a.stop)
		w.out.logLik += c * math.Log(p)
		for _, i := range w.live[depth] {
			if p == 0 { // an excluded word
				break
			}
			x := c * w.a.stop[i] / p
			b[i] += x
			w.out.stop[i] += h[i] * x
		}
	}
	if depth == 0 {
		for i, x := range h {
			w.out.start[i] = x * b[i]
		}
		return
	}
	s := w.t.symbol[v]
	A, X := w.a.step[s], w.out.step[s]
	r := 1 / w.grow[depth]
	up, ub := w.alpha[(depth-1)*n:depth*n], w.beta[(depth-1)*n:depth*n]
	for _, i := range w.live[depth-1] {
		row := int(i) * n
		ub[i] += r * dot(A[row:row+n], b)
		axpy(up[i]*r, b, X[row:row+n])
	}
	w.out.work += float64(3 * n * len(w.live[depth-1]))
}
