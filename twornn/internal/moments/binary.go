package moments

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// The form of a set, for shards that travel: a name and a version, then counts as varints
// and numbers as eight bytes, and a checksum of all before it. Of triangular factors the
// triangle is there, of a window that goes on where the one before ended its last step.
const (
	binaryName    = "2rnn-set"
	binaryVersion = 2
	checksumBytes = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// AppendBinary appends the set, which must hold no mapped measurements.
func (c Set) AppendBinary(b []byte) []byte {
	w := &writer{append(append(b, binaryName...), binaryVersion)}
	from := len(b)
	_, p := c.Dims()
	d := c.inputs()
	w.count(d, p, len(c))
	w.frame(c.Frame())
	long, s, kept := Sample{}, stretch{}, (*Kept)(nil)
	for _, l := range c.Lengths() {
		m := c[l]
		w.length(m)
		if m.Kept != nil {
			kept = m.Kept
		}
		if m.Long.N > 0 || m.Long.All {
			long = m.Long
		}
		if own := (stretch{m.Stretch, m.stretchAt}); own.longer(s) {
			s = own
		}
	}
	w.count(s.at, len(s.x))
	w.floats(s.x...)
	w.sample(long)
	w.kept(kept, d)
	return binary.LittleEndian.AppendUint32(w.b, crc32.Checksum(w.b[from:], castagnoli))
}

// inputs returns the number of inputs, also where no length measured has any.
func (c Set) inputs() int {
	d, _ := c.Dims()
	if k := c.Kept(); d == 0 && k != nil {
		for _, r := range k.Runs {
			if steps := r.Steps; steps > 0 && r.Word == nil {
				return len(r.X) / steps
			}
		}
	}
	return d
}

type writer struct{ b []byte }

func (w *writer) count(n ...int) {
	for _, v := range n {
		w.b = binary.AppendUvarint(w.b, uint64(v))
	}
}

func (w *writer) flag(on bool) {
	if on {
		w.b = append(w.b, 1)
	} else {
		w.b = append(w.b, 0)
	}
}

func (w *writer) floats(v ...float64) {
	for _, x := range v {
		w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(x))
	}
}

func (w *writer) dense(m *mat.Dense) {
	r, c := m.Dims()
	for i := range r {
		w.floats(m.RawRowView(i)[:c]...)
	}
}

func (w *writer) frame(f *Frame) {
	if w.flag(f != nil); f != nil {
		w.dense(f.W)
		w.dense(f.T)
	}
}

func (w *writer) length(m *Length) {
	w.count(m.L, m.refused)
	w.flag(m.KeepRows)
	for i := range m.D {
		w.floats(m.moment[i*m.D : i*m.D+i+1]...)
	}
	w.floats(m.Energy, m.summedUpTo, m.Outputs.N, m.Outputs.Largest)
	w.floats(m.Outputs.Mean...)
	w.floats(m.Outputs.M2...)
	for k := range m.parts {
		w.part(&m.parts[k], m.P)
	}
}

func (w *writer) part(q *part, p int) {
	w.count(q.n, len(q.y)/p)
	w.floats(q.x...)
	w.floats(q.y...)
	rows := 0
	if q.factor != nil {
		rows, _ = q.factor.Dims()
	}
	w.count(rows)
	for i := range rows {
		// As many zeros as a triangle has at the left are left out, and counted.
		row, zeros := q.factor.RawRowView(i), 0
		for zeros < min(i, len(row)) && row[zeros] == 0 {
			zeros++
		}
		w.count(zeros)
		w.floats(row[zeros:]...)
	}
	if w.flag(q.sums != nil); q.sums != nil {
		w.dense(q.sums.s)
		w.dense(q.sums.xy)
		w.dense(q.sums.yy)
	}
}

func (w *writer) sample(s Sample) {
	w.flag(s.All)
	w.flag(s.Placed)
	w.count(s.N, s.next, s.level, len(s.Kept))
	for i, e := range s.Kept {
		w.count(s.places[i].at, s.places[i].level, e.Steps())
		w.steps(e.After())
		if e.Steps() > 0 {
			w.dense(e.X)
		}
		w.dense(e.Y)
	}
}

func (w *writer) kept(k *Kept, d int) {
	if w.flag(k != nil); k == nil {
		return
	}
	w.flag(k.Placed)
	w.count(k.N, k.next, k.stride, len(k.Runs))
	for i, r := range k.Runs {
		w.run(r, i > 0 && r.Fresh > 0 && r.Fresh == r.overlap(k.Runs[i-1]), d)
	}
}

// kinds of runs: how the steps of the outputs, and the inputs, are written.
const (
	everyStep = 1 << iota // outputs after every step, not only the last
	asWord                // symbols for inputs
	goesOn                // all but the last step is that of the run before
	atSteps               // outputs after steps that are listed
)

func (w *writer) run(r Run, on bool, d int) {
	kind := 0
	switch {
	case r.everyStep():
		kind |= everyStep
	case len(r.At) != 1 || r.At[0] != r.Steps:
		kind |= atSteps
	}
	if r.Word != nil {
		kind |= asWord
	}
	if on {
		kind |= goesOn
	}
	w.count(r.index, r.Steps, kind)
	if kind&atSteps != 0 {
		w.steps(r.At)
	}
	x, y := r.X, r.Y
	if on {
		x, y = x[len(x)-d:], y[len(y)-len(y)/len(r.At):]
	}
	w.count(r.Word...)
	w.floats(x...)
	w.floats(y...)
}

// steps writes after which steps outputs stand.
func (w *writer) steps(at []int) {
	w.count(len(at))
	w.count(at...)
}

// SetFromBinary returns the set that AppendBinary has written. It errs if b is no such
// text, of another version, damaged or cut short; it never takes more memory than a small multiple of b.
func SetFromBinary(b []byte) (Set, error) {
	if len(b) < len(binaryName)+1+checksumBytes || string(b[:len(binaryName)]) != binaryName {
		return nil, errors.New("twornn: these are no measurements that MarshalBinary wrote")
	}
	if v := b[len(binaryName)]; v != binaryVersion {
		return nil, fmt.Errorf("twornn: the measurements are of version %d, and this program reads version %d; use one version on all machines", v, binaryVersion)
	}
	end := len(b) - checksumBytes
	if crc32.Checksum(b[:end], castagnoli) != binary.LittleEndian.Uint32(b[end:]) {
		return nil, errors.New("twornn: the measurements were damaged or cut short on their way: their checksum is another; gather them again")
	}
	r := &reader{b: b[len(binaryName)+1 : end]}
	c := r.set()
	if r.bad || len(r.b) > 0 {
		return nil, errors.New("twornn: the measurements contradict themselves; gather them again")
	}
	return c, nil
}

// reader reads what a writer wrote. After the first thing that cannot be, all it returns is
// zero.
type reader struct {
	b    []byte
	d, p int
	bad  bool
}

func (r *reader) fail() { r.b, r.bad = nil, true }

// count returns a count of at most limit.
func (r *reader) count(limit int) int {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > uint64(limit) {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

func (r *reader) flag() bool { return r.count(1) == 1 }

// has reports whether a·b numbers are left, before anything is made to hold them.
func (r *reader) has(a, b int) bool {
	if float64(a)*float64(b)*8 > float64(len(r.b)) {
		r.fail()
	}
	return !r.bad
}

func (r *reader) floats(a, b int) []float64 {
	if !r.has(a, b) {
		return nil
	}
	v := make([]float64, a*b)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(r.b[8*i:]))
		if math.IsNaN(v[i]) || math.IsInf(v[i], 0) {
			r.fail()
			return nil
		}
	}
	r.b = r.b[8*len(v):]
	return v
}

func (r *reader) float() float64 {
	if v := r.floats(1, 1); v != nil {
		return v[0]
	}
	return 0
}

// dense returns a matrix of at least one entry, nil if it is not there.
func (r *reader) dense(rows, columns int) *mat.Dense {
	if rows < 1 || columns < 1 {
		r.fail()
	}
	if v := r.floats(rows, columns); v != nil {
		return mat.NewDense(rows, columns, v)
	}
	return nil
}

// limits of what is read: more inputs or steps were never written.
const (
	mostInputs = 1 << 24
	mostCount  = 1 << 52
)

func (r *reader) set() Set {
	c := Set{}
	r.d, r.p = r.count(mostInputs), r.count(mostInputs)
	lengths := r.count(mostInputs)
	if lengths > 0 && r.p == 0 {
		r.fail()
	}
	f := r.frame()
	last := -1
	for range lengths {
		m := r.length()
		if r.bad || m.L <= last {
			r.fail()
			return nil
		}
		last, m.Frame = m.L, f
		c[m.L] = m
	}
	at, n := r.count(mostCount), r.count(mostCount)
	s := stretch{r.floats(n, 1), at}
	if r.d == 0 && n > 0 || r.d > 0 && n%r.d != 0 {
		r.fail()
	}
	long, kept := r.sample(), r.kept()
	if r.bad || lengths == 0 && (kept != nil || n > 0 || long.N > 0) {
		r.fail()
		return nil
	}
	c.give(long, s, kept)
	return c
}

func (r *reader) frame() *Frame {
	if !r.flag() {
		return nil
	}
	return &Frame{r.dense(r.d, r.d), r.dense(r.d, r.d)}
}

func (r *reader) length() *Length {
	l, refused, keep := r.count(mostInputs), r.count(mostInputs), r.flag()
	d := r.d
	if l == 0 {
		d = 0
	}
	// Half of d² is there for the second moments.
	if !r.has(d, (d+1)/2) || l > 0 && d == 0 {
		r.fail()
		return nil
	}
	m := NewLength(l, d, r.p)
	m.refused, m.KeepRows = refused, keep
	for i := range d {
		copy(m.moment[i*d:], r.floats(i+1, 1))
	}
	m.Energy, m.summedUpTo = r.float(), r.float()
	m.Outputs = Outputs{N: r.float(), Largest: r.float(), Mean: r.floats(r.p, 1), M2: r.floats(r.p, 1)}
	for k := range m.parts {
		r.part(m, &m.parts[k])
	}
	return m
}

func (r *reader) part(m *Length, q *part) {
	q.n = r.count(mostCount)
	rows := r.count(mostCount)
	if !r.has(rows, m.L*m.D+m.P) {
		return
	}
	q.x, q.y = r.floats(rows, m.L*m.D), r.floats(rows, m.P)
	if rows = r.count(mostCount); rows > 0 {
		q.factor = r.factor(m, rows)
	}
	if !r.flag() {
		return
	}
	if m.HasRows() {
		r.fail()
		return
	}
	pairs := float64(m.D * (m.D + 1) / 2)
	if math.Pow(pairs, float64(m.L))*8 > float64(len(r.b)) {
		r.fail()
		return
	}
	n := int(pairs)
	s := r.dense(linalg.Pow(n, m.L/2), linalg.Pow(n, m.L-m.L/2))
	q.sums = &gramSums{d: m.D, l: m.L, p: m.P, s: s, xy: r.dense(m.P, m.Columns()), yy: r.dense(m.P, m.P)}
}

func (r *reader) factor(m *Length, rows int) *mat.Dense {
	if m.HasRows() || rows > m.Columns()+m.P {
		r.fail()
		return nil
	}
	// Of each row at most the triangle's zeros are missing.
	c := m.Columns() + m.P
	if !r.has(rows, c-(rows-1)/2-1) {
		return nil
	}
	f := mat.NewDense(rows, c, nil)
	for i := range rows {
		zeros := r.count(i)
		copy(f.RawRowView(i)[zeros:], r.floats(c-zeros, 1))
	}
	return f
}

func (r *reader) sample() Sample {
	s := Sample{All: r.flag(), Placed: r.flag(), N: r.count(mostCount), next: r.count(mostCount), level: r.count(64)}
	for range r.count(len(r.b)) {
		p := place{r.count(mostCount), r.count(64)}
		k := r.count(mostCount)
		e := Example{At: r.steps(k)}
		if k > 0 {
			e.X = r.dense(k, r.d)
		}
		if e.Y = r.dense(len(e.At), r.p); r.bad {
			return Sample{}
		}
		s.Kept, s.places = append(s.Kept, e), append(s.places, p)
	}
	return s
}

func (r *reader) kept() *Kept {
	if !r.flag() {
		return nil
	}
	k := &Kept{Placed: r.flag(), N: r.count(mostCount), next: r.count(mostCount), stride: r.count(mostCount), unsure: true}
	for range r.count(len(r.b)) {
		q := r.run(k.Runs)
		if r.bad {
			return nil
		}
		k.Runs = append(k.Runs, q)
		if k.numbers += q.size(); k.numbers > keptRoom && (q.block() != k.Runs[0].block() || len(k.Runs) > keptBlock) {
			r.fail() // it would have been left out
			return nil
		}
	}
	if k.settle() != nil {
		r.fail()
	}
	return k
}

func (r *reader) run(before []Run) Run {
	q := Run{index: r.count(mostCount)}
	steps, kind := r.count(mostCount), r.count(everyStep|asWord|goesOn|atSteps)
	outputs := 1
	switch {
	case kind&everyStep != 0:
		outputs = steps
	case kind&atSteps != 0:
		q.At = r.steps(steps)
		outputs = len(q.At)
	}
	x, y := steps, outputs
	if kind&goesOn != 0 {
		x, y = 1, 1
		if kind&everyStep == 0 || !goesOnFrom(before, q.index, steps, outputs, r.d, r.p) || kind&asWord != 0 {
			r.fail()
			return q
		}
		b := before[len(before)-1]
		q.X, q.Y = append(q.X, b.X[r.d:]...), append(q.Y, b.Y[r.p:]...)
	}
	if kind&asWord != 0 {
		if steps > len(r.b) {
			r.fail()
			return q
		}
		q.Word = make([]int, steps)
		for t := range q.Word {
			q.Word[t] = r.count(max(r.d-1, 0))
		}
		x = 0
	}
	q.X, q.Y = append(q.X, r.floats(x, r.d)...), append(q.Y, r.floats(y, r.p)...)
	if r.bad {
		return q
	}
	q.Steps = steps
	switch {
	case kind&everyStep != 0:
		q.At = make([]int, steps)
		for t := range q.At {
			q.At[t] = t + 1
		}
	case kind&atSteps == 0:
		q.At = []int{steps}
	}
	return q
}

// steps reads after which of k steps outputs stand: one at least, ascending.
func (r *reader) steps(k int) []int {
	n := r.count(len(r.b))
	if n == 0 || n > k+1 {
		r.fail()
		return nil
	}
	at := make([]int, n)
	for i := range at {
		if at[i] = r.count(k); r.bad || i > 0 && at[i] <= at[i-1] {
			r.fail()
			return nil
		}
	}
	return at
}

// goesOnFrom reports whether there is a run before that one of so many steps and outputs can go on from.
func goesOnFrom(before []Run, index, steps, outputs, d, p int) bool {
	if len(before) == 0 || d == 0 || steps < 2 {
		return false
	}
	b := before[len(before)-1]
	return b.index == index-1 && len(b.X) == steps*d && len(b.Y) == outputs*p && outputs > 1
}
