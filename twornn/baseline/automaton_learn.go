package baseline

import (
	"cmp"
	"math"
	"slices"
)

// visit is a window of the training rows on its way through the automaton: the row that
// it reads next, and how many it still reads.
type visit struct{ row, left int }

// node is a state being learnt: a node of the prefix tree that stayed.
type node struct {
	visits []visit
	rows   *sums  // over the rows last read, each once however many windows read it
	seen   []bool // these rows
	// Once expanded: cuts[i] is the low end of the guard to next[i+1].
	cuts   []float64
	next   []int
	guards int // cuts by rows of its own
}

// learner folds the prefix tree of all windows into an automaton. The tree is never
// stored: its nodes are the windows that go through them.
type learner struct {
	o     Automaton
	tg    *targets
	nodes []*node
	keep  bool // the sums of a state as they are, whatever is folded into it
}

// learn returns the nodes, the start first.
func learn(tg *targets, o Automaton) []*node {
	l := &learner{o: o, tg: tg}
	start := l.newNode()
	for w := range len(tg.y) - o.Window + 1 {
		start.visits = append(start.visits, visit{w, o.Window})
	}
	l.nodes = []*node{start}
	for i := 0; i < len(l.nodes); i++ { // in the order of their discovery
		l.expand(l.nodes[i])
	}
	return reachable(l.nodes)
}

func (l *learner) newNode() *node {
	return &node{rows: newSums(len(l.tg.z)), seen: make([]bool, l.tg.rows)}
}

// take adds a visit that has just read a row, if not the first time then to no sum.
func (n *node) take(tg *targets, v visit) {
	n.visits = append(n.visits, v)
	if t := v.row - 1; t < tg.rows && !n.seen[t] {
		n.seen[t] = true
		n.rows.add(tg, t, 1)
	}
}

// expand gives a node its guards and, for each, the state that its windows go on to: a
// state that expects the same after it, or a new one. Where the node has seen too few
// values to tell, a value leads where it would lead from the start.
func (l *learner) expand(n *node) {
	rows := l.distinct(n.visits)
	low, high := l.known(n, rows)
	cuts := l.guards(rows)
	children := make([]*node, len(cuts)+1)
	for i := range children {
		children[i] = l.newNode()
	}
	var others []visit
	for _, v := range n.visits {
		switch y := l.tg.y[min(v.row, len(l.tg.y)-1)]; {
		case v.left == 0:
		case y < low || y >= high:
			others = append(others, v)
		default:
			children[guard(cuts, y)].take(l.tg, visit{v.row + 1, v.left - 1})
		}
	}
	next := make([]int, len(children))
	var folded []int
	for i, child := range children {
		to, same := l.nearest(child)
		if to == 0 || !same && l.growable(child) {
			to = len(l.nodes)
			l.nodes = append(l.nodes, child)
		} else {
			folded = append(folded, i)
		}
		next[i] = to
	}
	n.guards = len(cuts)
	n.cuts, n.next = l.nodes[0].around(low, high, cuts, next)
	if l.keep {
		return
	}
	for _, i := range folded {
		for _, v := range children[i].visits {
			l.flow(next[i], v)
		}
	}
	for _, v := range others {
		l.flow(n.next[guard(n.cuts, l.tg.y[v.row])], visit{v.row + 1, v.left - 1})
	}
}

// known returns the interval of values, low ≤ y < high, in which the rows that a node
// reads next tell how it goes on: all but half of LeastRows at either end. From the start
// it is the whole line.
func (l *learner) known(n *node, rows []int) (low, high float64) {
	if n == l.nodes[0] {
		return math.Inf(-1), math.Inf(1)
	}
	i := l.o.LeastRows / 2
	if 2*i >= len(rows) {
		return math.Inf(1), math.Inf(1)
	}
	return l.tg.y[rows[i]], math.Nextafter(l.tg.y[rows[len(rows)-1-i]], math.Inf(1))
}

// around returns the guards given in [low, high) and those of n around them.
func (n *node) around(low, high float64, cuts []float64, next []int) (allCuts []float64, allNext []int) {
	inside := func(y float64) bool { return low <= y && y < high }
	to := func(y float64) int {
		if inside(y) {
			return next[guard(cuts, y)]
		}
		return n.next[guard(n.cuts, y)]
	}
	for _, c := range []float64{low, high} {
		if !math.IsInf(c, 0) {
			allCuts = append(allCuts, c)
		}
	}
	for _, c := range cuts {
		if inside(c) {
			allCuts = append(allCuts, c)
		}
	}
	for _, c := range n.cuts {
		if !inside(c) {
			allCuts = append(allCuts, c)
		}
	}
	slices.Sort(allCuts)
	allCuts = slices.Compact(allCuts)
	allNext = append(allNext, to(math.Inf(-1)))
	for _, c := range allCuts {
		allNext = append(allNext, to(c))
	}
	return allCuts, allNext
}

// guard returns the place of y among the guards between cuts.
func guard(cuts []float64, y float64) int {
	i, found := slices.BinarySearch(cuts, y)
	if found {
		i++
	}
	return i
}

// flow leads a visit into state i and on as far as the states are expanded.
func (l *learner) flow(i int, v visit) {
	for {
		n := l.nodes[i]
		n.take(l.tg, v)
		if v.left == 0 || n.next == nil { // what is not expanded yet leads it on when it is
			return
		}
		i, v = n.next[guard(n.cuts, l.tg.y[v.row])], visit{v.row + 1, v.left - 1}
	}
}

// distinct returns the rows that visits read next, each once, by their values; only such
// as have all horizons ahead.
func (l *learner) distinct(visits []visit) []int {
	seen := make([]bool, l.tg.rows)
	var rows []int
	for _, v := range visits {
		if v.left > 0 && v.row < l.tg.rows && !seen[v.row] {
			seen[v.row] = true
			rows = append(rows, v.row)
		}
	}
	slices.SortFunc(rows, func(i, j int) int {
		return cmp.Or(cmp.Compare(l.tg.y[i], l.tg.y[j]), cmp.Compare(i, j))
	})
	return rows
}

// guards cuts the line of values where what follows the rows differs, in halves again and
// again, as a regression tree does (Breiman et al. 1984): by the largest gain of lines on
// both sides over one, as long as that exceeds the penalty.
func (l *learner) guards(rows []int) []float64 {
	left, right := newSums(len(l.tg.z)), newSums(len(l.tg.z))
	for _, t := range rows {
		right.add(l.tg, t, 1)
	}
	whole := right.own(l.tg)
	best, at := l.o.Penalty, 0
	for i := 1; i < len(rows); i++ {
		left.add(l.tg, rows[i-1], 1)
		right.add(l.tg, rows[i-1], -1)
		if i < l.o.LeastRows || len(rows)-i < l.o.LeastRows || l.tg.y[rows[i]] == l.tg.y[rows[i-1]] {
			continue
		}
		if gain := left.own(l.tg) + right.own(l.tg) - whole; gain > best {
			best, at = gain, i
		}
	}
	if at == 0 {
		return nil
	}
	low, high := l.tg.y[rows[at-1]], l.tg.y[rows[at]]
	cut := low + (high-low)/2
	if cut <= low { // neighbours among the floating point numbers
		cut = high
	}
	return slices.Concat(l.guards(rows[:at]), []float64{cut}, l.guards(rows[at:]))
}

// nearest returns the state whose lines suit the child's rows best, and whether the child's
// own are not better by more than the penalty. 0, the start, which has no lines, stands
// for none.
func (l *learner) nearest(child *node) (to int, same bool) {
	own, least := child.rows.own(l.tg), math.Inf(1)
	for i, n := range l.nodes[1:] {
		// Both lines are estimates: with as many rows each, half the difference is noise.
		weight := n.rows.n / max(1, n.rows.n+child.rows.n)
		if loss := weight * (own - child.rows.under(l.tg, n.rows)); loss < least {
			to, least = i+1, loss
		}
	}
	return to, least <= l.o.Penalty
}

// growable reports whether a child has the rows to be a state, before and after it.
func (l *learner) growable(child *node) bool {
	if len(l.nodes) > l.o.MostStates || child.rows.n < float64(l.o.LeastRows) {
		return false
	}
	return len(l.distinct(child.visits)) >= l.o.LeastRows
}

// reachable returns the nodes that some word leads to, in the order of their discovery.
func reachable(nodes []*node) []*node {
	place := make([]int, len(nodes))
	order := []int{0}
	for i := 0; i < len(order); i++ {
		for _, to := range nodes[order[i]].next {
			if to != 0 && place[to] == 0 {
				place[to] = len(order)
				order = append(order, to)
			}
		}
	}
	kept := make([]*node, len(order))
	for i, old := range order {
		n := *nodes[old]
		n.next = make([]int, len(nodes[old].next))
		for k, to := range nodes[old].next {
			n.next[k] = place[to]
		}
		kept[i] = &n
	}
	return kept
}
