package twornn

import (
	"context"
	"iter"

	"github.com/twornn/spectral/twornn/internal/moments"
)

// ExplainsExactly reports whether Fit takes the words for those of an exact machine.
func ExplainsExactly(data iter.Seq[Sequence], o Options) bool {
	c, err := collect(data, moments.Plan{Lengths: o.lengths()})
	return err == nil && fitExact(context.Background(), c, o) != nil
}
