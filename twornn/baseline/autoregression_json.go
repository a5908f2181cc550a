package baseline

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/phrase"
)

// autoregressionFile is the form of a saved autoregression: C by rows.
type autoregressionFile struct {
	Order int
	C     [][]float64
}

// MarshalJSON implements json.Marshaler.
func (a *Autoregression) MarshalJSON() ([]byte, error) {
	k, _ := a.C.Dims()
	f := autoregressionFile{Order: a.Order}
	for i := range k {
		f.C = append(f.C, a.C.RawRowView(i))
	}
	return json.Marshal(f)
}

// UnmarshalJSON implements json.Unmarshaler. It errs if C does not suit the order.
func (a *Autoregression) UnmarshalJSON(text []byte) error {
	var f autoregressionFile
	if err := json.Unmarshal(text, &f); err != nil {
		return err
	}
	k := len(f.C)
	if k == 0 || f.Order < 0 || f.Order > longest {
		return errors.New("baseline: a saved autoregression has no series or a bad order; save it again")
	}
	c := mat.NewDense(k, 1+k*f.Order, nil)
	for i, row := range f.C {
		if len(row) != 1+k*f.Order {
			return fmt.Errorf("baseline: a saved autoregression of order %d of %s has %d coefficients in a row, want %d", f.Order, phrase.Count(k, "series"), len(row), 1+k*f.Order)
		}
		for _, x := range row {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return errors.New("baseline: a saved autoregression has a coefficient that is no number; save it again")
			}
		}
		c.SetRow(i, row)
	}
	a.Order, a.C = f.Order, c
	return nil
}
