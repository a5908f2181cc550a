package words

import (
	"context"
	"math"
	"slices"
)

// merger learns a deterministic automaton by merging states of the prefix tree, in the
// red and blue order of Lang, Pearlmutter and Price (1998): states known to differ are
// red, their successors blue; the blue state that is used most joins the red one it
// resembles most, or becomes red if it differs from all.
type merger struct {
	d    int
	next []int32   // node·d+σ: the child, −1 if there is none
	uses []float64 // node·(d+1)+σ: how often σ is read there, σ = d being the end
	size []float64 // node: how often it is met
	log  []change  // to undo a trial
	// A node's uses have a Dirichlet prior of this much a symbol.
	prior float64
	// reject ends a trial when one pair of nodes differs by so many nats.
	reject float64
}

// change is an entry of next that a fold wrote, or, with symbol −1, a pair it joined.
type change struct{ node, other, symbol int32 }

func newMerger(words [][]int, counts []float64, d int, prior, reject float64) *merger {
	t := newTrie(words, counts)
	n := len(t.symbol)
	m := &merger{d: d, next: make([]int32, n*d), uses: make([]float64, n*(d+1)), size: t.passes, prior: prior, reject: reject}
	for i := range m.next {
		m.next[i] = -1
	}
	for v := range n {
		m.uses[v*(d+1)+d] = t.ends[v]
		if v > 0 {
			m.next[int(t.parent[v])*d+int(t.symbol[v])] = int32(v)
			m.uses[int(t.parent[v])*(d+1)+int(t.symbol[v])] += t.passes[v]
		}
	}
	return m
}

// evidence is the log of how much more probable the uses of a and b are if they are of one
// distribution than of two, with their Dirichlet priors.
func (m *merger) evidence(a, b int32) float64 {
	k := m.d + 1
	u, v := m.uses[int(a)*k:int(a+1)*k], m.uses[int(b)*k:int(b+1)*k]
	p := m.prior
	total := p * float64(k)
	e := lgamma(total) - lgamma(total+m.size[a]+m.size[b]) + lgamma(total+m.size[a]) - lgamma(total) + lgamma(total+m.size[b])
	g := lgamma(p)
	for i, x := range u {
		y := v[i]
		if x != 0 && y != 0 {
			e += lgamma(p+x+y) - lgamma(p+x) - lgamma(p+y) + g
		}
	}
	return e
}

// fold joins b, the root of a tree, and all below it to a. It returns the evidence for
// it and false if a pair differs too much, with the fold left half done.
func (m *merger) fold(a, b int32) (float64, bool) {
	e := m.evidence(a, b)
	if e < -m.reject {
		return e, false
	}
	m.log = append(m.log, change{a, b, -1})
	m.size[a] += m.size[b]
	k := m.d + 1
	for i := range k {
		m.uses[int(a)*k+i] += m.uses[int(b)*k+i]
	}
	for s := range m.d {
		y := m.next[int(b)*m.d+s]
		if y < 0 {
			continue
		}
		x := m.next[int(a)*m.d+s]
		if x < 0 {
			m.log = append(m.log, change{a, y, int32(s)})
			m.next[int(a)*m.d+s] = y
			continue
		}
		f, ok := m.fold(x, y)
		e += f
		if !ok {
			return e, false
		}
	}
	return e, true
}

// undo takes back all folds since the log was cleared.
func (m *merger) undo() {
	k := m.d + 1
	for i := len(m.log) - 1; i >= 0; i-- {
		c := m.log[i]
		if c.symbol >= 0 {
			m.next[int(c.node)*m.d+int(c.symbol)] = -1
			continue
		}
		m.size[c.node] -= m.size[c.other]
		for j := range k {
			m.uses[int(c.node)*k+j] -= m.uses[int(c.other)*k+j]
		}
	}
	m.log = m.log[:0]
}

// run merges until all states are red or too rare to tell, at most limit of them, or ctx is
// done, and returns the red states.
func (m *merger) run(ctx context.Context, limit int, least float64) []int32 {
	red := []int32{0}
	isRed := map[int32]bool{0: true}
	for {
		// The blue state that is met most.
		var blue, from int32 = -1, -1
		var by int
		for _, r := range red {
			for s := range m.d {
				b := m.next[int(r)*m.d+s]
				if b >= 0 && !isRed[b] && (blue < 0 || m.size[b] > m.size[blue]) {
					blue, from, by = b, r, s
				}
			}
		}
		if blue < 0 || m.size[blue] < least || ctx.Err() != nil {
			return red
		}
		join, most := int32(-1), math.Inf(-1)
		m.next[int(from)*m.d+by] = -1
		for _, r := range red {
			e, ok := m.fold(r, blue)
			m.undo()
			if ok && e > most {
				join, most = r, e
			}
		}
		if join >= 0 && (most > 0 || len(red) >= limit) {
			m.next[int(from)*m.d+by] = join
			m.fold(join, blue)
			m.log = m.log[:0]
			continue
		}
		m.next[int(from)*m.d+by] = blue
		if len(red) >= limit {
			return red
		}
		red = append(red, blue)
		isRed[blue] = true
	}
}

// pfa returns the automaton of the red states; what leads elsewhere leads to all alike.
func (m *merger) pfa(red []int32) *pfa {
	n := len(red)
	a := newPFA(n, m.d)
	a.start[0] = 1
	for i, r := range red {
		a.stop[i] = m.uses[int(r)*(m.d+1)+m.d] + m.prior
		for s := range m.d {
			u := m.uses[int(r)*(m.d+1)+s]
			to := slices.Index(red, m.next[int(r)*m.d+s])
			if to >= 0 && m.next[int(r)*m.d+s] >= 0 {
				a.step[s][i*n+to] += u
				u = 0
			}
			for j := range n {
				a.step[s][i*n+j] += (u + m.prior) / float64(n)
			}
		}
	}
	a.normalise()
	return a
}
