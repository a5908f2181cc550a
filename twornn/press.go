package twornn

import "sync"

// press folds blocks of rows beside the reader, one worker a part at the most. Those
// of one part keep their order and go one after the other; so what comes out does not
// depend on the number of processors. At most pressBlocks are under way: a source that
// is faster has to wait, and memory stays bounded.
type press struct {
	under chan struct{} // a place for each block under way
	wg    sync.WaitGroup
	mu    sync.Mutex // for what follows, and queue and busy of all parts
	free  []rows     // to be used again
}

const pressBlocks = 12

func newPress() *press { return &press{under: make(chan struct{}, pressBlocks)} }

// submit takes the rows that wait in the part.
func (p *press) submit(m *Measurements, q *part) {
	b := rows{x: q.x, y: q.y}
	m.judge(&b)
	p.under <- struct{}{}
	p.mu.Lock()
	defer p.mu.Unlock()
	q.queue = append(q.queue, b)
	q.x, q.y = nil, nil
	if n := len(p.free); n > 0 {
		q.x, q.y = p.free[n-1].x[:0], p.free[n-1].y[:0]
		p.free = p.free[:n-1]
	}
	if !q.busy {
		q.busy = true
		p.wg.Add(1)
		go p.work(m, q)
	}
}

// work folds what is in the queue of the part until it is empty.
func (p *press) work(m *Measurements, q *part) {
	defer p.wg.Done()
	for {
		p.mu.Lock()
		if len(q.queue) == 0 {
			q.busy, q.queue = false, nil
			p.mu.Unlock()
			return
		}
		b := q.queue[0]
		q.queue = q.queue[1:]
		p.mu.Unlock()
		m.fold(q, b)
		p.mu.Lock()
		p.free = append(p.free, rows{x: b.x, y: b.y})
		p.mu.Unlock()
		<-p.under
	}
}

// wait returns when all blocks are folded in.
func (p *press) wait() { p.wg.Wait() }
