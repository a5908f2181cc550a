package beam

import (
	"context"
	"errors"
	"fmt"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/twornn/spectral/twornn"
)

func init() {
	register.Combiner3[share, Sequence, []byte](&collectFn{})
	register.DoFn2x1[context.Context, []byte, error](&writeFn{})
}

// Options are those of twornn.Fit that say what the pass over the data gathers. Give the
// same to FitCollection.
type Options struct {
	L, Rank int
}

func (o Options) options() twornn.Options { return twornn.Options{L: o.L, Rank: o.Rank} }

// Collect gathers the measurements of a PCollection<Sequence>, as the pass of twornn.Fit
// does. The result is a PCollection<[]byte> of one element, for Write and Parse; of none if there
// was no sequence.
//
// A bundle that has been read sends some
//
//	Σ_l 5 min(N_l, (d(d+1)/2)^l) numbers for the lengths l that are measured
//	2^22 numbers of examples at the most, and its share of 2^23 where Total is known
//
// on, however many sequences it had.
func Collect(s sdk.Scope, o Options, sequences sdk.PCollection) sdk.PCollection {
	return sdk.Combine(s.Scope("twornn.Collect"), &collectFn{Options: o}, sequences)
}

// collectFn is the CombineFn of Collect.
type collectFn struct{ Options Options }

func (f *collectFn) CreateAccumulator() share { return newShare() }

func (f *collectFn) AddInput(a share, s Sequence) share {
	a.add(s, f.Options)
	return a
}

func (f *collectFn) MergeAccumulators(a, b share) share {
	a.merge(b.gathered)
	return a
}

func (f *collectFn) ExtractOutput(a share) []byte {
	text, err := encodeShare(a)
	if err != nil {
		panic(err) // it never errs
	}
	return text
}

// Parse returns the collection that Collect has gathered. It errs if text is none, or says
// what was wrong with the data.
func Parse(text []byte) (twornn.Collection, error) {
	s, err := decodeShare(text)
	if err != nil {
		return nil, err
	}
	if s.problem.text != "" {
		return nil, errors.New(s.problem.text)
	}
	return s.sum, nil
}

// Write writes what Collect has gathered to a file, in any file system that Beam was told of. The
// file is there when it is whole, also where the bundle is tried again. If the data were wrong it
// says so: Open returns that as an error.
func Write(s sdk.Scope, collected sdk.PCollection, path string) {
	sdk.ParDo0(s.Scope("twornn.Write"), &writeFn{Path: path}, collected)
}

type writeFn struct{ Path string }

func (f *writeFn) ProcessElement(ctx context.Context, text []byte) error {
	return writeAll(ctx, f.Path, text)
}

// Open returns the collection that Write has put into a file. It errs as Parse does, or if the
// file cannot be read.
func Open(ctx context.Context, path string) (twornn.Collection, error) {
	text, err := readAll(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("beam: the measurements cannot be read: %w", err)
	}
	return Parse(text)
}
