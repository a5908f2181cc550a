package baseline

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Network is a layer of u cells with a linear output layer. From h₀ = c₀ = 0 it is, with
// 4u columns of W, one of LSTM cells
//
//	(i f o g) = (σ σ σ tanh)((x_t 1 h_{t−1}) W)
//	c_t = f∘c_{t−1} + i∘g   h_t = o∘tanh(c_t)   y_t = (1 h_t) Out
//
// and with u columns one of plain cells
//
//	h_t = tanh((x_t 1 h_{t−1}) W)               y_t = (1 h_t) Out
//
// with rows throughout. It has exported fields alone, so encoding/gob keeps it. Many
// goroutines may predict at once.
type Network struct {
	W   *mat.Dense // (d+1+u)×4u or ×u: rows for the inputs, the bias, the state; columns for i, f, o, g
	Out *mat.Dense // (1+u)×p: rows for the bias, the state
}

var _ predictor = (*Network)(nil)

// The kinds of cell, by the columns of W a unit.
const (
	plainCell = 1
	lstmCell  = 4
)

// newNetwork returns a network of zeros and the slice that its weights live in.
func newNetwork(kind, u, d, p int) (*Network, []float64) {
	nw := (d + 1 + u) * kind * u
	theta := make([]float64, nw+(1+u)*p)
	return &Network{mat.NewDense(d+1+u, kind*u, theta[:nw]), mat.NewDense(1+u, p, theta[nw:])}, theta
}

// width returns the columns of W.
func (nw *Network) width() int {
	_, c := nw.W.Dims()
	return c
}

// Dims returns the numbers of units u, inputs d and outputs p. It panics if there is
// no network in nw or its parts disagree.
func (nw *Network) Dims() (u, d, p int) {
	u, d, p, err := nw.dims()
	if err != nil {
		panic(err.Error())
	}
	return u, d, p
}

func (nw *Network) dims() (u, d, p int, err error) {
	if nw == nil || nw.W == nil || nw.Out == nil {
		return 0, 0, 0, errors.New("baseline: the network is not fitted; fit it or decode it first")
	}
	r, c := nw.W.Dims()
	u, p = nw.Out.Dims()
	u--
	if c != plainCell*u && c != lstmCell*u || r < u+2 {
		return 0, 0, 0, errors.New("baseline: the parts of the network disagree in their number of units")
	}
	return u, r - 1 - u, p, nil
}

// Takes implements twornn.Taker.
func (nw *Network) Takes(d, p int) error {
	_, nd, np, err := nw.dims()
	if err != nil {
		return err
	}
	return fits("network", nd, np, d, p)
}

// Predict returns the output after the last row of the k×d matrix x in dst, which is
// allocated if nil. With k = 0, or x nil, it is the bias of the outputs. It costs
// O(k u (d+u)) and panics if x has not d columns or dst not p entries.
func (nw *Network) Predict(dst []float64, x mat.Matrix) []float64 {
	_, _, p := nw.Dims()
	dst = sized(dst, p)
	nw.output(dst, nw.run(x, nil))
	return dst
}

// OutputsTo stores the outputs after every step: row t of dst is the output after
// step t. An empty dst is resized to k×p. It costs and panics as Predict does.
func (nw *Network) OutputsTo(dst *mat.Dense, x mat.Matrix) {
	_, _, p := nw.Dims()
	k, _ := x.Dims()
	if dst.IsEmpty() {
		if k == 0 {
			return
		}
		dst.ReuseAs(k, p)
	}
	if r, c := dst.Dims(); r != k || c != p {
		panic("baseline: dimension mismatch: dst")
	}
	nw.run(x, func(t int, h1 []float64) { nw.output(dst.RawRowView(t), h1) })
}

// run returns (1 h_k) and calls each, if not nil, with every (1 h_t) on the way.
func (nw *Network) run(x mat.Matrix, each func(t int, h1 []float64)) []float64 {
	u, d, _ := nw.Dims()
	width := nw.width()
	work := make([]float64, d+1+3*u+width)
	s, work := work[:d+1+u], work[d+1+u:]
	s[d] = 1
	k := 0
	if x != nil {
		var c int
		if k, c = x.Dims(); c != d && k > 0 {
			panic("baseline: dimension mismatch: x")
		}
	}
	z, c, tanh := work[:width], work[width:width+u], work[width+u:]
	for t := range k {
		for i := range d {
			s[i] = x.At(t, i)
		}
		blas64.Gemv(blas.Trans, 1, nw.W.RawMatrix(), vector(s), 0, vector(z))
		cell(s[d+1:], c, tanh, z, c)
		if each != nil {
			each(t, s[d:])
		}
	}
	return s[d:]
}

// output sets y to (1 h) Out.
func (nw *Network) output(y, h1 []float64) {
	blas64.Gemv(blas.Trans, 1, nw.Out.RawMatrix(), vector(h1), 0, vector(y))
}

func vector(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Inc: 1, Data: v} }

// cell puts one sequence through the nonlinear part of a step. It turns z, which
// holds (x 1 h) W, into the gates (i f o g), and sets c, tanh(c) and h; c may be prev.
// A plain cell has z for its gates and no c.
func cell(h, c, tanh, z, prev []float64) {
	u := len(h)
	if len(z) == plainCell*u {
		for j, v := range z {
			z[j] = math.Tanh(v)
			h[j] = z[j]
		}
		return
	}
	zi, zf, zo, zg := z[:u], z[u:2*u], z[2*u:3*u], z[3*u:4*u]
	for j := range u {
		i, f, o, g := sigmoid(zi[j]), sigmoid(zf[j]), sigmoid(zo[j]), math.Tanh(zg[j])
		zi[j], zf[j], zo[j], zg[j] = i, f, o, g
		c[j] = f*prev[j] + i*g
		tanh[j] = math.Tanh(c[j])
		h[j] = o * tanh[j]
	}
}

// cellBack is the derivative of cell. From the loss's derivatives dh and dc with
// respect to h and c it turns dc into that with respect to prev, and z, which holds
// the gates, into that with respect to (x 1 h) W.
func cellBack(z, dc, dh, tanh, prev []float64) {
	u := len(dh)
	if len(z) == plainCell*u {
		for j, h := range z {
			z[j] = dh[j] * (1 - h*h)
		}
		return
	}
	zi, zf, zo, zg := z[:u], z[u:2*u], z[2*u:3*u], z[3*u:4*u]
	for j := range u {
		i, f, o, g, th := zi[j], zf[j], zo[j], zg[j], tanh[j]
		d := dc[j] + dh[j]*o*(1-th*th)
		zi[j] = d * g * i * (1 - i)
		zf[j] = d * prev[j] * f * (1 - f)
		zo[j] = dh[j] * th * o * (1 - o)
		zg[j] = d * i * (1 - g*g)
		dc[j] = d * f
	}
}

// sigmoid is 0 and 1 in the limits, and never NaN, since 1/(1+Inf) is 0.
func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
