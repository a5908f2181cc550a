package moments

import (
	"sync"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// Pipeline folds blocks of rows beside the reader, one worker a part at the most. Those
// of one part keep their order and go one after the other; so what comes out does not
// depend on the number of processors. At most pipelineBlocks are under way: a source that
// is faster has to wait, and memory stays bounded.
type Pipeline struct {
	under chan struct{} // a place for each block under way
	wg    sync.WaitGroup
	mu    sync.Mutex // for what follows, and queue and busy of all parts
	free  []block    // to be used again
}

const pipelineBlocks = 12

// NewPipeline returns a pipeline with nothing under way.
func NewPipeline() *Pipeline { return &Pipeline{under: make(chan struct{}, pipelineBlocks)} }

// submit takes the rows that wait in the part.
func (p *Pipeline) submit(m *Length, q *part) {
	b := block{x: q.x, y: q.y}
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
func (p *Pipeline) work(m *Length, q *part) {
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
		p.free = append(p.free, block{x: b.x, y: b.y})
		p.mu.Unlock()
		<-p.under
	}
}

// wait returns when all blocks are folded in.
func (p *Pipeline) wait() { p.wg.Wait() }

// Add appends the measurement given by the first l rows of x. Where enough rows wait they
// go to the pipeline.
func (m *Length) Add(x *mat.Dense, y []float64, p *Pipeline) {
	q := &m.parts[m.partOf(int(m.Outputs.N))]
	for t := range m.L {
		row := x.RawRowView(t)
		q.x = append(q.x, row...)
		for i, v := range row {
			linalg.Axpy(v, row[:i+1], m.moment[i*m.D:i*m.D+i+1])
		}
	}
	q.y = append(q.y, y...)
	for _, v := range y {
		m.Energy += v * v
	}
	m.Outputs.Add(y)
	q.n++
	if !m.HasRows() && len(q.y) >= m.P*m.blockRows() {
		p.submit(m, q)
	}
}
