package baseline

import "math"

// rounds is a limit of the times that learnAgain is tried. Few are ever accepted.
const rounds = 5

// refine learns guards again, now with the rows of the whole record that reach a state
// rather than those of short windows, as long as that pays: folding cuts a state's guards
// when it finds it, and the rows that come later may well ask for others.
func refine(tg *targets, nodes []*node, o Automaton) []*node {
	if math.IsInf(o.Penalty, 1) {
		return nodes
	}
	least := score(tg, nodes, o)
	for range rounds {
		next := learnAgain(tg, nodes, o)
		s := score(tg, next, o)
		if !(s > least) {
			break
		}
		nodes, least = next, s
	}
	return nodes
}

// score returns what the states' lines gain on the record, less the penalty for each
// state and guard.
func score(tg *targets, nodes []*node, o Automaton) (total float64) {
	for i, n := range reached(tg, nodes) {
		total += n.rows.own(tg) - o.Penalty*float64(1+nodes[i].guards)
	}
	return total
}

// reached reads the record once from the start, and returns for each state one that is not
// expanded, with the rows that reached it.
func reached(tg *targets, nodes []*node) []*node {
	l := learner{tg: tg}
	fresh := make([]*node, len(nodes))
	for i := range fresh {
		fresh[i] = l.newNode()
	}
	at := 0
	for t, v := range tg.y {
		at = nodes[at].next[guard(nodes[at].cuts, v)]
		// Two rows on, so that a state found on the way has rows to be cut by.
		fresh[at].take(tg, visit{t + 1, min(2, len(tg.y)-t-1)})
	}
	return fresh
}

// learnAgain gives every state new guards, by the rows that reach it, to states as they
// stand by theirs, or to new ones. States that no row reaches stay as they are.
func learnAgain(tg *targets, nodes []*node, o Automaton) []*node {
	l := &learner{o: o, tg: tg, nodes: reached(tg, nodes), keep: true}
	for t := range tg.y {
		l.nodes[0].visits = append(l.nodes[0].visits, visit{t, min(2, len(tg.y)-t)})
	}
	for i := 0; i < len(l.nodes); i++ {
		if n := l.nodes[i]; i < len(nodes) && n.rows.n == 0 && i > 0 {
			n.cuts, n.next, n.guards = nodes[i].cuts, nodes[i].next, nodes[i].guards
		} else {
			l.expand(n)
		}
	}
	return reachable(l.nodes)
}
