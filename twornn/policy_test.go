package twornn

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"
)

// TestPolicyIsNoKnifeEdge: with any threshold doubled or halved Fit comes to the same
// conclusions on small cases of the floor: the rank, the warnings, and a test error that is as
// near to that of a start at the truth.
func TestPolicyIsNoKnifeEdge(t *testing.T) {
	m := Random(2, 2, 1, 0.6, pcg(1))
	three := Random(3, 2, 2, 0.45, pcg(12))
	type floor struct {
		name  string
		truth *Model
		N     int
		noise float64
		o     Options
		want  string
	}
	cases := []floor{
		{"rank open", m, 400, 0.1, Options{L: 1}, "rank 2, fallback false"},
		{"a spare state", m, 400, 0.1, Options{L: 2, Rank: 3}, "rank 2, fallback false, RankCut"},
		{"a rank too low", m, 400, 0.05, Options{L: 1, Rank: 1}, "rank 1, fallback false, RankLow"},
		{"no noise", three, 60, 0, Options{L: 2}, "rank 3, fallback false"},
		{"nothing but noise", NewModel(1, 2, 1), 150, 1, Options{L: 1}, "rank 0, fallback true, WorseThanZero"},
		{"two outputs", three, 300, 0.02, Options{L: 2}, "rank 3, fallback false"},
	}
	conclude := func(c Collection, f floor, by policy) (string, float64) {
		r, err := fitSet(context.Background(), c.set(), f.o, by, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := fmt.Sprint("rank ", r.Rank, ", fallback ", r.Fallback)
		for _, w := range r.Warnings {
			s += ", " + w.Kind.String()
		}
		return s, Evaluate(r, draw(f.truth, 100, 3, 0, false, 77)).RMSE
	}
	for _, f := range cases {
		c := mustCollect(t, drawLengths(f.truth, f.N, f.noise, 5, 1, 2, 3, 4, 5))
		want, rmse := conclude(c, f, standard)
		if want != f.want {
			t.Errorf("%s: %s, want %s", f.name, want, f.want)
		}
		fields := reflect.TypeFor[policy]()
		for i := range fields.NumField() {
			for _, factor := range []float64{2, 0.5} {
				by := standard
				switch v := reflect.ValueOf(&by).Elem().Field(i); v.Kind() {
				case reflect.Int:
					v.SetInt(max(1, int64(float64(v.Int())*factor)))
				case reflect.Float64:
					v.SetFloat(v.Float() * factor)
				case reflect.Struct: // of package affine, which these data never reach
					continue
				default:
					t.Fatalf("%s is of a kind that the test does not know", fields.Field(i).Name)
				}
				got, other := conclude(c, f, by)
				if got != want || math.Abs(other-rmse) > 0.05*rmse+1e-8 {
					t.Errorf("%s, %s × %g: %s, error %.4g; by the standard %s, %.4g", f.name, fields.Field(i).Name, factor, got, other, want, rmse)
				}
			}
		}
	}
}
