package lsq

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/moments"
)

// Equations are what the data say of the parameters θ of a 2-RNN: residuals y − ŷ, whose
// sum of squares is, for Gaussian noise, the log-likelihood up to a constant. They are
// held in blocks of two kinds. Where a length has more rows than unknowns, its factor
//
//	Qᵀ[X Y] = [R B]:  ‖Y − X H⁽ˡ⁾(θ)‖² = ‖B − R H⁽ˡ⁾(θ)‖²
//
// stands for any number of rows, exactly, and an iteration costs nothing in N. Where it
// has fewer, or d^l is too large, the rows themselves are run through the network.
type Equations struct {
	Shape
	blocks []rowsOf
	M      float64 // outputs they stand for
	Energy float64 // Σ y²
	Spread float64 // Σ (y − ȳ)², ȳ the mean at each length

	// What least squares without a model leaves of the compressed lengths, the error that no
	// model need explain, and its degrees of freedom.
	Pure, PureDof float64

	// Stop, if not nil, is asked now and then whether to give up: sums are then of no use.
	Stop func() bool

	room *room // to work in, so that an iteration need not allocate; may be nil
}

// room is what evaluations work in, one after the other.
type room struct {
	work  work
	lanes [lanes]laneRoom
	out   [lanes]sums
}

// NewEquations returns the equations of all measurements of c, which must be in
// coordinates without a frame.
func NewEquations(c moments.Set, n int) (*Equations, error) {
	d, p := c.Dims()
	q := &Equations{Shape: Shape{n, d, p}}
	for _, l := range c.Lengths() {
		m := c[l]
		if m.N() == 0 {
			continue
		}
		q.M += float64(m.N() * p)
		q.Energy += m.Outputs.Energy()
		q.Spread += floats.Sum(m.Outputs.M2)
		if m.HasRows() || m.Unfolded() && m.N() <= m.Columns() {
			q.blocks = append(q.blocks, newRowBlock(m))
			continue
		}
		R, B, err := m.System()
		if err != nil {
			return nil, err
		}
		q.blocks = append(q.blocks, newFactorBlock(m, R, B))
	}
	q.addLong(c)
	for _, b := range q.blocks {
		if f, ok := b.(*factorBlock); ok && f.dof > 0 {
			q.Pure += f.pure
			q.PureDof += f.dof
		}
	}
	return q, nil
}

// lanes is into how many parts sums over rows are split, whatever the number of
// processors, so that the same sums are formed on every machine.
const lanes = 4

// longest returns the length of the longest words of a factor, −1 if there are none.
func (q *Equations) longest() int {
	longest := -1
	for _, b := range q.blocks {
		if f, ok := b.(*factorBlock); ok {
			longest = max(longest, f.l)
		}
	}
	return longest
}

// SSE returns the sum of squared residuals at θ.
func (q *Equations) SSE(theta []float64) (sum float64) {
	for _, s := range q.each(theta, false) {
		sum += s.sse
	}
	return sum
}

// Normal sets N to JᵀJ, k×k, and g to Jᵀ(y − ŷ), and returns the sum of squares.
func (q *Equations) Normal(theta []float64, N *mat.SymDense, g []float64) (sum float64) {
	k := len(theta)
	raw := N.RawSymmetric()
	clear(raw.Data)
	clear(g)
	for _, s := range q.each(theta, true) {
		sum += s.sse
		for i, v := range s.g {
			g[i] += v
		}
		for i := range k {
			row := raw.Data[i*raw.Stride:]
			for j, v := range s.N[i*k+i : (i+1)*k] {
				row[i+j] += v
			}
		}
	}
	return sum
}

// Residuals returns y − ŷ for all equations, compressed lengths by the rows of their factor.
func (q *Equations) Residuals(theta []float64) (e []float64) {
	w := new(work)
	w.set(q.Shape, theta, q.longest())
	for _, b := range q.blocks {
		r := make([]float64, b.rows()*b.outputs()*q.P)
		b.residuals(w, new(laneRoom), 0, b.rows(), r, nil)
		e = append(e, r...)
	}
	return e
}

// sums are the sums over the rows of one lane.
type sums struct {
	sse  float64
	g, N []float64 // the upper triangle of N
}

// LackOfFit compares what a model leaves, beyond what least squares without a model leaves
// of the compressed lengths, with the latter. If the model is as good as the truth but for
// noise, both are, over their degrees of freedom, independent estimates of σ², and their
// ratio has an F distribution: lackOfFit returns by how many of its standard deviations it
// exceeds 1. It is +Inf where there is nothing to compare with.
func (q *Equations) LackOfFit(sse float64) float64 {
	free := q.M - q.PureDof - float64(q.Free())
	if q.PureDof < 10 || free < 10 || q.Pure == 0 {
		return math.Inf(1)
	}
	F := (sse - q.Pure) / free / (q.Pure / q.PureDof)
	return (F - 1) / math.Sqrt(2/free+2/q.PureDof)
}

// each returns the sums of every lane.
func (q *Equations) each(theta []float64, derivatives bool) []sums {
	m := q.room
	if m == nil {
		m = new(room)
	}
	m.work.set(q.Shape, theta, q.longest())
	var wg sync.WaitGroup
	for lane := range lanes {
		wg.Go(func() { m.out[lane] = q.lane(&m.work, &m.lanes[lane], lane, derivatives) })
	}
	wg.Wait()
	return m.out[:]
}

func (q *Equations) lane(w *work, m *laneRoom, lane int, derivatives bool) (s sums) {
	k := len(w.theta)
	if derivatives {
		s.g, s.N = linalg.Sized(&m.g, k), linalg.Sized(&m.N, k*k)
	}
	for _, b := range q.blocks {
		const chunk = 256 // equations
		per := b.outputs() * q.P
		size := max(1, chunk/per)
		rows := b.rows()
		end := rows * (lane + 1) / lanes
		for from := rows * lane / lanes; from < end && (q.Stop == nil || !q.Stop()); from += size {
			to := min(end, from+size)
			e := linalg.Sized(&m.e, (to-from)*per)
			if !derivatives {
				b.residuals(w, m, from, to, e, nil)
			} else {
				J := linalg.Sized(&m.J, len(e)*k)
				b.residuals(w, m, from, to, e, J)
				linalg.AddGram(s.N, J, k, &m.turned)
				for i, v := range e {
					linalg.Axpy(v, J[i*k:(i+1)*k], s.g)
				}
			}
			for _, v := range e {
				s.sse += v * v
			}
		}
	}
	return s
}

// maxLongOutputs bounds how many outputs of a sample of longer sequences are fitted: some
// thousand keep a model on the path, more would take most of the time.
const maxLongOutputs = 4096

// addLong adds the sequences that are longer than any length measured, those of one
// shape together, with their outputs beyond that length.
func (q *Equations) addLong(c moments.Set) {
	ls := c.Lengths()
	if len(ls) == 0 {
		return
	}
	longest := ls[len(ls)-1]
	blocks := map[string]*rowBlock{} // by steps and those with an output
	long := c[longest].Long
	stride := 1
	if !long.All {
		outputs := 0
		for _, s := range long.Kept {
			outputs += len(s.After())
		}
		stride = (outputs + maxLongOutputs - 1) / maxLongOutputs
	}
	for i, s := range long.Kept {
		if i%stride != 0 {
			continue
		}
		k, at := s.Steps(), s.After()
		first, _ := slices.BinarySearch(at, longest+1)
		if first == len(at) {
			continue // of a length between those measured, and not one of them
		}
		shape := fmt.Sprint(k, at[first:])
		b := blocks[shape]
		if b == nil {
			b = &rowBlock{l: k, d: q.D, p: q.P, at: at[first:]}
			blocks[shape] = b
			q.blocks = append(q.blocks, b)
		}
		for t := range k {
			b.x = append(b.x, s.X.RawRowView(t)...)
		}
		for t := first; t < len(at); t++ {
			b.y = append(b.y, s.Y.RawRowView(t)...)
			for o, v := range s.Y.RawRowView(t) {
				mean := c[longest].Outputs.Mean[o]
				q.Energy += v * v
				q.Spread += (v - mean) * (v - mean)
			}
		}
		b.n++
		q.M += float64((len(at) - first) * q.P)
	}
}

// Dim returns the number of parameters.
func (q *Equations) Dim() int { return q.Shape.Dim() }

// Rebase brings θ to the balanced basis, unless a state carries so little that the
// change would cost digits.
func (q *Equations) Rebase(theta []float64) {
	b, s := Balanced(q.Net(theta), q.N, BalanceSteps)
	if len(s) < q.N || !(s[q.N-1] >= 1e-7*s[0]) {
		return
	}
	copy(theta, Theta(b))
}

// BalanceSteps is the length of the words over which states are weighed: half of those
// that are usually measured.
const BalanceSteps = 2

// Damping sets D to the mean of the diagonal of N over the entries of h₀, A and Ω each.
func (q *Equations) Damping(D []float64, N *mat.SymDense) {
	a := q.N + q.D*q.N*q.N
	for _, r := range [][2]int{{0, q.N}, {q.N, a}, {a, len(D)}} {
		s := 0.0
		for i := r[0]; i < r[1]; i++ {
			s += N.At(i, i)
		}
		for i := r[0]; i < r[1]; i++ {
			D[i] = s / float64(r[1]-r[0])
		}
	}
}

// Open keeps memory to work in from here to Close.
func (q *Equations) Open() { q.room = new(room) }

// Close gives it back: results are kept, and may be used by many.
func (q *Equations) Close() { q.room = nil }

// Work estimates the operations of an iteration with n states: those of J and of JᵀJ.
func (q *Equations) Work(n int) (sum float64) {
	d, p := q.D, q.P
	k := float64(n*(d*n) + n + p*n)
	for _, b := range q.blocks {
		rows := float64(b.rows() * b.outputs() * p)
		per := k
		if f, ok := b.(*factorBlock); ok {
			_, c := f.R.Dims()
			per = 3 * float64(c*n)
		}
		sum += rows * (k*k + per)
	}
	return sum + k*k*k/3
}
