// Package twornn learns linear second-order recurrent networks (2-RNNs) by spectral
// learning, after Rabusseau, Li and Precup, "Connecting Weighted Automata and
// Recurrent Neural Networks through Spectral Learning", AISTATS 2019 (the paper).
//
// A linear 2-RNN (h₀, A, Ω) with n states maps inputs x_1, …, x_k in R^d to outputs
//
//	h_t = Σ_i (x_t)_i A[i]ᵀ h_{t−1}   y_t = Ω h_t   in R^p.
//
// On one-hot inputs it is a vector-valued weighted automaton (Theorem 2). It is
// learnt in four steps: Collect gathers linear measurements of the Hankel tensors
// H⁽ˡ⁾, a Recovery estimates these, Spectral reads a model off a factorisation of the
// block they form, and LevenbergMarquardt refines it by maximum likelihood. Fit does all:
//
//	train, test := series.Split(0.8)                        // a datasets.Series
//	w := datasets.Window{Length: 3, Bias: true}
//	fit, err := twornn.Fit(ctx, train.Windows(w), twornn.Options{})
//	fmt.Println(fit, twornn.Evaluate(fit, test.Windows(w)))
//
// Windows of three rows suit a first try: a fit measures words of up to 2L+1 inputs,
// and L is 1 unless the data allow and favour more.
//
// Fit is three steps that can be taken one by one: Start reads models off the measurements,
// Likelihood refines one over every output there is, Choose takes the best. A sequence may be a run
// of any length with outputs after any of its steps (Sequence.At; Series.Runs of package datasets
// makes such runs of a record), and with Options.OwnStarts each run has a start of its own.
//
// # Symbols
//
//	paper                    here
//	h₀ or α                  Model.H0, n entries
//	A_{:,i,:}                Model.A[i], n×n: row = old state, column = new state
//	Ω                        Model.Omega, p×n
//	f_M(x_1, …, x_k)         Model.Predict; k = 0 is the empty word λ
//	D_l, X, Y                Measurements of length l: X is N×d^l, Y is N×p
//	H⁽ˡ⁾                     Model.Hankel(l), a tensor train of dimensions d, …, d, p
//	⟦G₁, …, G_m⟧             tt.New
//	(T)⟨⟨k,m−k⟩⟩             tt.Tensor.Unfold(k)
//	P, S with (H⁽²ᴸ⁾) = PS   tt.Split, both pseudo-inverses with it
//	vv-WFA (α, {A^σ}, Ω)     WFA, with named symbols
//	L, R                     Options.L, Options.Rank
//
// # The paper's results
//
//	Theorem 1, rank          Model.Minimize, Model.Block, Model.Complete, Equal
//	Theorem 2, equivalence   Model.WFA, WFA.Model
//	Theorem 3                Spectral with EqualLength; FromFactors for any P and S
//	Theorem 4                LeastSquares at N ≥ d^l
//	Algorithm 1              Fit with Recovery LeastSquares, NuclearNorm, IHT or TIHT, alone
//	Algorithm 2              Fit with Recovery TTIHT; to the letter TTIHT{Batch: M, Step: γ}
//	Appendix B               Spectral with UpToLength
//	Figure 2                 Model.Hankel
//	Section 5, TIHT+SGD      Adam; the guard is Result.Fallback
//	Section 5, experiments   package experiment; the LSTM is in package baseline
//	Section 6, leaky ReLU    Adam.LowerSlope
//
// # Readings
//
// Where the paper's equations disagree among themselves, the code takes these:
//
//   - Index order of A. Equation 1 writes A •₁ x_t •₂ h_{t−1}, but A is n×d×n, so its
//     first mode meets the old state and its second the input: h_t = A •₁ h_{t−1} •₂ x_t,
//     as in the proof of Theorem 2.
//   - Change of basis. Section 2 writes PΩ for the new output matrix, but Ω is p×n:
//     (P⁻ᵀh₀, A ×₁ P ×₃ P⁻ᵀ, ΩPᵀ) computes the same function.
//   - Mode of h₀. H⁽ˡ⁾ = ⟦A •₁ h₀, A, …, A, Ωᵀ⟧: h₀ meets the first mode, Ωᵀ is the last
//     core. Where the proof of Theorem 3 ends a train with Ω, Ωᵀ is meant.
//   - Reshapes are row-major: the last index runs fastest, vec included.
//   - Noise is given by its standard deviation, in all packages.
//
// # Beyond the paper
//
// Fit works in coordinates in which the inputs have second moments E xxᵀ = I, and weighs
// each output by its noise, so that it does not depend on units, offsets beside a bias
// or correlations.
// Thresholding goes along tangents with exact, conjugate steps where the paper takes
// fixed ones, and then by Gauss-Newton. ALS recovers a tensor train core by core. Fit chooses L and the rank
// by an information criterion if they are left open, replaces a model that is worse
// than the zero function (the paper's guard), and runs every model over long
// stretches of the training inputs: one that explodes there carries a warning.
//
// The recovered tensors are a start. The estimate is that of maximum likelihood over
// (h₀, A, Ω): all lengths share their parameters, where Algorithm 1 estimates each H⁽ˡ⁾ by
// itself. On the random 2-RNN of the authors' code with noise 0.1 and N = 2,560 its
// test error is 5.5e-5, that of least squares by Algorithm 1 some 2.4e-3. It is the floor: started from the
// true parameters it ends at the same optimum. A length with more rows than its d^l
// unknowns enters by the factor R of [X Y] alone, which stands for any number of rows.
// Result.Intervals gives the standard errors and prediction intervals that go with it;
// NewConformal gives intervals from data held out, which assume no model.
//
// The block of Appendix B holds f(λ), the output before any input. Data tell it only if
// they hold empty words; elsewhere it is completed so that it adds no rank.
//
// # Cost
//
// Two things cost time: the pass over the data, and what comes after it, which does not
// depend on N. With D = d(d+1)/2:
//
//	Collect        some 0.3 µs and 2 D^l operations a sequence of length l, as XᵀX has only D^l different
//	               entries; 2 (d^l+p)² where XᵀX would lose digits (X ill-conditioned, or
//	               hardly any noise) and a factor [R B] of [X Y] is kept by QR instead
//	after it       O(d^{3l}) once a length for that factor and its change of coordinates
//	LeastSquares   O(d^{2l} p) more
//	IHT, TIHT      O(d^{2l} p) an iteration, the later ones O(d^l p k²) for the k ≈ l d R²
//	               dimensions of the tangent space
//	NuclearNorm    O(d^{2l} p) an iteration, for 5 folds and a grid of penalties
//	TTIHT          O(N l d R²) an iteration, on rows
//	Spectral       O(d^{2L} p R), or O(L d R³) for tensor trains
//	many inputs    O(d n²) a step of the data and product JᵀJ v, some hundreds of these, in place
//	               of all but Collect
//	joint fit      O(Σ_l p (d^{2l} n + d^l k²) + k³) an iteration, k = n(dn+p+1), a few for a
//	               spectral start near the optimum, some tens from elsewhere, up to 400 on
//	               data that are no 2-RNN's; up to 24 starts of the first rank tried and six
//	               of each further one, one or two where nothing better can be hidden
//	PredictBatch   d n² multiply-adds a step
//
// Memory is (d^l+p)² numbers a length and part, rows that wait, and room for the processors;
// none of it grows with N. Rows (CollectRows, or d^l > 4096) take l d + p numbers each.
//
// Where the time of Fit goes on the paper's first experiment (n = 5, d = 3, p = 2, lengths 2,
// 4, 5, rank given), by profile on one core: at N = 20,000 of each length, 0.12 to 0.24 s, 42 %
// is the pass, most of it in the products for XᵀX, 8 % the factors and coordinates, 35 % the
// joint fit, 10 % the garbage collector. At N = 640, 0.45 s, 90 % is the joint fit, which
// there starts often, and most of that the derivatives. BENCHMARKS.md has the times.
//
// With the build tag openblas, and CGO_LDFLAGS=-lopenblas, matrix products go to OpenBLAS by
// way of gonum's netlib (Debian: libopenblas-dev). Few of the products here are large enough
// to gain, and small ones may lose: measure, with OPENBLAS_NUM_THREADS=1 too. Results then agree up to rounding, not bit for bit.
//
// # From a row of data to the model
//
// What happens to a sequence (X, Y) on its way through Fit:
//
//  1. checker.next      looks at shapes and at every number
//  2. Collector.Add     turns its inputs to the frame of the first 512 sequences
//  3. Length.Add        puts each output, with the inputs before it, to the rows of its length
//  4. pipeline          folds rows, beside the reader, into sums XᵀX, XᵀY or a factor of [X Y]
//  5. newCoordinates    turns these so that E xxᵀ = I, and scales outputs to one size of noise
//  6. wordFit.recover   estimates H⁽ˡ⁾ from the factor of each length
//  7. spectral          reads models off them, by singular values, at every L and rank
//  8. lsq.NewEquations  makes residuals of the factors, or of the rows where those are few
//  9. joint.likeliest   minimises them over (h₀, A, Ω) from spectral, truncated and random starts
//  10. joint.choose      goes up and down the ranks as long as the criterion falls
//  11. joint.stable      puts what does not explode in the place of what does
//  12. wordFit.result    weighs it against the zero function, and warns
//  13. toData            brings it back to the units of the data
//
// Where the inputs hold a constant (4 to 13 are then a first try of short words, kept if it leaves
// noise alone and on parts left out does better by its products of inputs, and left out for long runs):
//
//  1. Kept.add          keeps the example as it came
//  2. newSplit          makes the constant the first input, the others of mean 0 and variance 1
//  3. split.data        gives every target once, with all that is known before it
//  4. Responses         what each input does to the outputs later, by ridge regression
//  5. Spectral          reads linear systems off their Hankel matrix, by singular values
//  6. Search.tell       along long runs, weighs those of up to sixty states, told by an autoregression too, on parts left out;
//     once more with states that sum up, where the best would decay more slowly than it may
//  7. System.Refine     minimises the squared errors along the runs, and the priors' part, in the basis in which that is least
//  8. Search.climb      adds states, then interactions, as long as parts left out say so
//  9. split.model       writes the system as a 2-RNN, in the units of the data
//
// Where there is no constant, but d³ is above 4096, and there are outputs after one, two and
// three steps:
//
//  1. Kept.add          keeps the example as it came
//  2. newWideFit        makes E xxᵀ = I of all that is kept
//  3. wide.NewStart     H⁽²⁾ by conjugate gradients, and its singular values
//  4. Start.Theta       h₀, A, Ω from these and the outputs after one and three steps (Theorem 3)
//  5. descent.run       minimises the squared errors, with products JᵀJ v in place of JᵀJ
//  6. Search.climb      more states, or fewer, as long as the criterion falls
//  7. toData            writes the model in the units of the data
//
// # Files
//
// In this order no file names what a later one declares. To begin with, what a model is:
//
//	sequence.go      Sequence, and what is wrong with one
//	model.go         Model: (h₀, A, Ω) and its outputs, of one sequence or many; WithStart: h₀ from the beginning of a run
//	wfa.go           WFA, change of basis, Minimize, Equal, complete bases; values by their logarithms
//	hankel.go        Hankel tensors and blocks, and how large they would be
//	evaluate.go      Predictor, Evaluate and its Metrics; NonLinear, a predictor of other activations
//	encode.go        Save and Load
//
// From data to Hankel tensors:
//
//	measurements.go  Measurements, what a Recovery works on
//	recovery.go      Recovery, Refiner, Recorder, Stats; calls that end with their context
//	leastsquares.go  LeastSquares, and ALS, its alternating form on tensor trains
//	lowrank.go       NuclearNorm, IHT, TIHT, TTIHT
//
// From Hankel tensors to a model, and on to the likeliest:
//
//	spectral.go      Spectral: Theorem 3 and Appendix B; FromFactors: Theorem 3 to the letter; which L the lengths of the data fit
//	policy.go        the thresholds by which Fit decides
//	options.go       Options, and what a fit has room for
//	collect.go       Collect, Collection; Shard: data that are gathered in several places
//	coordinates.go   those in which Fit works: of unit second moments, or with a constant set apart
//	growth.go        what becomes of the outputs in the long run, and in runs over the training inputs
//	refine.go        LevenbergMarquardt, Adam
//	result.go        Result, Candidate, Warning
//	intervals.go     NewConformal: intervals from data held out; Result.Intervals: those of a joint fit
//
// Fit by measurements of short words:
//
//	start.go         its first step: models read off Hankel tensors
//	likelihood.go    its second: the likeliest parameters of so many states
//	choose.go        its third: which of them
//	words.go         the three in a row, the guard, and the warnings
//
// Other ways, and all of them:
//
//	runs.go          fits along runs, where the inputs hold a constant
//	wide.go          many inputs, along the sequences as they came
//	exact.go         words without noise, exactly, symbol by symbol
//	review.go        warnings whichever way a model was fitted; few data again, without a part each
//	fit.go           Fit: which way data are fitted; Start, Likelihood, Choose: its steps one by one
//
// Below it lie tt (tensor trains) and, in internal, linalg, moments (rows to factors), lsq
// (parameters, residuals, descent), als (trains on rows), tangent (descent at a low rank), nuclear
// (descent on a nuclear norm), affine (linear systems and their interactions along runs), wide (many
// inputs), rivals (what a fit is compared with), symbols (automata from words), adam (its steps), batch
// (many predictions at once), store (files), stop (calls that end with their context) and phrase
// (counts and lists for people). Those of several files, but linalg, have such a list.
//
// # Warnings
//
// Every fit is compared, on parts of the data left out by turns, with the zero function, the mean of the outputs, a
// linear regression on the last three inputs and a constant, and where outputs are inputs one step later
// with persistence. What a Result then warns of, and how often that was right among 8,769 fits of
// random data, faults of all kinds among them (randomfits in package experiment draws them, and
// says what counts as right):
//
//	kind           says                                                          fired  right
//	WorseThanZero  no model does better than zero, which is returned             2655    77 %
//	Outdone        a rival does better on parts left out                         1898    87 %
//	TooFew         the data do not tell whether the model is better than a rival 1401    62 %
//	Outliers       a few values outweigh all others                              1285    90 %
//	Collinear      inputs depend on others, or do not move                       1192   100 %
//	Unstable       outputs explode on much longer runs                            908    91 %
//	NoConstant     outputs have a constant part, inputs no constant               555    85 %
//	Unexcited      inputs vary too little to learn more than what they show       527    87 %
//	ShortWords     the words measured carry too few states                        497    72 %
//	RankCut        fewer states than asked for                                    484    94 %
//	NotConverged   the fit was stopped or cut short                               356    72 %
//	Deficient      fewer outputs than parameters, or measurements than unknowns   217    83 %
//	RankLow        more states would fit clearly better                           131    98 %
//	Drifting       much worse on whole, longer sequences                           76    99 %
//	StartCounts    a single run's start counts for long, or runs begin apart       39    56 %
//	Damped         A is scaled down, as Options.MaxGrowth asks                       –      –
//	IllConditioned a recovery that was named magnifies errors a million times        –      –
//	Shifting       outputs change level or size at once, where no input does         –      –
//	Unexplained    a machine of words.FitOutputs is off on its own words             –      –
//
// Right is meant strictly: of Outdone that the rival wins on fresh data too, of RankCut that there are no more states
// in truth, or all that were asked for do no better there, of Drifting that on fresh data as well the error after more
// steps than were measured is a quarter above that of training, of StartCounts that a start told by the first quarter
// of a run takes a tenth off the error, of Deficient and NotConverged that the model is short of what noise allows, of
// TooFew, where half would be the share of what cannot be told, that the model is not better than a rival by a tenth.
// Where few outputs are at hand, six hundred at the most, parts are left out of whole fits, which then take some five
// times as long.
//
// # Data and errors
//
// Data come as iter.Seq[Sequence], are read once, and may be any length. Misuse, such
// as a matrix of the wrong shape, panics. What data can cause is an error, a Status or
// a Warning. Results are the same, bit for bit, whatever GOMAXPROCS.
//
// What would not fit is an error that says how large it would be, before it is allocated (see
// Options.Memory). A context ends every call in less than a second, with the best so far where there is a
// model yet. A step that cannot be broken off, such as one factorisation, is left behind then: it
// goes on until its end, at most some minutes of one core, and gives back what it holds. Until it
// has ended, the source of the data and Options.Src may be in use.
package twornn
