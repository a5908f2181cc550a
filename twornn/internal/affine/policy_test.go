package affine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestPolicyIsNoKnifeEdge: with any figure of the policy doubled or halved a search comes to the
// same conclusion, whether there are products, and to an error on fresh inputs as near to the
// truth's.
func TestPolicyIsNoKnifeEdge(t *testing.T) {
	const noise = 0.1
	plain := linear(2, 1, rand.New(rand.NewPCG(5, 1)))
	products := plain.WithProducts()
	*products.at(1, 1, 1), *products.at(1, 2, 1), *products.at(1, 1, 2) = 0.25, -0.2, 0.3
	for _, c := range []struct {
		name  string
		truth *System
	}{{"linear", plain}, {"with products", products}} {
		rnd := rand.New(rand.NewPCG(6, 1))
		data, fresh := draw(c.truth, 100, noise, rnd), draw(c.truth, 1000, 0, rnd)
		conclude := func(p Policy) (taken bool, excess float64) {
			s := Fit(t.Context(), data, p, 1)
			sums, n := s.Best.SquaredErrors(fresh)
			return s.Best.Products, math.Sqrt((sums[0]/n + noise*noise) / (noise * noise))
		}
		standard := Default()
		standard.MostStates = 4 // for the sake of time
		taken, excess := conclude(standard)
		if taken != c.truth.Products || excess > 1.15 {
			t.Errorf("%s: products %v, error %.4g of the noise", c.name, taken, excess)
		}
		fields := reflect.TypeFor[Policy]()
		for i := range fields.NumField() {
			for _, factor := range []float64{2, 0.5} {
				t.Run(fmt.Sprint(c.name, ", ", fields.Field(i).Name, " × ", factor), func(t *testing.T) {
					by := standard
					switch v := reflect.ValueOf(&by).Elem().Field(i); v.Kind() {
					case reflect.Int:
						v.SetInt(int64(max(1, float64(v.Int())*factor)))
					case reflect.Float64:
						v.SetFloat(v.Float() * factor)
					}
					// Estimating a dozen parameters more costs 6 % of the noise.
					if got, other := conclude(by); got != taken || other > excess+0.1 {
						t.Errorf("products %v, error %.4g of the noise; by the standard %v, %.4g", got, other, taken, excess)
					}
				})
			}
		}
	}
}
