package affine

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/lsq"
)

// TestCompressed: a linear system has the same sum of squares on compressed data, with the same
// derivatives, and its states the same moments.
func TestCompressed(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	d, p := 3, 2
	data := &Data{D: d, P: p}
	for i := range 300 {
		r := lsq.Run{At: []int{1, 3}}
		if i%3 == 0 {
			r.At = []int{3}
		}
		for range 3 {
			r.X = append(r.X, 1, rnd.NormFloat64()+0.3, rnd.NormFloat64())
		}
		for range len(r.At) * p {
			r.Y = append(r.Y, rnd.NormFloat64())
		}
		data.Add(r)
	}
	short := data.compressed()
	if short == nil || len(short.Runs) != 14 {
		t.Fatalf("%+v", short)
	}
	s := Random(3, d, p, rnd)
	for i := range 4 {
		s.Theta[i] += 0.1 * float64(i) // a start of its own
	}
	s.Theta[0] = 1
	a, b := s.runs(data), s.runs(short)
	theta := a.Pattern.Take(s.Theta)
	k := a.Dim()
	N, M := mat.NewSymDense(k, nil), mat.NewSymDense(k, nil)
	g, h := make([]float64, k), make([]float64, k)
	x, y := a.Normal(theta, N, g), b.Normal(theta, M, h)
	if math.Abs(x-y) > 1e-10*x || math.Abs(x-b.SSE(theta)) > 1e-10*x {
		t.Errorf("sum of squares %v, compressed %v, %v", x, y, b.SSE(theta))
	}
	if !mat.EqualApprox(N, M, 1e-9*mat.Norm(N, 2)) || !mat.EqualApprox(mat.NewVecDense(k, g), mat.NewVecDense(k, h), 1e-9*mat.Norm(N, 2)) {
		t.Error("other derivatives")
	}
	C, _ := s.moments(data)
	D, _ := s.moments(short)
	if !mat.EqualApprox(C, D, 1e-10) {
		t.Errorf("moments\n%v\n%v", mat.Formatted(C), mat.Formatted(D))
	}
}
