package beam

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/twornn/spectral/twornn"
)

func init() {
	sdk.RegisterCoder(reflect.TypeFor[share](), encodeShare, decodeShare)
}

// share is the accumulator of Collect: what some of the data have come to.
type share struct{ *gathered }

type gathered struct {
	shard   *twornn.Shard     // takes sequences; nil if none came since the last merge
	sum     twornn.Collection // of those that were taken before
	problem problem
}

// problem is the first thing found wrong with the data, by place, if its text is not empty.
type problem struct {
	place int64
	text  string
}

// note takes note of another problem.
func (p *problem) note(q problem) {
	if q.text != "" && (p.text == "" || q.place < p.place || q.place == p.place && q.text < p.text) {
		*p = q
	}
}

func newShare() share { return share{&gathered{sum: twornn.Collection{}}} }

// add takes a sequence for a fit with the given options.
func (g *gathered) add(s Sequence, o Options) {
	q := s.Sequence()
	if q.Err != nil {
		g.problem.note(problem{s.Place, q.Err.Error()})
	}
	if g.problem.text != "" {
		return // nothing will be learnt of these data
	}
	if g.shard == nil {
		var err error
		if g.shard, err = twornn.NewShard(o.options(), int(s.Total)); err != nil {
			g.problem.note(problem{0, err.Error()})
			return
		}
	}
	var err error
	if s.Place > 0 {
		err = g.shard.AddAt(int(s.Place-1), q)
	} else {
		err = g.shard.Add(q)
	}
	if err != nil {
		g.problem.note(problem{s.Place, err.Error()})
	}
}

// settle brings all that came into the sum.
func (g *gathered) settle() {
	if g.shard == nil {
		return
	}
	c, err := g.shard.Collection()
	g.shard = nil
	if err != nil {
		g.problem.note(problem{math.MaxInt64, err.Error()})
		return
	}
	g.join(c)
}

func (g *gathered) join(c twornn.Collection) {
	if len(g.sum) == 0 {
		g.sum = c
		return
	}
	if err := g.sum.Merge(c); err != nil {
		g.problem.note(problem{math.MaxInt64, err.Error()})
	}
}

// merge adds what o has.
func (g *gathered) merge(o *gathered) {
	g.settle()
	o.settle()
	g.problem.note(o.problem)
	if g.problem.text != "" {
		g.sum = twornn.Collection{}
		return
	}
	g.join(o.sum)
}

// The form in which a share travels: a version, then the problem or, if there is none, the
// collection as twornn writes it.
const shareVersion = 1

func encodeShare(s share) ([]byte, error) {
	if s.gathered == nil {
		s = newShare()
	}
	s.settle()
	b := []byte{shareVersion, 0}
	if p := s.problem; p.text != "" {
		b[1] = 1
		return append(binary.AppendUvarint(b, uint64(p.place)), p.text...), nil
	}
	c, err := s.sum.MarshalBinary()
	return append(b, c...), err
}

func decodeShare(b []byte) (share, error) {
	if len(b) < 3 || b[0] != shareVersion || b[1] > 1 {
		return share{}, errors.New("beam: these are no measurements of this version; use one version on all machines")
	}
	s := newShare()
	if b[1] == 1 {
		place, n := binary.Uvarint(b[2:])
		if n <= 0 || len(b) == 2+n {
			return share{}, errors.New("beam: the measurements were cut short on their way; gather them again")
		}
		s.problem = problem{int64(place), string(b[2+n:])}
		return s, nil
	}
	return s, s.sum.UnmarshalBinary(b[2:])
}
