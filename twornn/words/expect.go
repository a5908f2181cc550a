package words

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/blas/gonum"
)

var blas gonum.Implementation

func axpy(s float64, x, y []float64) { blas.Daxpy(len(y), s, x, 1, y, 1) }
func dot(x, y []float64) float64     { return blas.Ddot(len(y), x, 1, y, 1) }

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
	var wg sync.WaitGroup
	next := make(chan int, len(c.tries))
	for k := range c.tries {
		next <- k
	}
	close(next)
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := range next {
				part[k] = c.tries[k].expect(a, beam)
			}
		}()
	}
	wg.Wait()
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

// expect is corpus.expect over one trie, steps not yet multiplied by their probability.
func (t *trie) expect(a *pfa, beam float64) *counts {
	n := a.n
	out := &counts{pfa: *newPFA(n, a.d)}
	var alpha, beta []float64 // by depth
	var scales []float64
	var live [][]int32
	depth := -1
	push := func() {
		depth++
		if len(live) == depth {
			alpha = append(alpha, make([]float64, n)...)
			beta = append(beta, make([]float64, n)...)
			scales = append(scales, 0)
			live = append(live, make([]int32, 0, n))
		}
		clear(beta[depth*n : (depth+1)*n])
	}
	at := make([]int32, 0, 64) // nodes by depth
	pop := func() {
		v := at[depth]
		h, b := alpha[depth*n:(depth+1)*n], beta[depth*n:(depth+1)*n]
		if c := t.ends[v]; c > 0 {
			p := dot(h, a.stop)
			out.logLik += c * math.Log(p)
			for _, i := range live[depth] {
				x := c * a.stop[i] / p
				b[i] += x
				out.stop[i] += h[i] * x
			}
		}
		if depth > 0 {
			s := t.symbol[v]
			A, X := a.step[s], out.step[s]
			r := 1 / scales[depth]
			out.work += float64(3 * n * len(live[depth-1]))
			up, ub := alpha[(depth-1)*n:depth*n], beta[(depth-1)*n:depth*n]
			for _, i := range live[depth-1] {
				row := int(i) * n
				ub[i] += r * dot(A[row:row+n], b)
				axpy(up[i]*r, b, X[row:row+n])
			}
		}
		depth--
		at = at[:len(at)-1]
	}
	for v := range t.symbol {
		if v == 0 {
			push()
			copy(alpha, a.start)
		} else {
			for at[depth] != t.parent[v] {
				pop()
			}
			push()
			h := alpha[depth*n : (depth+1)*n]
			up := alpha[(depth-1)*n : depth*n]
			clear(h)
			A := a.step[t.symbol[v]]
			for _, i := range live[depth-1] {
				axpy(up[i], A[int(i)*n:int(i)*n+n], h)
			}
			z := sum(h)
			scales[depth] = z
			out.logLik += t.passes[v] * math.Log(z)
			for i := range h {
				h[i] /= z
			}
		}
		l := live[depth][:0]
		for i, x := range alpha[depth*n : (depth+1)*n] {
			if x > beam {
				l = append(l, int32(i))
			} else {
				alpha[depth*n+i] = 0
			}
		}
		live[depth] = l
		at = append(at, int32(v))
	}
	for depth > 0 {
		pop()
	}
	for i := range n {
		out.start[i] = a.start[i] * beta[i]
	}
	if c := t.ends[0]; c > 0 {
		p := dot(alpha[:n], a.stop)
		out.logLik += c * math.Log(p)
		for i := range n {
			x := c * a.stop[i] / p
			out.stop[i] += alpha[i] * x
			out.start[i] += a.start[i] * x
		}
	}
	return out
}
