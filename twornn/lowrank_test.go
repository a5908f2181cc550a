package twornn

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/als"
	"github.com/twornn/spectral/twornn/tt"
)

// TestRowDesignIsTheDenseOne: gradient, curvature and squared error from rows of
// factors are those of XᵀX, which writes X out.
func TestRowDesignIsTheDenseOne(t *testing.T) {
	m := Random(3, 3, 2, 0.5, pcg(1))
	for l := 1; l <= 4; l++ {
		rows := rowsOf(measureFor(t, TTIHT{}, m, 60, l, 0.3, 1), 0)
		dense, err := denseDesign(measure(t, m, 60, l, 0.3, 1), hankelDims(l, 3, 2))
		if err != nil {
			t.Fatal(err)
		}
		p, err := tt.NewPoint(Random(2, 3, 2, 0.7, pcg(2)).Hankel(l))
		if err != nil {
			t.Fatal(err)
		}
		a, sa, err := rows.Gradient(p)
		if err != nil {
			t.Fatal(err)
		}
		b, sb, err := dense.Gradient(p)
		if err != nil {
			t.Fatal(err)
		}
		diff := tt.Tangent{Delta: als.CopyCores(a.Delta)}
		diff.AddScaled(-1, b)
		if diff.Norm() > 1e-11*b.Norm() || math.Abs(sa-sb) > 1e-11*sb {
			t.Errorf("l = %d: gradients differ by %.2g, squared errors are %v and %v", l, diff.Norm()/b.Norm(), sa, sb)
		}
		qa, _ := rows.Quadratic(p, a)
		qb, _ := dense.Quadratic(p, b)
		ea, _ := rows.SquaredError(p.Tensor())
		eb, _ := dense.SquaredError(p.Tensor())
		if math.Abs(qa-qb) > 1e-11*qb || math.Abs(ea-eb) > 1e-11*eb {
			t.Errorf("l = %d: curvature %v and %v, squared error %v and %v", l, qa, qb, ea, eb)
		}
	}
}

// TestGradientTrainIsTheGradient: the train of rank M of the supplement is γ Xᵀ E.
func TestGradientTrainIsTheGradient(t *testing.T) {
	m := Random(3, 3, 2, 0.5, pcg(3))
	for l := 1; l <= 4; l++ {
		data := all(m, 7, l, 0.3, false, 3)
		X, Y := direct(t, m, data, l)
		var want mat.Dense
		want.Mul(X.T(), Y)
		want.Scale(0.5, &want)
		c, err := CollectRows(sequences(data...), l)
		if err != nil {
			t.Fatal(err)
		}
		x := rowsOf(c[l], 0)
		got, err := x.GradientTrain(0.5, x.Y).Unfold(l)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(got, &want, 1e-12) {
			t.Errorf("l = %d: the gradient in tensor-train format differs", l)
		}
	}
}

// TestAlgorithm2: with d = 10 and d = 30, N = 2,000 a length and L = 1, H⁽³⁾ has 1,000
// and 27,000 entries, and the model is recovered without any array of that size.
func TestAlgorithm2(t *testing.T) {
	for _, d := range []int{10, 30} {
		m := Random(3, d, 1, 1/math.Sqrt(3*float64(d)), pcg(uint64(d)))
		r := fit(t, drawLengths(m, 2000, 0, 1, 1, 2, 3), Options{L: 1, Rank: 3, Basis: EqualLength, Recovery: TTIHT{}})
		e := Evaluate(r, draw(m, 500, 4, 0, false, 2))
		if nmse := e.MSE / e.Outputs[0].Variance; !(nmse < 1e-12) {
			t.Errorf("d = %d: relative squared error %.2g, %v", d, nmse, r)
		}
	}
}

// TestBatches: the paper's fixed step on batches, to the letter, and steps from the
// data come to the same tensor where there is no noise.
func TestBatches(t *testing.T) {
	m := Random(3, 10, 1, 1/math.Sqrt(30), pcg(10))
	data := measureFor(t, TTIHT{}, m, 2000, 2, 0, 4)
	for _, o := range []TTIHT{{Batch: 100, Seed: 1}, {Batch: 100, Step: 3e-3, Seed: 1}} {
		h, st, err := o.Recover(context.Background(), data, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		if e := difference(t, h, m, 2); e > 1e-8 {
			t.Errorf("%+v: relative error %.2g, %v after %d iterations", o, e, st.Status, st.Iterations)
		}
		again, _, _ := o.Recover(context.Background(), data, 3, nil)
		if e := again.At(1, 2, 0) - h.At(1, 2, 0); e != 0 {
			t.Errorf("%+v: the same seed gives another tensor, %v", o, e)
		}
	}
	if _, _, err := (TTIHT{Batch: 100, Step: 1}).Recover(context.Background(), data, 3, nil); err == nil || !strings.Contains(err.Error(), "lower Step") {
		t.Errorf("a step that is too long: %v", err)
	}
	if _, _, err := (TTIHT{Batch: -1}).Recover(context.Background(), data, 3, nil); err == nil {
		t.Error("a negative batch")
	}
	if _, _, err := (TTIHT{}).Recover(context.Background(), measure(t, m, 300, 2, 0, 4), 3, nil); err == nil || !strings.Contains(err.Error(), "CollectRows") {
		t.Errorf("folded measurements: %v", err)
	}
}

// TestAlgorithm2AtLength prints how far Algorithm 2 comes where the published method
// does not converge: d = 10, N = 2,000, l = 4 and 5, without noise. Residuals are of
// test data. The paper's fixed steps on batches stand beside steps from the data.
func TestAlgorithm2AtLength(t *testing.T) {
	if os.Getenv("TWORNN_FULL") == "" {
		t.Skip("takes minutes; set TWORNN_FULL=1")
	}
	for _, l := range []int{3, 4, 5} {
		m := Random(3, 10, 1, 1/math.Sqrt(30), pcg(20))
		data := measureFor(t, TTIHT{}, m, 2000, l, 0, 21)
		test := measureFor(t, TTIHT{}, m, 1000, l, 0, 22)
		nmse := func(h *tt.Tensor) float64 {
			sse, err := test.SquaredError(h)
			if err != nil {
				t.Fatal(err)
			}
			return sse / test.Energy()
		}
		best, at := math.Inf(1), ""
		for e := 2; e <= 7; e++ {
			for _, f := range []float64{1, 3} {
				o := TTIHT{Batch: 100, Step: f * math.Pow(10, -float64(e)), MaxIterations: 1000}
				h, st, err := o.Recover(context.Background(), data, 3, nil)
				if err != nil {
					continue // diverges
				}
				if v := nmse(h); v < best {
					best, at = v, fmt.Sprintf("step %g, residuals of batches %.2g", o.Step, curve(st.Residuals))
				}
			}
		}
		t.Logf("l = %d, fixed steps on batches of 100: best relative squared error %.2g (%s)", l, best, at)
		for _, o := range []TTIHT{{Batch: 100, MaxIterations: 5000}, {MaxIterations: 1500}} {
			h, st, err := o.Recover(context.Background(), data, 3, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("l = %d, batch %d: relative squared error %.2g, %v after %d iterations, residuals %.2g", l, o.Batch, nmse(h), st.Status, st.Iterations, curve(st.Residuals))
		}
	}
}

// curve returns the residuals after 1, 3, 10, 30, … iterations and the last.
func curve(r []float64) (out []float64) {
	for k := 1; k < len(r); k *= 10 {
		out = append(out, r[k-1])
		if 3*k < len(r) {
			out = append(out, r[3*k-1])
		}
	}
	return append(out, r[len(r)-1])
}
