package affine

import (
	"math"
	"slices"
	"sync"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/lsq"
)

// Data are runs whose first input is 1.
type Data struct {
	D, P int // inputs with the constant, outputs
	Runs []lsq.Run
	M    int // outputs times p
	// Distinct is how many outputs there are beside those of runs that repeat others, as Split counts them.
	Distinct int
	Own      bool // each run has a start of its own, beside h₀ as the states are beside their mean
	// Grows is by what power of e a state of a linear system may grow by itself over the longest run. Zero: it has
	// to decay.
	Grows float64
	Rest  float64 // a sum of squares that no linear system explains, beside what the runs hold
	For   int     // how many runs these stand for, if compressed
	// Stop, if not nil, is asked whether passes over the data are to be given up.
	Stop func() bool
	// Report, if not nil, is told of each iteration of a fit to these data, or to some of
	// them: the error over the spread of the outputs. An error of its ends that fit.
	Report func(residual float64) error
}

// Split says which of some parts, each of outputs in a row, every output belongs to; those of a run that repeats
// another go with that. Where runs have starts of their own each part has a share of every run, so that starts are
// known.
func (data *Data) Split(parts int) {
	first, seen := make([]int, len(data.Runs)), map[uint64]int{}
	data.Distinct = 0
	for i, r := range data.Runs {
		first[i] = i
		if data.many() && !data.Own {
			key := linalg.Digest(r.X, r.Y)
			if at, ok := seen[key]; ok && len(data.Runs[at].At) == len(r.At) {
				first[i] = at
			} else {
				seen[key] = i
			}
		}
		if first[i] == i {
			data.Distinct += len(r.At)
		}
	}
	outputs, k := data.Distinct, 0
	for i := range data.Runs {
		r := &data.Runs[i]
		if first[i] < i {
			r.Fold = data.Runs[first[i]].Fold
			continue
		}
		r.Fold = make([]int, len(r.At))
		for j := range r.Fold {
			if r.Fold[j] = k * parts / outputs; data.Own {
				r.Fold[j] = j * parts / len(r.At)
			}
			k++
		}
	}
}

// Without returns the data, which are split, without the outputs of part f, and those outputs alone. The
// inputs of a part left out stay known, so that a run needs no new start; and where it
// would take the beginning of a run, the first quarter of it stays, so that the start is
// known.
func (data *Data) Without(f, parts int) (train, held *Data) {
	train, held = &Data{D: data.D, P: data.P, Own: data.Own, Grows: data.Grows, Stop: data.Stop}, &Data{D: data.D, P: data.P, Own: data.Own, Grows: data.Grows, Stop: data.Stop}
	alone, known := data.Own || len(data.Runs) < parts, data.M/data.P/parts/4
	for _, r := range data.Runs {
		if data.Own {
			known = len(r.At) / parts / 4
		}
		in, out := lsq.Run{X: r.X}, lsq.Run{X: r.X}
		for i, t := range r.At {
			to := &in
			if r.Fold[i] == f && (!alone || i >= known) {
				to = &out
			}
			to.At = append(to.At, t)
			to.Y = append(to.Y, r.Y[i*data.P:(i+1)*data.P]...)
		}
		train.Add(in)
		if held.M += len(out.Y); data.Own && len(out.At) > 0 {
			held.Runs = append(held.Runs, beside(r, out.At))
		} else if !data.Own && len(out.At) > 0 {
			held.Runs = append(held.Runs, out)
		}
	}
	return train, held
}

// beside returns the run with its outputs in two folds: 1 after the given steps, 0 after the others.
func beside(r lsq.Run, at []int) lsq.Run {
	r.Fold = make([]int, len(r.At))
	for i, t := range r.At {
		if _, held := slices.BinarySearch(at, t); held {
			r.Fold[i] = 1
		}
	}
	return r
}

// Add adds a run, if it has an output.
func (data *Data) Add(r lsq.Run) {
	if len(r.At) > 0 {
		data.Runs = append(data.Runs, r)
		data.M += len(r.At) * data.P
	}
}

// still reports whether outputs are nothing but their mean.
func (data *Data) still() bool {
	for _, r := range data.Runs {
		for _, y := range r.Y {
			if y != 0 {
				return false
			}
		}
	}
	return true
}

// many reports whether the data are many runs, such as windows, or stand for so many.
func (data *Data) many() bool { return max(len(data.Runs), data.For) >= 16 }

// long reports whether the runs are long in the mean: longer than responses are.
func (data *Data) long() bool {
	steps := 0
	for _, r := range data.Runs {
		steps += r.Steps(data.D)
	}
	return steps >= 64*len(data.Runs)
}

// stoppedAt reports whether to give up, asked now and then along the outputs of a run.
func (data *Data) stoppedAt(i int) bool { return i%1024 == 0 && data.Stop != nil && data.Stop() }

// longest returns the number of steps of the longest run.
func (data *Data) longest() int {
	T := 1
	for _, r := range data.Runs {
		T = max(T, r.Steps(data.D))
	}
	return T
}

// pace returns by how much a state may grow by itself in a step.
func (data *Data) pace() float64 { return math.Exp(data.Grows / float64(data.longest())) }

// some returns about so many outputs, times p, of the data: the beginnings of few runs, or every so
// manieth of many.
func (data *Data) some(outputs int) *Data {
	if data.M <= 2*outputs {
		return data
	}
	share := float64(outputs) / float64(data.M)
	sub := &Data{D: data.D, P: data.P, Own: data.Own, Grows: data.Grows, Report: data.Report, Stop: data.Stop}
	if data.many() {
		for i := 0; i < len(data.Runs); i += int(1 / share) {
			sub.Add(data.Runs[i])
		}
		return sub
	}
	for _, r := range data.Runs {
		n := int(math.Ceil(share * float64(len(r.At))))
		r.At, r.Y, r.Fold = r.At[:n], r.Y[:n*data.P], nil
		r.X = r.X[:r.At[n-1]*data.D]
		sub.Add(r)
	}
	return sub
}

// inParts calls f for each of so many parts at once.
func inParts(parts int, f func(f int)) {
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}
