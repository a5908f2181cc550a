package twornn_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/baseline"
	"github.com/twornn/spectral/twornn/experiment"
	"github.com/twornn/spectral/twornn/forecast"
	"github.com/twornn/spectral/twornn/tt"
	"github.com/twornn/spectral/twornn/words"
)

// bits hashes all numbers and texts that can be reached from a result, bit by bit. Times that
// it took are left out, and what cannot be compared.
func bits(results ...any) string {
	h := fnv.New64a()
	seen := map[uintptr]bool{}
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Float64, reflect.Float32:
			fmt.Fprintf(h, "f%x", math.Float64bits(v.Float()))
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			if v.Type() != reflect.TypeFor[time.Duration]() {
				fmt.Fprintf(h, "i%d", v.Int())
			}
		case reflect.Bool, reflect.String, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			fmt.Fprintf(h, "%v,", v)
		case reflect.Pointer, reflect.Interface:
			if v.IsNil() || v.Kind() == reflect.Pointer && seen[v.Pointer()] {
				return
			}
			if v.Kind() == reflect.Pointer {
				seen[v.Pointer()] = true
			}
			walk(v.Elem())
		case reflect.Slice, reflect.Array:
			fmt.Fprintf(h, "n%d", v.Len())
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Map:
			keys := v.MapKeys()
			slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			for _, k := range keys {
				fmt.Fprint(h, k)
				walk(v.MapIndex(k))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if name := v.Type().Field(i).Name; name != "Seconds" && name != "FitSeconds" && !strings.HasPrefix(v.Field(i).Type().String(), "sync.") {
					walk(v.Field(i))
				}
			}
		}
	}
	for _, r := range results {
		walk(reflect.ValueOf(r))
	}
	return fmt.Sprintf("%x", h.Sum64())
}

func source(seed uint64) rand.Source { return rand.NewPCG(seed, 1) }

// examples returns noisy sequences of a random model, with outputs at every step or the last.
func examples(every bool, lengths ...int) []twornn.Sequence {
	m := twornn.Random(2, 2, 2, 0.6, source(1))
	rnd := rand.New(source(2))
	var data []twornn.Sequence
	for range 150 {
		for _, l := range lengths {
			x := mat.NewDense(l, 2, nil)
			for t := range l {
				x.SetRow(t, []float64{1, rnd.NormFloat64()})
			}
			y := new(mat.Dense)
			m.OutputsTo(y, x)
			for t := range l {
				for c := range 2 {
					y.Set(t, c, y.At(t, c)+0.1*rnd.NormFloat64())
				}
			}
			if !every {
				y = mat.DenseCopyOf(y.Slice(l-1, l, 0, 2))
			}
			data = append(data, twornn.Sequence{X: x, Y: y})
		}

	}
	return data
}

// values returns a series of two columns with a season of six.
func values(n int) *datasets.Series {
	rnd := rand.New(source(3))
	a, b := make([]float64, n), make([]float64, n)
	for t := range n {
		a[t], b[t] = 12+math.Sin(float64(t)*math.Pi/3)+0.3*rnd.NormFloat64(), 9+0.3*rnd.NormFloat64()
		if t > 0 {
			b[t] += 0.5 * (a[t-1] - 12)
		}
	}
	return datasets.FromColumns([]string{"a", "b"}, a, b)
}

func wordsOf() *datasets.Words {
	w := datasets.NewWords([]string{"a", "b"})
	rnd := rand.New(source(4))
	for range 300 {
		var word []int
		for s := 0; rnd.Float64() < 0.8; s = 1 - s {
			if rnd.Float64() < 0.2 {
				s = 0
			}
			word = append(word, s)
		}
		w.Add(word, 1)
	}
	return w
}

// fits is every exported function that learns, by its package and name.
var fits = func() map[string]func(ctx context.Context) []any {
	every, last := examples(true, 2, 3, 4), examples(false, 2, 4, 5)
	series, sample := values(80), wordsOf()
	column, _ := series.Column("a")
	both := mat.NewDense(series.Len(), 2, nil)
	both.SetCol(0, column)
	model := twornn.Random(2, 2, 2, 0.6, source(1))
	collected := func(data []twornn.Sequence) twornn.Collection {
		c, err := twornn.CollectRows(slices.Values(data), 2, 4, 5)
		if err != nil {
			panic(err)
		}
		return c
	}
	result := func(ctx context.Context) *twornn.Result {
		r, err := twornn.Fit(ctx, slices.Values(last), twornn.Options{L: 2, Rank: 2})
		if err != nil {
			panic(err)
		}
		return r
	}
	recover := func(r twornn.Recovery) func(ctx context.Context) []any {
		return func(ctx context.Context) []any {
			h, s, err := r.Recover(ctx, collected(last)[4], 2, nil)
			return []any{h, s, err}
		}
	}
	from := func(recoverFrom func(ctx context.Context, m *twornn.Measurements, rank int, shorter *tt.Tensor, rec twornn.Recorder) (*tt.Tensor, twornn.Stats, error)) func(ctx context.Context) []any {
		return func(ctx context.Context) []any {
			h, s, err := recoverFrom(ctx, collected(last)[5], 2, model.Hankel(4), nil)
			return []any{h, s, err}
		}
	}
	learn := func(m forecast.Method) func(ctx context.Context) []any {
		return func(ctx context.Context) []any {
			f, err := m.Fit(ctx, series.Rows(0, 70), forecast.Options{Horizons: []int{1, 2}})
			if err != nil {
				return []any{err}
			}
			y, err := f.Forecast(nil, series, 75)
			return []any{y, err}
		}
	}
	hankel := map[int]*tt.Tensor{2: model.Hankel(2), 4: model.Hankel(4), 5: model.Hankel(5)}
	return map[string]func(ctx context.Context) []any{
		"twornn.Fit": func(ctx context.Context) []any {
			a, err := twornn.Fit(ctx, slices.Values(every), twornn.Options{})
			return []any{a, err, result(ctx)}
		},
		"twornn.Start": func(ctx context.Context) []any {
			s, err := twornn.Start(ctx, collected(last), twornn.Options{L: 2})
			return []any{s, err}
		},
		"twornn.Likelihood": func(ctx context.Context) []any {
			short, err := twornn.Likelihood(ctx, collected(last), model, twornn.Options{})
			if err != nil {
				return []any{err}
			}
			run, err := twornn.Fit(ctx, series.Runs([]string{"a"}, []string{"b"}), twornn.Options{OwnStarts: true, Rank: 3})
			return []any{short, run, err}
		},
		"twornn.Choose": func(ctx context.Context) []any {
			s, err := twornn.Start(ctx, collected(last), twornn.Options{L: 2})
			if err != nil {
				return []any{err}
			}
			best, ok := twornn.Choose(s, twornn.Options{})
			return []any{best, ok}
		},
		"twornn.FitCollection": func(ctx context.Context) []any {
			r, err := twornn.FitCollection(ctx, collected(last), twornn.Options{L: 2, Rank: 2})
			return []any{r, err}
		},
		"twornn.Collect": func(context.Context) []any {
			c, err := twornn.Collect(slices.Values(last), 2, 4, 5)
			if err != nil {
				return []any{err}
			}
			var out []any
			for _, l := range []int{2, 4, 5} {
				r, b, err := c[l].System()
				out = append(out, r, b, err)
			}
			return out
		},
		"twornn.CollectRows": func(context.Context) []any { x, y, ok := collected(last)[4].Rows(); return []any{x, y, ok} },
		"twornn.NewShard": func(context.Context) []any {
			s, err := twornn.NewShard(twornn.Options{L: 2}, 0)
			if err != nil {
				return []any{err}
			}
			for _, q := range last {
				if err := s.Add(q); err != nil {
					return []any{err}
				}
			}
			c, err := s.Collection()
			if err != nil {
				return []any{err}
			}
			text, err := c.MarshalBinary()
			return []any{text, err}
		},
		"twornn.Spectral": func(context.Context) []any {
			m, s, err := twornn.Spectral(hankel, 2, 2, twornn.Auto)
			return []any{m, s, err}
		},
		"twornn.FromFactors": func(context.Context) []any {
			P, S := mat.NewDense(4, 2, []float64{1, 2, 3, 4, 5, 6, 7, 9}), mat.NewDense(2, 8, []float64{1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 2, 1, 3, 1, 4, 1})
			m, err := twornn.FromFactors(P, S, hankel, 2)
			return []any{m, err}
		},
		"twornn.Model.Minimize":   func(context.Context) []any { return []any{model.Minimize(1e-10)} },
		"twornn.Model.WithStart":  func(context.Context) []any { return []any{model.WithStart(every[2].X, every[2].Y)} },
		"twornn.Result.WithStart": func(ctx context.Context) []any { return []any{result(ctx).WithStart(every[2].X, every[2].Y)} },
		"twornn.Result.Intervals": func(ctx context.Context) []any { g, err := result(ctx).Intervals(0.9); return []any{g, err} },
		"twornn.NewConformal": func(context.Context) []any {
			c, err := twornn.NewConformal(model, slices.Values(last), 0.9)
			return []any{c, err}
		},
		"twornn.LeastSquares.Recover": recover(twornn.LeastSquares{}),
		"twornn.NuclearNorm.Recover":  recover(twornn.NuclearNorm{}),
		"twornn.IHT.Recover":          recover(twornn.IHT{}),
		"twornn.TIHT.Recover":         recover(twornn.TIHT{}),
		"twornn.TTIHT.Recover":        recover(twornn.TTIHT{}),
		"twornn.ALS.Recover":          recover(twornn.ALS{}),
		"twornn.TTIHT.RecoverFrom":    from(twornn.TTIHT{}.RecoverFrom),
		"twornn.ALS.RecoverFrom":      from(twornn.ALS{}.RecoverFrom),
		"twornn.Adam.Refine": func(ctx context.Context) []any {
			m, s, err := twornn.Adam{Epochs: 20}.Refine(ctx, model, slices.Values(last), nil)
			return []any{m, s, err}
		},
		"twornn.Adam.RefineNonLinear": func(ctx context.Context) []any {
			m, s, err := twornn.Adam{Epochs: 20}.RefineNonLinear(ctx, &twornn.NonLinear{Model: model, Activation: twornn.Activation{Kind: twornn.Tanh}}, slices.Values(last), nil)
			return []any{m, s, err}
		},
		"twornn.LevenbergMarquardt.Refine": func(ctx context.Context) []any {
			m, s, err := twornn.LevenbergMarquardt{}.Refine(ctx, model, slices.Values(last), nil)
			return []any{m, s, err}
		},
		"twornn.LevenbergMarquardt.RefineCollection": func(ctx context.Context) []any {
			m, s, err := twornn.LevenbergMarquardt{}.RefineCollection(ctx, model, collected(last), nil)
			return []any{m, s, err}
		},
		"baseline.FitMean":           func(context.Context) []any { m, err := baseline.FitMean(slices.Values(last)); return []any{m, err} },
		"baseline.FitVAR":            func(context.Context) []any { m, err := baseline.FitVAR(slices.Values(every), 1); return []any{m, err} },
		"baseline.FitAutoregression": func(context.Context) []any { m, err := baseline.FitAutoregression(both, 3); return []any{m, err} },
		"baseline.FitARIMA": func(ctx context.Context) []any {
			m, err := baseline.FitARIMA(ctx, column, baseline.Order{P: 1, Q: 1})
			return []any{m, err}
		},
		"baseline.ChooseARIMA": func(ctx context.Context) []any { m, err := baseline.ChooseARIMA(ctx, column, 6); return []any{m, err} },
		"baseline.FitETS": func(ctx context.Context) []any {
			m, err := baseline.FitETS(ctx, column, baseline.Form{Trend: baseline.AdditiveTrend})
			return []any{m, err}
		},
		"baseline.ChooseETS": func(ctx context.Context) []any { m, err := baseline.ChooseETS(ctx, column, 6); return []any{m, err} },
		"baseline.FitAutomaton": func(ctx context.Context) []any {
			m, err := baseline.FitAutomaton(ctx, column, baseline.Automaton{})
			return []any{m, err}
		},
		"baseline.FitRNN": func(ctx context.Context) []any {
			m, s, err := baseline.FitRNN(ctx, slices.Values(last), baseline.RNN{Units: 3, Epochs: 5}, nil)
			return []any{m, s, err}
		},
		"baseline.FitLSTM": func(ctx context.Context) []any {
			m, s, err := baseline.FitLSTM(ctx, slices.Values(last), baseline.LSTM{Units: 3, Epochs: 5}, nil)
			return []any{m, s, err}
		},
		"forecast.Persistence.Fit": learn(forecast.Persistence{}),
		"forecast.Seasonal.Fit":    learn(forecast.Seasonal{}),
		"forecast.Mean.Fit":        learn(forecast.Mean{}),
		"forecast.AR.Fit":          learn(forecast.AR{}),
		"forecast.VAR.Fit":         learn(forecast.VAR{}),
		"forecast.ARIMA.Fit":       learn(forecast.ARIMA{Order: &baseline.Order{P: 1, D: 1, Q: 1}}),
		"forecast.ETS.Fit":         learn(forecast.ETS{}),
		"forecast.Automaton.Fit":   learn(forecast.Automaton{}),
		"forecast.Spectral.Fit":    learn(forecast.Spectral{L: 1, States: 2}),
		"forecast.Network.Fit":     learn(forecast.Network{Rows: 4, Options: baseline.LSTM{Units: 3, Epochs: 5}}),
		"forecast.Ridge.Fit":       learn(forecast.Ridge{}),
		"forecast.TwoRNN.Fit":      learn(forecast.TwoRNN{}),
		"forecast.TwoRNN.Learn": func(ctx context.Context) []any {
			f, err := forecast.TwoRNN{}.Learn(ctx, series.Rows(0, 70), forecast.Options{})
			if err != nil {
				return []any{err}
			}
			var text strings.Builder
			err = f.Write(&text)
			return []any{text.String(), err}
		},
		"forecast.Backtest": func(ctx context.Context) []any {
			table, err := forecast.Backtest(ctx, series, 60, []forecast.Method{forecast.VAR{}, forecast.Ridge{}}, forecast.Options{})
			return []any{table, err}
		},
		"words.Fit": func(ctx context.Context) []any {
			a, err := words.Fit(ctx, sample, words.Options{States: 2})
			return []any{a, err}
		},
		"words.Spectral": func(ctx context.Context) []any {
			a, err := words.Spectral(ctx, sample, words.SpectralOptions{MaxStates: 3})
			return []any{a, err}
		},
		"words.FitNGrams": func(context.Context) []any { return []any{words.FitNGrams(sample, 2)} },
		"words.Embed":     func(context.Context) []any { e, err := words.Embed(sample, 2); return []any{e, err} },
		"words.FitOutputs": func(ctx context.Context) []any {
			m, err := words.FitOutputs(ctx, datasets.RunningSum(3).Sequences(20, 5, source(5)), words.OutputsOptions{})
			return []any{m, err}
		},
		"words.Learn": func(ctx context.Context) []any {
			l, err := words.Learn(ctx, words.UnitVectors(model, 2), 2, words.Against(model, 1e-9), words.QueryOptions{})
			return []any{l, err}
		},
		"experiment.Run": func(ctx context.Context) []any {
			rows, err := experiment.Run(ctx, experiment.Grid{Tasks: []experiment.Task{experiment.Addition()}, Methods: []experiment.Method{experiment.LeastSquares()}, Noises: []float64{0.1}, Sizes: []int{40}, Seeds: experiment.Seeds(2)}, experiment.RunOptions{})
			return []any{rows, err}
		},
		"datasets.FitScaler": func(context.Context) []any { return []any{datasets.FitScaler(series)} },
	}
}()

// TestEveryFitGivesTheSameBits: each at GOMAXPROCS 1 and 2, and once more.
func TestEveryFitGivesTheSameBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for name, fit := range fits {
		t.Run(name, func(t *testing.T) {
			var first string
			for i, procs := range []int{2, 1, 2} {
				runtime.GOMAXPROCS(procs)
				got := fit(t.Context())
				if err, ok := got[len(got)-1].(error); ok {
					t.Fatal(err)
				}
				if b := bits(got...); i == 0 {
					first = b
				} else if b != first {
					t.Errorf("other bits in run %d, on %d processors", i+1, procs)
				}
			}
		})
	}
}

// TestEveryFitIsInTheTable: whoever adds a function that learns is told to add it there.
func TestEveryFitIsInTheTable(t *testing.T) {
	learns := regexp.MustCompile(`^(Fit|Start|Likelihood|Choose|Learn|Recover|Refine|Spectral|Embed|Collect|Minimize|WithStart|Intervals|NewConformal|NewShard|FromFactors|Backtest|Run)`)
	apart := map[string]string{
		"words.Automaton.Minimize": "", "twornn.Shard.Collection": "gives what it holds", "twornn.Collection.Merge": "", "experiment.Spectral": "names a method", "experiment.Refined": "names a method",
		"datasets.RunningSum": "makes data", "datasets.Tracking.Run": "makes data", "datasets.Series.Runs": "makes data", "twornn.Result.RunnerUp": "looks up",
	}
	found := map[string]bool{}
	for _, dir := range []string{".", "baseline", "forecast", "words", "experiment", "../datasets"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range file.Decls {
				f, ok := decl.(*ast.FuncDecl)
				if !ok || !learns.MatchString(f.Name.Name) {
					continue
				}
				name := file.Name.Name + "."
				if f.Recv != nil {
					of := f.Recv.List[0].Type
					if star, ok := of.(*ast.StarExpr); ok {
						of = star.X
					}
					id, ok := of.(*ast.Ident)
					if !ok || !id.IsExported() {
						continue
					}
					name += id.Name + "."
				}
				name += f.Name.Name
				found[name] = true
				if _, ok := apart[name]; !ok && fits[name] == nil {
					t.Errorf("%s is not in the table of fits", name)
				}
			}
		}
	}
	for name := range fits {
		if !found[name] {
			t.Errorf("%s is in the table, but not in the package", name)
		}
	}
}
