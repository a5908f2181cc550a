package affine

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// Responses are estimates of what an input does to the outputs 0, 1, … steps later: the
// Markov parameters G_j = C Fʲ B, p×(d−1) each. They are the values of the words with one
// symbol other than the constant input.
type Responses []*mat.Dense

const (
	maxLags    = 64  // steps that responses are estimated for
	maxColumns = 240 // of the regression that does it: lags times inputs
)

// NewResponses estimates them by ridge regression of the outputs on the inputs of the last
// steps, with the weight of least generalised cross-validation.
func NewResponses(data *Data) Responses {
	u, longest, outputs := data.D-1, 0, 0
	for _, r := range data.Runs {
		longest = max(longest, r.Steps(data.D))
		outputs += len(r.At)
	}
	if u == 0 || longest == 0 {
		return nil
	}
	lags := max(1, min(longest, maxLags, maxColumns/u, outputs/(3*u)))
	k := 1 + lags*u
	sums := newGram(k + data.P)
	x := make([]float64, k+data.P)
	x[0] = 1
	for _, r := range data.Runs {
		for i, t := range r.At {
			for j := range lags {
				dst := x[1+j*u : 1+(j+1)*u]
				if s := t - 1 - j; s >= 0 {
					copy(dst, r.X[s*data.D+1:(s+1)*data.D])
				} else {
					clear(dst) // before the run: the mean
				}
			}
			copy(x[k:], r.Y[i*data.P:(i+1)*data.P])
			if sums.add(x); data.stoppedAt(i) {
				return nil
			}
		}
	}
	XX, XY, YY := sums.split(k)
	G, _, _ := ridgeGCV(XX, XY, YY, float64(outputs))
	if G == nil {
		return nil
	}
	var out Responses
	for j := range lags {
		g := mat.NewDense(data.P, u, nil)
		for i := range u {
			for o := range data.P {
				g.Set(o, i, G.At(1+j*u+i, o))
			}
		}
		out = append(out, g)
	}
	return out
}

// ridgeGCV returns (XᵀX + λI)⁻¹XᵀY for the λ of least N SSE/(N − trace)², with that trace and
// sum of squares.
func ridgeGCV(XX *mat.SymDense, XY *mat.Dense, YY, N float64) (best *mat.Dense, dof, sum float64) {
	var eig mat.EigenSym
	if !eig.Factorize(XX, true) {
		return nil, 0, 0
	}
	v := eig.Values(nil)
	var V, Z mat.Dense
	eig.VectorsTo(&V)
	Z.Mul(V.T(), XY)
	k, p := Z.Dims()
	least := math.Inf(1)
	for e := -8.0; e <= 2; e++ {
		lambda := math.Pow(10, e) * N
		B, trace, sse := mat.NewDense(k, p, nil), 0.0, YY
		for i := range k {
			s := max(v[i], 0)
			trace += s / (s + lambda)
			for o := range p {
				z := Z.At(i, o)
				b := z / (s + lambda)
				B.Set(i, o, b)
				sse += s*b*b - 2*b*z
			}
		}
		if free := N - trace; free > 0 {
			if score := max(sse, 0) / (free * free); score < least {
				least, best, dof, sum = score, B, trace, max(sse, 0)
			}
		}
	}
	if best != nil {
		best.Mul(&V, mat.DenseCopyOf(best))
	}
	return best, dof, sum
}

// Spectral returns the linear system with m states that the responses tell, or nil: with
// the Hankel matrix of the G_{i+j} = P S by truncated SVD, F = P† H⁺ S†, H⁺ being that of
// the G_{i+j+1}. This is Theorem 3 of the paper for the words with one symbol other than
// the constant, and Ho and Kalman's realisation.
func (g Responses) Spectral(m, d, p int) *System {
	r := g.realise()
	if r == nil {
		return nil
	}
	sys := r.system(m, d, p)
	if sys != nil {
		sys.calm()
	}
	return sys
}

// realisation is the SVD of the Hankel matrix of responses, which tells systems of any number of states.
type realisation struct {
	U, V *mat.Dense
	s    []float64
	UHV  mat.Dense // Uᵀ H⁺ V
}

// realise returns it, nil if there are too few lags.
func (g Responses) realise() *realisation {
	if len(g) < 2 {
		return nil
	}
	U, s, V, err := linalg.SVD(g.hankel(0))
	if err != nil {
		return nil
	}
	r := &realisation{U: U, V: V, s: s}
	var HV mat.Dense
	HV.Mul(g.hankel(1), V)
	r.UHV.Mul(U.T(), &HV)
	return r
}

// system returns that of m states, nil if there are not so many.
func (r *realisation) system(m, d, p int) *System {
	if m > len(r.s) || !(r.s[m-1] > 1e-9*r.s[0]) {
		return nil
	}
	sys := NewSystem(m, d, p)
	for a := range m {
		root := math.Sqrt(r.s[a])
		for b := range m {
			// State a is √s of direction a, so that P = U√S and S = √SVᵀ.
			*sys.at(0, 1+b, 1+a) = r.UHV.At(a, b) / (root * math.Sqrt(r.s[b]))
		}
		for i := range d - 1 {
			*sys.at(1+i, 0, 1+a) = root * r.V.At(i, a)
		}
		for o := range p {
			*sys.out(o, 1+a) = r.U.At(o, a) * root
		}
	}
	return sys
}

// sides returns how many lags a side of the Hankel matrix has: half of them where there are many;
// all, the later ones zero, where the runs were short, so that F is stable, and nothing beyond
// them is claimed.
func (g Responses) sides() (rows, cols int) {
	if len(g) <= fewLags {
		return len(g), len(g)
	}
	return len(g) / 2, len(g) - len(g)/2
}

// fewLags is up to how many lags count as few.
const fewLags = 12

// hankel returns the matrix of the G_{i+j+shift}.
func (g Responses) hankel(shift int) *mat.Dense {
	p, u := g[0].Dims()
	rows, cols := g.sides()
	H := mat.NewDense(rows*p, cols*u, nil)
	for i := range rows {
		for j := range cols {
			if l := i + j + shift; l < len(g) {
				H.Slice(i*p, (i+1)*p, j*u, (j+1)*u).(*mat.Dense).Copy(g[l])
			}
		}
	}
	return H
}

// Values returns the singular values of the Hankel matrix, nil if there are too few lags.
func (g Responses) Values() []float64 {
	if len(g) < 2 {
		return nil
	}
	_, s, _, err := linalg.SVD(g.hankel(0))
	if err != nil {
		return nil
	}
	return s
}

// calm scales F so that it has no eigenvalue beyond 0.98.
func (s *System) calm() {
	s.keepTo(0.98)
}

// Random returns a linear system with m states that decay slowly, or not so slowly.
func Random(m, d, p int, rnd *rand.Rand) *System {
	s := NewSystem(m, d, p)
	for a := 1; a <= m; a++ {
		s.randomState(a, 0.3, rnd)
		for b := 1; b <= m; b++ {
			*s.at(0, a, b) += 0.03 * rnd.NormFloat64()
		}
		for o := range p {
			*s.out(o, a) = rnd.NormFloat64()
		}
	}
	return s
}

// Summing returns one with m states of which the last k sum up, each what is before it, the first of them
// the inputs.
func Summing(m, k, d, p int, rnd *rand.Rand) *System {
	s := Random(m, d, p, rnd)
	for a := m - k + 1; a <= m; a++ {
		for b := 1; b <= m; b++ {
			*s.at(0, a, b), *s.at(0, b, a) = 0, 0
		}
		*s.at(0, a, a) = 1
		for i := 1; i < d; i++ {
			if a > m-k+1 {
				*s.at(i, 0, a) = 0
			}
		}
		if a > m-k+1 {
			*s.at(0, a-1, a) = 0.1
		}
	}
	return s
}

// randomState makes state a one that the inputs move and that decays by up to pace.
func (s *System) randomState(a int, pace float64, rnd *rand.Rand) {
	keep := 1 - pace*rnd.Float64()
	*s.at(0, a, a) = keep
	for i := 1; i < s.D; i++ {
		*s.at(i, 0, a) = math.Sqrt((1-keep*keep+0.01)/float64(s.D)) * rnd.NormFloat64()
	}
}

// Grow returns the system with one state more, which moves the outputs a little and, where
// there are interactions, takes part in them a little.
func (s *System) Grow(rnd *rand.Rand) *System {
	g := NewSystem(s.States()+1, s.D, s.P)
	g.Products, g.Lambda, g.Noise, g.Tau = s.Products, s.Lambda, s.Noise, s.Tau
	copy(g.Theta, s.Theta[:s.N])
	for i := range s.D {
		for a := range s.N {
			for b := range s.N {
				*g.at(i, a, b) = *s.at(i, a, b)
			}
		}
	}
	a := s.N
	g.randomState(a, 0.6, rnd)
	for o := range s.P {
		for b := range s.N {
			*g.out(o, b) = *s.out(o, b)
		}
		*g.out(o, a) = 0.03 * rnd.NormFloat64()
	}
	for b := 1; b < s.N; b++ {
		*g.at(0, a, b) = 0.03 * rnd.NormFloat64()
		*g.at(0, b, a) = 0.1 * rnd.NormFloat64()
		for i := 1; i < s.D && s.Products; i++ {
			*g.at(i, b, a) = 0.1 * rnd.NormFloat64()
			*g.at(i, a, b) = 0.01 * rnd.NormFloat64()
		}
	}
	return g
}

// WithProducts returns the system with its interactions free, at zero where they were.
func (s *System) WithProducts() *System {
	g := s.clone()
	if !g.Products {
		g.Products = true
		g.Lambda = s.Tau * s.Noise
	}
	return g
}
