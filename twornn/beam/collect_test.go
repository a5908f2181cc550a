package beam

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

func TestMain(m *testing.M) {
	sdk.Init()
	os.Exit(m.Run())
}

func pcg(n uint64) *rand.Rand { return rand.New(rand.NewPCG(n, n)) }

// sequencesOf returns windows of a random 2-RNN, without a constant input, or with one.
func sequencesOf(n int, bias bool) []twornn.Sequence { return runsOf(n, 4, bias) }

// runsOf returns the same of so many steps.
func runsOf(n, steps int, bias bool) (all []twornn.Sequence) {
	m := twornn.Random(3, 3, 1, 0.6, rand.NewPCG(1, 1))
	rnd := pcg(2).NormFloat64
	for range n {
		s := twornn.Sequence{X: mat.NewDense(steps, 3, nil), Y: new(mat.Dense)}
		s.X.Apply(func(_, j int, _ float64) float64 {
			if bias && j == 0 {
				return 1
			}
			return rnd()
		}, s.X)
		m.OutputsTo(s.Y, s.X)
		s.Y.Apply(func(_, _ int, v float64) float64 { return v + 0.1*rnd() }, s.Y)
		all = append(all, s)
	}
	return all
}

func fitOf(t *testing.T, c twornn.Collection, err error) *twornn.Model {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	r, err := twornn.FitCollection(context.Background(), c, twornn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Model
}

func sourceOf(all []twornn.Sequence) func(func(twornn.Sequence) bool) {
	return func(yield func(twornn.Sequence) bool) {
		for _, s := range all {
			if !yield(s) {
				return
			}
		}
	}
}

// apart returns the largest difference of the outputs of two models, over the largest output.
func apart(a, b *twornn.Model, data []twornn.Sequence) float64 {
	var most, size float64
	for _, s := range data[:min(50, len(data))] {
		y, z := a.Predict(nil, s.X), b.Predict(nil, s.X)
		for o := range y {
			most, size = max(most, math.Abs(y[o]-z[o])), max(size, math.Abs(y[o]))
		}
	}
	return most / size
}

// through sends an accumulator on a journey.
func through(t *testing.T, s share) share {
	t.Helper()
	text, err := encodeShare(s)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = decodeShare(text); err != nil {
		t.Fatal(err)
	}
	return s
}

// bundled gathers the data in so many bundles, their sequences and they themselves in any order,
// merged in twos and threes and in a row, some lost and done again, some of them having
// travelled.
func bundled(t *testing.T, data []twornn.Sequence, total int64, bundles int) (twornn.Collection, error) {
	t.Helper()
	rnd := pcg(uint64(bundles))
	f := &collectFn{}
	sometimes := func(s share) share {
		if rnd.IntN(2) == 0 {
			return s
		}
		return through(t, s)
	}
	bundle := func(k int) share {
		a := f.CreateAccumulator()
		from, to := k*len(data)/bundles, (k+1)*len(data)/bundles
		for _, i := range rnd.Perm(to - from) {
			s, err := decodeSequence(encodeSequence(Of(int64(from+i+1), total, data[from+i])))
			if err != nil {
				t.Fatal(err)
			}
			a = f.AddInput(a, s)
		}
		return sometimes(a)
	}
	var waiting []share
	for _, k := range rnd.Perm(bundles) {
		if rnd.IntN(3) == 0 {
			bundle(k) // lost
		}
		waiting = append(waiting, bundle(k))
	}
	for len(waiting) > 1 {
		i := rnd.IntN(len(waiting) - 1)
		a := sometimes(f.MergeAccumulators(waiting[i], waiting[i+1]))
		waiting = slices.Delete(waiting, i+1, i+2)
		waiting[i] = a
	}
	return Parse(f.ExtractOutput(waiting[0]))
}

// TestAnyBundlesLearnWhatFitLearns: 1, 4 and 64 bundles of a 2-RNN whose states are multiplied by all
// inputs, or by a constant among them.
func TestAnyBundlesLearnWhatFitLearns(t *testing.T) {
	for _, bias := range []bool{false, true} {
		data := sequencesOf(1500, bias)
		r, err := twornn.Fit(context.Background(), sourceOf(data), twornn.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, bundles := range []int{1, 4, 64} {
			c, err := bundled(t, data, int64(len(data)), bundles)
			d := apart(r.Model, fitOf(t, c, err), data)
			t.Logf("bias %v, %d bundles: %.2g apart", bias, bundles, d)
			if !(d <= 1e-10) {
				t.Errorf("bias %v, %d bundles: %.3g apart", bias, bundles, d)
			}
		}
	}
}

// TestPlacesSayWhatIsKept: where there is no room for all examples, those that are kept are the
// same in any bundles: those of one shard that takes the data in order.
func TestPlacesSayWhatIsKept(t *testing.T) {
	const total = 1 << 19 // so many of 48 numbers have six times the room there is: a part of them is kept
	data := runsOf(384, 12, true)
	one, err := twornn.NewShard(twornn.Options{}, total)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range data {
		if err := one.AddAt(i, s); err != nil {
			t.Fatal(err)
		}
	}
	c, err := one.Collection()
	want := fitOf(t, c, err)
	all, err := twornn.Fit(context.Background(), sourceOf(data), twornn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := apart(want, all.Model, data); d < 1e-6 {
		t.Fatalf("what is left out moves the model by only %.2g: this tests nothing", d)
	}
	for _, bundles := range []int{4, 64} {
		c, err := bundled(t, data, total, bundles)
		if d := apart(want, fitOf(t, c, err), data); !(d <= 1e-10) {
			t.Errorf("%d bundles: %.3g apart", bundles, d)
		}
	}
}

// TestBundlesKeepTheirShare: where it is known how many sequences there are, and they have no
// room together, each bundle sends on its share of what has.
func TestBundlesKeepTheirShare(t *testing.T) {
	rnd := pcg(4).NormFloat64
	size := func(total int64) (bytes int) {
		f := &collectFn{}
		for k := range 16 {
			a := f.CreateAccumulator()
			for i := range 100 {
				x, y := mat.NewDense(40, 3, nil), mat.NewDense(40, 1, nil)
				x.Apply(func(_, _ int, _ float64) float64 { return rnd() }, x)
				// A hundredth of all: 640,000 of 160 numbers each are 24 times too many.
				a = f.AddInput(a, Of(int64(400*(100*k+i))+1, total, twornn.Sequence{X: x, Y: y}))
			}
			text, err := encodeShare(a)
			if err != nil {
				t.Fatal(err)
			}
			bytes += len(text)
		}
		return bytes
	}
	if all, part := size(0), size(640_000); part > all/4 {
		t.Errorf("16 bundles take %d bytes, and %d where it is known that there are others", all, part)
	}
}

// collected runs a pipeline in this process and returns what it gathered.
func collected(t *testing.T, make func(s sdk.Scope) sdk.PCollection) (twornn.Collection, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sums")
	p, s := sdk.NewPipelineWithRoot()
	Write(s, Collect(s, Options{}, make(s)), path)
	if _, err := sdk.Run(context.Background(), "prism", p); err != nil {
		t.Fatal(err)
	}
	return Open(context.Background(), path)
}

// TestPipeline: sequences that were made in the pipeline, and a mistake in one of them.
func TestPipeline(t *testing.T) {
	data := sequencesOf(300, false)
	r, err := twornn.Fit(context.Background(), sourceOf(data), twornn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var elements []Sequence
	for i, s := range data {
		elements = append(elements, Of(int64(i+1), 0, s))
	}
	pcg(3).Shuffle(len(elements), func(i, j int) { elements[i], elements[j] = elements[j], elements[i] })
	c, err := collected(t, func(s sdk.Scope) sdk.PCollection { return sdk.CreateList(s, elements) })
	if d := apart(r.Model, fitOf(t, c, err), data); !(d <= 1e-10) {
		t.Errorf("%.3g apart", d)
	}
	elements[7].X = slices.Clone(elements[7].X)
	elements[7].X[1] = math.Inf(1)
	_, err = collected(t, func(s sdk.Scope) sdk.PCollection { return sdk.CreateList(s, elements) })
	if want := fmt.Sprintf("sequence %d: input 2 of step 1 is +Inf", elements[7].Place); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestWithoutPlaces: nothing is lost where places are not known.
func TestWithoutPlaces(t *testing.T) {
	f := &collectFn{}
	a, b := f.CreateAccumulator(), f.CreateAccumulator()
	for i, s := range sequencesOf(200, false) {
		f.AddInput([]share{a, b}[i%2], Of(0, 0, s))
	}
	c, err := Parse(f.ExtractOutput(f.MergeAccumulators(a, through(t, b))))
	if err != nil || c[4].N() != 200 {
		t.Errorf("%v, %v", c, err)
	}
}

// TestFirstProblemIsTold: of several the one that comes first among the data, in any order.
func TestFirstProblemIsTold(t *testing.T) {
	f := &collectFn{}
	a, b := f.CreateAccumulator(), f.CreateAccumulator()
	a = f.AddInput(a, Sequence{Place: 9, Outputs: 1, Inputs: 2, X: []float64{1}, Y: []float64{1}})
	b = f.AddInput(b, Sequence{Place: 3, Err: "the third"})
	for _, m := range []share{f.MergeAccumulators(through(t, a), through(t, b)), f.MergeAccumulators(through(t, b), through(t, a))} {
		if _, err := Parse(f.ExtractOutput(m)); err == nil || err.Error() != "the third" {
			t.Errorf("error %v", err)
		}
	}
	// Also where the first is an input that is no number.
	bad := Of(2, 0, sequencesOf(1, false)[0])
	bad.X[1] = math.NaN()
	a = f.AddInput(f.CreateAccumulator(), bad)
	if _, err := Parse(f.ExtractOutput(f.MergeAccumulators(a, b))); err == nil || !strings.Contains(err.Error(), "sequence 2: input 2 of step 1 is NaN") {
		t.Errorf("error %v", err)
	}
	a = f.AddInput(f.CreateAccumulator(), Sequence{Place: 9, Outputs: 1, Inputs: 2, X: []float64{1}, Y: []float64{1}})
	if _, err := Parse(f.ExtractOutput(a)); err == nil || !strings.Contains(err.Error(), "set Inputs and Outputs") {
		t.Errorf("error %v", err)
	}
}

// TestCodersRefuse: what is cut short, empty or of another version.
func TestCodersRefuse(t *testing.T) {
	s := encodeSequence(Of(1, 2, sequencesOf(1, false)[0]))
	for i := range len(s) {
		if _, err := decodeSequence(s[:i]); err == nil {
			t.Errorf("a sequence cut after %d bytes is read", i)
		}
	}
	a := newShare()
	a.add(Of(1, 2, sequencesOf(1, false)[0]), Options{})
	text, err := encodeShare(a)
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(text) {
		if _, err := decodeShare(text[:i]); err == nil {
			t.Errorf("a share cut after %d bytes is read", i)
		}
	}
	// A problem that is cut short is still one.
	problem, err := encodeShare(share{&gathered{problem: problem{300, "p"}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(problem) + 1 {
		if _, err := Parse(problem[:i]); err == nil {
			t.Errorf("a problem cut after %d bytes is none", i)
		}
	}
	s[0], text[0] = 9, 9
	_, err = decodeSequence(s)
	_, err2 := decodeShare(text)
	if err == nil || err2 == nil {
		t.Error("another version is read")
	}
}
