package tangent

import "github.com/twornn/spectral/twornn/tt"

// Design is the linear map H ↦ XH of measurements, as a thresholding iteration sees
// it: held as XᵀX, or as rows of factors that are never multiplied out.
type Design interface {
	// Start returns a first estimate, the gradient at zero brought to the rank and
	// scaled to fit, or nil if the gradient there is zero.
	Start(rank int) (*tt.Tensor, error)
	// Gradient returns Xᵀ(Y − XH) projected on the tangent space at H, and ‖Y − XH‖².
	Gradient(p *tt.Point) (tt.Tangent, float64, error)
	// Quadratic returns ‖Xη‖² for a tangent η at p.
	Quadratic(p *tt.Point, eta tt.Tangent) (float64, error)
	// SquaredError returns ‖Y − XH‖².
	SquaredError(h *tt.Tensor) (float64, error)
}

// newtonian is a design small enough for least squares over a whole tangent space.
type newtonian interface {
	// newton returns the tangent η at p that minimises ‖Y − X(H+η)‖² + μ‖η‖², μ being mu
	// times the mean square that X makes of a unit tangent, and g the projected gradient;
	// false if it is too dear or cannot be worked out.
	newton(p *tt.Point, g tt.Tangent, mu float64) (tt.Tangent, bool)
}
