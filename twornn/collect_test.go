package twornn

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// shardCase is data of one kind, and the options to fit them with.
type shardCase struct {
	name string
	data []Sequence
	o    Options
	tol  float64
}

// windowsOf cuts a series with a bias into overlapping windows.
func windowsOf(rows, length int, seed uint64) (out []Sequence) {
	rnd := rand.New(pcg(seed)).NormFloat64
	u, y := make([]float64, rows), make([]float64, rows+1)
	for t := range u {
		u[t] = rnd()
		y[t+1] = 0.7*y[t] + 0.4*u[t] + 0.1*rnd()
	}
	for t := range rows - length + 1 {
		X, Y := mat.NewDense(length, 3, nil), mat.NewDense(length, 1, nil)
		for i := range length {
			X.SetRow(i, []float64{1, y[t+i], u[t+i]})
			Y.Set(i, 0, y[t+i+1])
		}
		out = append(out, Sequence{X: X, Y: Y})
	}
	return out
}

// inLargeUnits puts inputs into units in which the pass makes a frame.
func inLargeUnits(data []Sequence) []Sequence {
	for _, s := range data {
		k, _ := s.X.Dims()
		for t := range k {
			s.X.Set(t, 0, 300*s.X.At(t, 0)-2*s.X.At(t, 1))
		}
	}
	return data
}

func shardCases() []shardCase {
	m := Random(3, 3, 2, 0.7, pcg(1))
	one := Random(2, 2, 1, 0.7, pcg(9))
	mixed := slices.Concat(all(m, 300, 2, 0.1, false, 1), all(m, 300, 4, 0.1, false, 2), all(m, 300, 5, 0.1, false, 3), all(m, 300, 7, 0.1, true, 4))
	return []shardCase{
		{"outputs at every step", all(m, 900, 5, 0.1, true, 2), Options{}, 1e-10},
		{"single outputs, mixed lengths", mixed, Options{Rank: 3}, 1e-10},
		{"other units", inLargeUnits(all(m, 900, 3, 0.1, true, 5)), Options{Rank: 3}, 1e-10},
		{"many longer than measured", all(one, 1500, 12, 0.1, true, 5), Options{Rank: 2}, 1e-10},
		{"windows with a bias", windowsOf(1500, 3, 6), Options{}, 1e-10},
		{"long windows with a bias", windowsOf(150, 12, 7), Options{}, 1e-10},
		{"few", all(m, 70, 3, 0.1, true, 8), Options{Rank: 2}, 1e-10},
		{"algorithm 1", all(m, 900, 5, 0.1, true, 2), Options{L: 2, Basis: EqualLength, Rank: 3, Recovery: LeastSquares{}}, 1e-10},
		{"rows", all(m, 400, 5, 0.1, true, 2), Options{L: 2, Basis: EqualLength, Rank: 3, Recovery: TTIHT{}}, 1e-7},
	}
}

// gathered joins as many shards, in a random order, after a journey each.
func gathered(t *testing.T, c shardCase, shards int, rnd *rand.Rand) Collection {
	t.Helper()
	sum := Collection{}
	total := 0
	if size := func(s Sequence) int { return s.Len() }; size(c.data[0]) == size(c.data[len(c.data)-1]) {
		total = rnd.IntN(2) * len(c.data)
	}
	for _, k := range rnd.Perm(shards) {
		s, err := NewShard(c.o, total)
		if err != nil {
			t.Fatal(err)
		}
		from, to := k*len(c.data)/shards, (k+1)*len(c.data)/shards
		for _, i := range rnd.Perm(to - from) {
			if err := s.AddAt(from+i, c.data[from+i]); err != nil {
				t.Fatal(err)
			}
		}
		part, err := s.Collection()
		if err != nil {
			t.Fatal(err)
		}
		if err := sum.Merge(travelled(t, part)); err != nil {
			t.Fatal(err)
		}
	}
	return travelled(t, sum)
}

func travelled(t *testing.T, c Collection) (out Collection) {
	t.Helper()
	text, err := c.MarshalBinary()
	if err == nil {
		err = out.UnmarshalBinary(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	again, _ := out.MarshalBinary()
	if !bytes.Equal(text, again) {
		t.Errorf("the journey of %d bytes changes the collection", len(text))
	}
	return out
}

// apart returns the largest difference of the outputs of two models along the data, over the
// largest output.
func apart(a, b *Model, data []Sequence) float64 {
	var most, size float64
	for _, s := range data[:min(len(data), 50)] {
		y, z := a.Predict(nil, s.X), b.Predict(nil, s.X)
		for o := range y {
			most, size = max(most, math.Abs(y[o]-z[o])), max(size, math.Abs(y[o]))
		}
	}
	return most / size
}

// TestShardsLearnWhatFitLearns: 1, 4 and 64 shards, in any order and with their sequences in any
// order, that have travelled, give the model of Fit to 1e-10; TTIHT, which stops by the size of its steps, to what
// that leaves.
func TestShardsLearnWhatFitLearns(t *testing.T) {
	ctx := context.Background()
	for _, c := range shardCases() {
		t.Run(c.name, func(t *testing.T) {
			want, err := Fit(ctx, sequences(c.data...), c.o)
			if err != nil {
				t.Fatal(err)
			}
			for _, shards := range []int{1, 4, 64} {
				got, err := FitCollection(ctx, gathered(t, c, shards, rand.New(pcg(uint64(shards)))), c.o)
				if err != nil {
					t.Fatal(err)
				}
				d := apart(want.Model, got.Model, c.data)
				t.Logf("%d shards: %.2g apart", shards, d)
				if !(d <= c.tol) || got.Rank != want.Rank || got.N != want.N || fmt.Sprint(got.Lengths) != fmt.Sprint(want.Lengths) {
					t.Errorf("%d shards: %.3g apart; rank %d of %d, N %d of %d", shards, d, got.Rank, want.Rank, got.N, want.N)
				}
			}
		})
	}
}

// TestAShardLostAndFoundAgain: what a shard had gathered when it was lost is of no account, and one
// that is counted twice is found out.
func TestAShardLostAndFoundAgain(t *testing.T) {
	data := windowsOf(400, 3, 6)
	shard := func(from, to int) Collection {
		s, err := NewShard(Options{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i := from; i < to; i++ {
			if err := s.AddAt(i, data[i]); err != nil {
				t.Fatal(err)
			}
		}
		c, err := s.Collection()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	want, err := Fit(context.Background(), sequences(data...), Options{})
	if err != nil {
		t.Fatal(err)
	}
	shard(200, 300) // lost
	sum := shard(200, len(data))
	if err := sum.Merge(shard(0, 200)); err != nil {
		t.Fatal(err)
	}
	if err := sum.Merge(shard(200, 300)); err == nil || !strings.Contains(err.Error(), "stand at place 200") {
		t.Errorf("a shard counted twice: %v", err)
	}
	got, err := FitCollection(context.Background(), sum, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := apart(want.Model, got.Model, data); !(d <= 1e-10) {
		t.Errorf("%.3g apart", d)
	}
}

// TestShardsSayWhatIsWrong: by place, once and for all.
func TestShardsSayWhatIsWrong(t *testing.T) {
	good := Sequence{X: mat.NewDense(2, 2, []float64{1, 2, 3, 4}), Y: mat.NewDense(1, 1, nil)}
	bad := Sequence{X: mat.NewDense(1, 2, []float64{1, math.NaN()}), Y: mat.NewDense(1, 1, nil)}
	start := func(total int) *Shard {
		s, err := NewShard(Options{}, total)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.AddAt(8, good); err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := start(0)
	for range 2 {
		if err := s.AddAt(41, bad); err == nil || !strings.Contains(err.Error(), "sequence 42: input 2 of step 1 is NaN") {
			t.Errorf("a NaN: %v", err)
		}
	}
	if _, err := s.Collection(); err == nil {
		t.Error("the error is forgotten")
	}
	if err := start(0).Add(good); err == nil || !strings.Contains(err.Error(), "places") {
		t.Errorf("no place: %v", err)
	}
	short := Sequence{X: mat.NewDense(1, 2, nil), Y: good.Y}
	if err := start(9).AddAt(3, short); err == nil || !strings.Contains(err.Error(), "place 3 has 3 numbers") {
		t.Errorf("another size: %v", err)
	}
	if _, err := NewShard(Options{Rank: -1}, 0); err == nil {
		t.Error("a negative rank is no error")
	}
	mustPanic(t, "negative place", func() { _ = start(0).AddAt(-1, good) })
	s = start(0)
	if _, err := s.Collection(); err != nil {
		t.Fatal(err)
	}
	mustPanic(t, "ended", func() { _ = s.AddAt(1, good) })

	empty, _ := NewShard(Options{}, 0)
	c, err := empty.Collection()
	if err != nil || len(c) != 0 {
		t.Errorf("an empty shard: %v, %v", c, err)
	}
	travelled(t, c)
	if _, err := FitCollection(context.Background(), c, Options{}); err == nil {
		t.Error("nothing can be fitted")
	}
	long, _ := NewShard(Options{}, 0)
	for i, q := range all(Random(2, 2, 1, 1, pcg(6)), 5, 12, 0, false, 1) {
		if err := long.AddAt(i, q); err != nil {
			t.Fatal(err)
		}
	}
	if c, err = long.Collection(); err != nil {
		t.Fatal(err)
	}
	if _, err := FitCollection(context.Background(), c, Options{}); err == nil || !strings.Contains(err.Error(), "short enough to be measured") {
		t.Errorf("long ones alone: %v", err)
	}
}

// binaries returns collections of all kinds as they travel.
func binaries(t testing.TB) (out [][]byte) {
	add := func(o Options, data []Sequence, lengths ...int) {
		c, err := Collect(sequences(data...), lengths...)
		if o.Recovery != nil {
			c, err = CollectRows(sequences(data...), lengths...)
		}
		if err != nil {
			t.Fatal(err)
		}
		text, _ := c.MarshalBinary()
		out = append(out, text)
	}
	m := Random(2, 2, 1, 0.7, pcg(3))
	add(Options{}, all(m, 20, 3, 0.1, true, 1))
	add(Options{}, all(m, 3000, 3, 0.1, true, 1), 2, 3)
	add(Options{}, all(m, 600, 11, 0.1, true, 1), 2)
	add(Options{}, inLargeUnits(all(m, 20, 3, 0.1, true, 1)))
	add(Options{}, windowsOf(60, 4, 1))
	add(Options{}, append(all(m, 5, 3, 0.1, false, 1), Sequence{Y: mat.NewDense(1, 1, []float64{2})}), 0)
	add(Options{Recovery: TTIHT{}}, all(m, 20, 3, 0.1, true, 1))
	return out
}

// TestBinaryFindsDamage: a byte changed, lost or too many is an error that says so, another
// version names both.
func TestBinaryFindsDamage(t *testing.T) {
	for k, text := range binaries(t) {
		var c Collection
		if err := c.UnmarshalBinary(text); err != nil {
			t.Fatalf("%d: %v", k, err)
		}
		if again, _ := c.MarshalBinary(); !bytes.Equal(again, text) {
			t.Errorf("%d: not what was written", k)
		}
		was := fmt.Sprint(c.Lengths())
		step := max(1, len(text)/300)
		for i := 0; i < len(text); i += step {
			bad := slices.Clone(text)
			bad[i] ^= 0x10
			if c.UnmarshalBinary(bad) == nil || c.UnmarshalBinary(text[:i]) == nil {
				t.Fatalf("%d: damage at byte %d of %d is not seen", k, i, len(text))
			}
		}
		if c.UnmarshalBinary(append(text, 0)) == nil || fmt.Sprint(c.Lengths()) != was {
			t.Errorf("%d: a byte too many is not seen, or the collection has changed", k)
		}
	}
	text := binaries(t)[0]
	text[len("2rnn-set")] = 9
	var c Collection
	if err := c.UnmarshalBinary(text); err == nil || !strings.Contains(err.Error(), "version 9, and this program reads version 2") {
		t.Errorf("another version: %v", err)
	}
}

// TestWindowsTravelLight: of a window that goes on from the one before only the last step does.
func TestWindowsTravelLight(t *testing.T) {
	size := func(length int) int {
		c, err := Collect(sequences(windowsOf(2000+length, length, 1)...), 1)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := c.MarshalBinary()
		return len(text)
	}
	// A step is 3 inputs and an output; beside them five counts, the sample's part, and the rows that wait.
	if short, long := size(2), size(20); long > short+512*20*4*8+5*256*4*8+5000 || short > 2000*(4*8+8)+512*2*4*8+5*256*4*8+5000 {
		t.Errorf("%d bytes of windows of 2, %d of 20", short, long)
	}
}

// TestBinaryWithstandsAnything: whatever the text, no panic and no more memory than its size
// warrants. The checksum is made right, so that what comes after it is reached.
func TestBinaryWithstandsAnything(t *testing.T) {
	rnd := rand.New(pcg(4))
	read := 0
	for _, text := range binaries(t) {
		for range 400 {
			body := slices.Clone(text[:len(text)-4])
			for range 1 + rnd.IntN(3) {
				// Mostly in the counts at the beginning.
				i := 9 + rnd.IntN(min(len(body)-9, 1<<(4+rnd.IntN(16))))
				body[i] = byte(rnd.IntN(256))
			}
			if rnd.IntN(4) == 0 {
				body = body[:rnd.IntN(len(body))]
			}
			bad := binary.LittleEndian.AppendUint32(body, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
			var c Collection
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := c.UnmarshalBinary(bad)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20+64*uint64(len(bad)) {
				t.Fatalf("%d bytes of memory for %d of text", used, len(bad))
			}
			if err == nil {
				read++
				_, _ = c.MarshalBinary()
			}
		}
	}
	if read == 0 {
		t.Error("all were refused: the test sees little")
	}
}
