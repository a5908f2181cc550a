package baseline

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/adam"
	"github.com/twornn/spectral/twornn/internal/phrase"
)

// trainer is one run of FitLSTM or FitRNN.
type trainer struct {
	o           LSTM
	set         *examples
	rnd         *rand.Rand
	nw, grad    *Network
	theta, dir  []float64 // their weights
	best        []float64 // the weights of least error on the examples held out
	pass        *pass
	adam        *adam.Adam
	train, held []int
}

// mostRoom is how many bytes training may take for its weights and one batch.
const mostRoom = 4e9

// bytes returns how many it takes with so many units.
func (o LSTM) bytes(units, cells int, set *examples) float64 {
	n, _ := set.batchRows(o.Batch)
	d, p, u, kind := float64(set.d), float64(set.p), float64(units), float64(cells)
	weights := (d+1+u)*kind*u + (1+u)*p
	batch := float64(n) * (d + 1 + p + (kind+4)*u)
	return 8 * (5*weights + batch) // the weights, the best, the gradient and Adam's two means
}

// checkRoom returns an error if training takes more than that.
func (o LSTM) checkRoom(cells int, set *examples) error {
	bytes := func(units int) float64 { return o.bytes(units, cells, set) }
	if bytes(o.Units) <= mostRoom {
		return nil
	}
	cure := "give a smaller Batch"
	if most := sort.Search(o.Units, func(u int) bool { return bytes(u+1) > mostRoom }); most > 0 {
		cure = fmt.Sprintf("give %d or fewer", most)
	}
	return fmt.Errorf("baseline: Units %d would take %s of memory with these data, and training may take %s; %s",
		o.Units, phrase.Bytes(bytes(o.Units)), phrase.Bytes(mostRoom), cure)
}

func newTrainer(set *examples, o LSTM, cells int) *trainer {
	tr := &trainer{o: o, set: set, rnd: rand.New(o.Src), train: slices.Clone(set.train), held: set.held}
	tr.nw, tr.theta = newNetwork(cells, o.Units, set.d, set.p)
	tr.grad, tr.dir = newNetwork(cells, o.Units, set.d, set.p)
	tr.nw.draw(tr.rnd)
	tr.best = slices.Clone(tr.theta)
	tr.pass = newPass(tr.nw, set, o.Batch)
	tr.adam = adam.New(o.LearningRate, len(tr.theta))
	return tr
}

// draw sets the weights of a network of zeros to where training starts.
func (nw *Network) draw(rnd *rand.Rand) {
	u, d, _ := nw.Dims()
	uniform := func(row []float64, variance float64) {
		for j := range row {
			row[j] = math.Sqrt(3*variance) * (2*rnd.Float64() - 1)
		}
	}
	for i := range d + 1 + u {
		if i != d {
			uniform(nw.W.RawRowView(i), 1/float64(d+1+u))
		}
	}
	if nw.width() == lstmCell*u {
		// Cells that remember at first: the error reaches the early steps.
		for j := range u {
			nw.W.Set(d, u+j, 1)
		}
	}
	for i := range u {
		uniform(nw.Out.RawRowView(1+i), 1/float64(1+u))
	}
}

// run trains until the patience or the epochs end, or rec or ctx stop it, and leaves
// the best weights in tr.best. energy is Σy² over the examples held out.
func (tr *trainer) run(ctx context.Context, rec twornn.Recorder, energy float64) (twornn.Stats, error) {
	st := twornn.Stats{Status: twornn.IterationLimit}
	least, n, ok := tr.score(ctx)
	if err := tr.diverged(0, least); err != nil {
		return st, err
	}
	if energy == 0 {
		energy = float64(n)
	}
	for epoch, bestEpoch := 1, 0; epoch <= tr.o.Epochs && ok; epoch++ {
		var loss, sse float64
		if loss, ok = tr.epoch(ctx); !ok {
			break
		}
		if sse, _, ok = tr.score(ctx); !ok {
			break
		}
		if err := tr.diverged(epoch, loss+sse); err != nil {
			return st, err
		}
		st.Iterations++
		st.Residuals = append(st.Residuals, math.Sqrt(sse/energy))
		if sse < least {
			least, bestEpoch = sse, epoch
			copy(tr.best, tr.theta)
		}
		if rec != nil {
			p := twornn.Progress{Stage: "train", Iteration: epoch, Residual: math.Sqrt(sse / energy)}
			if ok = rec.Record(p) == nil; !ok {
				break
			}
		}
		if epoch-bestEpoch >= tr.o.Patience {
			st.Status = twornn.Converged
			break
		}
	}
	if !ok {
		st.Status = twornn.Stopped
	}
	return st, nil
}

// diverged returns an error if the squared error sse is no finite number.
func (tr *trainer) diverged(epoch int, sse float64) error {
	if !math.IsNaN(sse) && !math.IsInf(sse, 0) {
		return nil
	}
	return fmt.Errorf("baseline: the training diverged: the squared error after epoch %d is %v; scale the data to about 1 or lower LearningRate (%g)",
		epoch, sse, tr.o.LearningRate)
}

// epoch takes one step of Adam for every mini-batch of the shuffled examples, and
// returns the sum of their squared errors. It is not ok if ctx was done before the end.
func (tr *trainer) epoch(ctx context.Context) (loss float64, ok bool) {
	tr.rnd.Shuffle(len(tr.train), func(i, j int) { tr.train[i], tr.train[j] = tr.train[j], tr.train[i] })
	for batch := range slices.Chunk(tr.train, tr.o.Batch) {
		if ctx.Err() != nil {
			return loss, false
		}
		sse, n := tr.pass.forward(batch)
		tr.pass.backward(tr.grad, 1/float64(n))
		tr.adam.Step(tr.theta, tr.dir)
		loss += sse
	}
	return loss, true
}

// score returns the squared error on the examples held out, and the number of outputs
// that it sums over. It is not ok if ctx was done before the end.
func (tr *trainer) score(ctx context.Context) (sse float64, n int, ok bool) {
	for batch := range slices.Chunk(tr.held, tr.o.Batch) {
		if ctx.Err() != nil {
			return sse, n, false
		}
		s, m := tr.pass.forward(batch)
		sse, n = sse+s, n+m
	}
	return sse, n, true
}
