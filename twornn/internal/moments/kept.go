package moments

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// Kept are the examples as they came, for fits that run along them. There is room for so
// many numbers; beyond, blocks of neighbours are left out, evenly over the data.
type Kept struct {
	N       int // examples met
	Runs    []Run
	Placed  bool // places are those among all data, not among those of a shard
	next    int  // place after the last
	numbers int
	stride  int     // every stride-th block is kept
	unsure  bool    // runs may be out of order, and Fresh not set
	repeats float64 // what Repeats returns; 0 before settle
}

// Run is an example as it came.
type Run struct {
	X     []float64 // k×d
	Word  []int     // the symbols, in place of X, where those are many; else nil
	Y     []float64 // p numbers for each of At
	At    []int     // the steps, from 1, after which the outputs stand; 0 before the first
	Steps int       // k
	Fresh int       // the outputs from here on are targets of their own: those before belong to the window before, too
	index int       // its place among all examples
}

const (
	// keptRoom is how many numbers are kept: 32 MB.
	keptRoom = 1 << 22
	// keptBlock is how many neighbours stay together.
	keptBlock = 64
)

// begin sets the stride at which n examples of so many numbers each just have no room, if
// they have none. It is half of the one they will need, in case some are smaller.
func (k *Kept) begin(n, size int) {
	k.stride = max(1, 1<<bits.Len(uint((float64(n)*float64(size)-1)/keptRoom))/2)
}

// add takes the example of a place.
func (k *Kept) add(e Example, place int) {
	r, ok := k.count(place)
	if !ok {
		return
	}
	for t := range e.Steps() {
		r.X = append(r.X, e.X.RawRowView(t)...)
	}
	k.keep(r, e)
}

// count counts an example and returns its run, as yet empty, and whether it is to be kept.
func (k *Kept) count(place int) (Run, bool) {
	r := Run{index: place}
	k.N++
	k.next = max(k.next, place+1)
	k.stride = max(k.stride, 1)
	return r, r.block()%k.stride == 0
}

// keep keeps the example of a run, which has its inputs.
func (k *Kept) keep(r Run, e Example) {
	r.Steps, r.At = e.Steps(), e.After()
	if e.At != nil {
		r.At = slices.Clone(e.At)
	}
	for t := range r.At {
		r.Y = append(r.Y, e.Y.RawRowView(t)...)
	}
	k.Runs = append(k.Runs, r)
	k.numbers += r.size()
	k.unsure = true
	k.thin()
}

// settle puts the runs in the order of their places and finds the outputs that are their
// own. It errs if two stand at one place.
func (k *Kept) settle() error {
	if !k.unsure {
		return nil
	}
	k.unsure = false
	slices.SortStableFunc(k.Runs, func(a, b Run) int { return cmp.Compare(a.index, b.index) })
	for i := range k.Runs {
		r := &k.Runs[i]
		r.Fresh = 0
		if i == 0 {
			continue
		}
		before := k.Runs[i-1]
		switch {
		case before.index == r.index:
			return fmt.Errorf("twornn: two sequences stand at place %d: a shard was counted twice, or two were given the same places", r.index)
		case before.index == r.index-1 && r.Word == nil:
			r.Fresh = r.overlap(before)
		}
	}
	k.repeats = k.repeated()
	return nil
}

// size returns how many numbers the run takes.
func (r Run) size() int { return len(r.X) + len(r.Word) + len(r.Y) }

// thin leaves every other block out when there are too many numbers. A single run stays
// whole.
func (k *Kept) thin() {
	other := func(r Run) bool { return r.block() != k.Runs[0].block() }
	for k.numbers > keptRoom && slices.ContainsFunc(k.Runs, other) {
		k.stride *= 2
		k.leaveOut()
	}
}

// leaveOut leaves out the blocks that are not of the stride.
func (k *Kept) leaveOut() {
	k.Runs = slices.DeleteFunc(k.Runs, func(r Run) bool { return r.block()%k.stride != 0 })
	k.numbers = 0
	for _, r := range k.Runs {
		k.numbers += r.size()
	}
}

func (r Run) block() int { return r.index / keptBlock }

// overlap returns how many of the outputs of r are also those of the window before: all but
// the last, if both are windows of one series, a step apart, and none else.
func (r Run) overlap(before Run) int {
	n := len(r.At)
	if n < 2 || !r.everyStep() || !before.everyStep() || len(before.At) != n || len(before.X) != len(r.X) {
		return 0
	}
	d, p := len(r.X)/n, len(r.Y)/n
	if !slices.Equal(before.X[d:], r.X[:len(r.X)-d]) || !slices.Equal(before.Y[p:], r.Y[:len(r.Y)-p]) {
		return 0
	}
	return n - 1
}

// everyStep reports whether outputs stand after every step, and none before the first.
func (r Run) everyStep() bool {
	return len(r.At) == r.Steps && (r.Steps == 0 || r.At[0] == 1)
}

// merge adds those of o. If both know the places of theirs among all data, what is kept is
// what one pass would keep; settle is to follow.
func (k *Kept) merge(o *Kept) {
	if o == nil || o.N == 0 {
		return
	}
	k.Placed = o.Placed && (k.Placed || k.N == 0)
	k.stride = max(k.stride, o.stride, 1)
	first := 0
	if !k.Placed {
		// In blocks of their own, as the last one here may not be full, and where the stride
		// finds them.
		unit := keptBlock * k.stride
		first = (k.next + unit - 1) / unit * unit
	}
	for _, r := range o.Runs {
		r.index += first
		k.Runs = append(k.Runs, r)
	}
	k.N, k.next = k.N+o.N, max(k.next, first+o.next)
	k.numbers += o.numbers
	k.unsure = true
	if k.stride > 1 {
		k.leaveOut()
	}
	k.thin()
}

// Repeats returns how many times a target counts: the outputs over those that are fresh.
func (k *Kept) Repeats() float64 {
	if k.repeats > 0 {
		return k.repeats
	}
	return k.repeated()
}

func (k *Kept) repeated() float64 {
	all, fresh := 0, 0
	for _, r := range k.Runs {
		all += len(r.At)
		fresh += len(r.At) - r.Fresh
	}
	if fresh == 0 {
		return 1
	}
	return float64(all) / float64(fresh)
}

// overlapping is how many times a target has to count, in the mean, for windows to overlap.
const overlapping = 1.2

// Overlaps reports whether targets stand in several examples, as windows of a series do.
func (k *Kept) Overlaps() bool { return k.Repeats() > overlapping }

// Words reports whether every input is a unit vector, of d numbers: the sequences are words. A switch beside a
// constant, (1, 0) and (1, 1), is none.
func (k *Kept) Words(d int) bool {
	for x := range k.inputs(d, math.MaxInt) {
		ones := 0
		for _, v := range x {
			if v != 0 && v != 1 {
				return false
			}
			ones += int(v)
		}
		if ones != 1 {
			return false
		}
	}
	return true
}

// Constant returns c with cᵀx = 1 at every step kept, and whether there is one: the inputs
// then hold a constant, in a column or hidden in several. That the letters of words add up to
// one is not meant.
func (k *Kept) Constant(d int) (c []float64, ok bool) {
	if d == 0 || d > 1 && k.Words(d) {
		return nil, false
	}
	// One column alone is the constant to the last digit, whatever stands beside it.
	for j := range d {
		if c, ok := k.alone(d, j); ok {
			return c, true
		}
	}
	// Most data without a constant show so by their first steps.
	if _, ok := k.constant(d, 4*d+keptBlock); !ok {
		return nil, false
	}
	return k.constant(d, math.MaxInt)
}

// alone returns c with cᵀx = 1 if column j, and no other, makes it so.
func (k *Kept) alone(d, j int) (c []float64, ok bool) {
	value := 0.0
	for x := range k.inputs(d, math.MaxInt) {
		if value == 0 {
			value = x[j] // of the first step
		}
		if x[j] == 0 || x[j] != value {
			return nil, false
		}
	}
	if value == 0 {
		return nil, false // there is no step
	}
	c = make([]float64, d)
	c[j] = 1 / value
	return c, true
}

// inputs yields the first inputs, up to so many.
func (k *Kept) inputs(d, most int) iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		for _, r := range k.Runs {
			for x := r.X; len(x) > 0; x = x[d:] {
				if most--; most < 0 || !yield(x[:d]) {
					return
				}
			}
		}
	}
}

// constant is Constant of the first steps, which may be words.
func (k *Kept) constant(d, most int) (c []float64, ok bool) {
	M, sum, steps := mat.NewSymDense(d, nil), make([]float64, d), 0
	for x := range k.inputs(d, most) {
		M.SymRankOne(M, 1, mat.NewVecDense(d, x))
		for i, v := range x {
			sum[i] += v
		}
		steps++
	}
	if steps <= d {
		return nil, false // some combination of so many columns is 1 at any few steps
	}
	// Each column in its own unit: c = M⁺ Σx, the regression of 1 on x.
	unit := make([]float64, d)
	for i := range unit {
		if unit[i] = math.Sqrt(M.At(i, i) / float64(steps)); unit[i] == 0 {
			unit[i] = 1
		}
	}
	A, b := mat.NewDense(d, d, nil), mat.NewDense(d, 1, nil)
	for i := range d {
		b.Set(i, 0, sum[i]/unit[i])
		for j := range d {
			A.Set(i, j, M.At(i, j)/(unit[i]*unit[j]))
		}
	}
	if d > manyColumns && !mayBeConstant(A, b, float64(steps)) {
		return nil, false
	}
	sol, _, _, err := linalg.LeastSquares(A, b, 1e-13)
	if err != nil {
		return nil, false
	}
	c = make([]float64, d)
	for i := range c {
		c[i] = sol.At(i, 0) / unit[i]
	}
	for x := range k.inputs(d, most) {
		if !(math.Abs(linalg.Dot(c, x)-1) < 1e-7) {
			return nil, false
		}
	}
	return c, true
}

// manyColumns is from how many on a look at what a regression of 1 on them leaves saves the time for its solution.
const manyColumns = 100

// mayBeConstant reports whether a regression of 1 on the columns, with a little of a ridge, leaves next to nothing:
// A = XᵀX, b = Xᵀ1. It takes a tenth of the time of a singular value decomposition or less.
func mayBeConstant(A, b *mat.Dense, steps float64) bool {
	d, _ := A.Dims()
	S := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			S.SetSym(i, j, A.At(i, j))
		}
		S.SetSym(i, i, A.At(i, i)+1e-12*steps*float64(d))
	}
	var ch mat.Cholesky
	var c mat.VecDense
	if !ch.Factorize(S) {
		return true
	}
	if err := ch.SolveVecTo(&c, b.ColView(0)); err != nil && !linalg.FiniteVector(&c) {
		return true
	}
	return !(mat.Dot(&c, b.ColView(0)) < 0.999*steps)
}

// Lengths returns the numbers of steps after which there are outputs, ascending, and how many
// outputs there are.
func (k *Kept) Lengths() (lengths []int, n int) {
	for _, r := range k.Runs {
		n += len(r.At)
		for _, l := range r.At {
			if i, ok := slices.BinarySearch(lengths, l); !ok {
				lengths = slices.Insert(lengths, i, l)
			}
		}
	}
	return lengths, n
}
