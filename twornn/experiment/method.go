package experiment

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/baseline"
)

// Method is a way to learn a task.
type Method struct {
	// Name tells methods apart in rows.
	Name string
	// Settings describe all that the fit depends on besides its arguments. Cached rows
	// belong to them: if they change, the rows are computed anew.
	Settings string
	// Fit learns from the data; rank 0 leaves the rank to the method. It is called from
	// several goroutines at once and must not keep state. src is the run's own.
	Fit func(ctx context.Context, data iter.Seq[twornn.Sequence], rank int, src rand.Source) (twornn.Predictor, Info, error)
	// MaxN is the largest N the method is run with; a Grid leaves out the others. Zero
	// means any.
	MaxN int
	// knowing returns the method told the target, for Floor. Nil means that none is told.
	knowing func(target *twornn.Model) Method
}

// Info says how a fit went.
type Info struct {
	Fallback bool          // the zero function is returned
	Status   twornn.Status // the worst of the parts
	Warnings []string

	// Guarded sets these; Fit need not.
	TrainMSE, ZeroMSE float64 // of what is returned and of the zero function, on the training data
	Seconds           float64 // of Fit
}

// MaximumLikelihood is twornn.Fit as it is by default: a spectral start and a joint fit.
func MaximumLikelihood() Method { return Spectral("ML", twornn.Options{}) }

// Spectral is twornn.Fit with the options given: spectral learning, Algorithm 1, if they
// name a recovery. The rank is the
// run's, and so is Src; a Recorder must allow calls from several goroutines.
func Spectral(name string, o twornn.Options) Method {
	return Method{
		Name:     name,
		Settings: fmt.Sprintf("L %d basis %v recovery %T%+v growth %g", o.L, o.Basis, o.Recovery, o.Recovery, o.MaxGrowth),
		Fit: func(ctx context.Context, data iter.Seq[twornn.Sequence], rank int, src rand.Source) (twornn.Predictor, Info, error) {
			o := o
			o.Rank, o.Src = rank, src
			res, err := twornn.Fit(ctx, data, o)
			if err != nil {
				return nil, Info{}, err
			}
			info := Info{Fallback: res.Fallback, Status: res.Refinement.Status}
			for _, st := range res.Recovery {
				info.Status = max(info.Status, st.Status)
			}
			for _, w := range res.Warnings {
				info.Warnings = append(info.Warnings, w.Text)
			}
			return res, info, nil
		},
	}
}

// LeastSquares is Spectral with twornn.LeastSquares.
func LeastSquares() Method {
	return Spectral("LeastSquares", twornn.Options{Recovery: twornn.LeastSquares{}})
}

// NuclearNorm is Spectral with twornn.NuclearNorm.
func NuclearNorm() Method {
	return Spectral("NuclearNorm", twornn.Options{Recovery: twornn.NuclearNorm{}})
}

// IHT is Spectral with twornn.IHT.
func IHT() Method { return Spectral("IHT", twornn.Options{Recovery: twornn.IHT{}}) }

// TIHT is Spectral with twornn.TIHT.
func TIHT() Method { return Spectral("TIHT", twornn.Options{Recovery: twornn.TIHT{}}) }

// TIHTAdam is TIHT refined by Adam with learning rate 0.001: the paper's TIHT+SGD.
func TIHTAdam() Method { return Refined("TIHT+Adam", TIHT(), twornn.Adam{Rate: 0.001}) }

// Refined is method m with its model refined. The zero function that the guard left
// is not: no gradient leads away from it. m must return a twornn.Model or Result.
func Refined(name string, m Method, r twornn.Refiner) Method {
	return Method{
		Name:     name,
		Settings: fmt.Sprintf("%s refined by %T%+v", m.Settings, r, r),
		MaxN:     m.MaxN,
		Fit: func(ctx context.Context, data iter.Seq[twornn.Sequence], rank int, src rand.Source) (twornn.Predictor, Info, error) {
			f, info, err := m.Fit(ctx, data, rank, src)
			if err != nil || info.Fallback {
				return f, info, err
			}
			var start *twornn.Model
			switch f := f.(type) {
			case *twornn.Model:
				start = f
			case *twornn.Result:
				start = f.Model
			default:
				return nil, info, fmt.Errorf("experiment: %s returns a %T, which is no model to refine", m.Name, f)
			}
			refined, st, err := r.Refine(ctx, start, data, nil)
			if err != nil {
				return nil, info, err
			}
			info.Status = max(info.Status, st.Status)
			return refined, info, nil
		},
	}
}

// LSTM20 is the paper's LSTM of 20 units, trained by Adam with learning rate 0.001.
func LSTM20() Method { return LSTM("LSTM20", baseline.LSTM{}) }

// LSTM is an LSTM with the options given. It takes no notice of the rank.
func LSTM(name string, o baseline.LSTM) Method {
	o.Src = nil
	return Method{
		Name:     name,
		Settings: fmt.Sprintf("%+v", o),
		Fit: func(ctx context.Context, data iter.Seq[twornn.Sequence], _ int, src rand.Source) (twornn.Predictor, Info, error) {
			o := o
			o.Src = src
			network, st, err := baseline.FitLSTM(ctx, data, o, nil)
			if err != nil {
				return nil, Info{}, err
			}
			return network, Info{Status: st.Status}, nil
		},
	}
}

// Guarded fits and applies the paper's guard: a predictor whose squared error on the
// training data is above that of the zero function, or no number, is replaced by the
// zero function, and Info.Fallback set. The error is measured by prediction, whatever
// the method says of itself.
func (m Method) Guarded(ctx context.Context, train []twornn.Sequence, rank int, src rand.Source) (twornn.Predictor, Info, error) {
	data := slices.Values(train)
	start := time.Now()
	f, info, err := m.Fit(ctx, data, rank, src)
	info.Seconds = time.Since(start).Seconds()
	if err != nil {
		return nil, info, err
	}
	d, p := train[0].Dims()
	zero := twornn.NewModel(1, d, p)
	scored := twornn.Evaluate(f, data)
	if scored.Err != nil {
		return nil, info, scored.Err
	}
	info.TrainMSE, info.ZeroMSE = scored.MSE, twornn.Evaluate(zero, data).MSE
	if !(info.TrainMSE <= info.ZeroMSE) { // a NaN falls back too
		info.Warnings = append(info.Warnings, fmt.Sprintf("training MSE %.4g is above the %.4g of the zero function, which is returned instead", info.TrainMSE, info.ZeroMSE))
		info.Fallback, info.TrainMSE = true, info.ZeroMSE
		return zero, info, nil
	}
	return f, info, nil
}
