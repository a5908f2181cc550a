package forecast

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn/internal/store"
)

// saved is the form of a saved forecaster, a JSON object. Places are checked when it is
// read. Version 1 had neither Format nor a checksum, version 2 took rows as they followed
// each other, whatever their times, and version 3 knew of no changes that stand alone.
type saved struct {
	Format   string
	Version  int
	Columns  []string
	Targets  []int
	Known    []int
	Horizons []int
	Seasons  []int
	Steps    bool
	Gaps     datasets.Gaps
	First    time.Time // of the rows learnt from; zero if they had no times, or no step
	Start    []float64
	Mixture  *mixture
	Exams    []Exam
	Warnings []Lost
	SHA256   *string `json:"sha256,omitempty"` // put there by store.Seal
}

// savedVersion is raised when the form changes.
const savedFormat, savedVersion = "twornn forecaster", 4

// A saved forecaster of twelve columns has some 100 kB and 500 objects. Objects are bounded
// too, since an empty one takes two bytes of the file and hundreds in memory.
const mostSaved, mostObjects = 32 << 20, 1 << 18

// Save writes f to a file that [Load] reads back: all that forecasts, intervals and the
// summary need, to the last bit, with a checksum. The file is written under another name and
// renamed, so that an interrupted Save leaves what was there. A link stays one; a device or a
// pipe is refused, see [Fitted.Write].
func (f *Fitted) Save(path string) error {
	text, err := f.encode()
	if err == nil {
		err = store.Write(path, text)
	}
	if err != nil {
		return fmt.Errorf("forecast: cannot save the forecaster: %w", err)
	}
	return nil
}

// Write writes what Save saves.
func (f *Fitted) Write(w io.Writer) error {
	text, err := f.encode()
	if err == nil {
		_, err = w.Write(text)
	}
	if err != nil {
		return fmt.Errorf("forecast: cannot write the forecaster: %w", err)
	}
	return nil
}

func (f *Fitted) encode() ([]byte, error) {
	if f == nil || f.forecaster == nil {
		return nil, errors.New("it is not fitted; Learn or Load it first")
	}
	k := f.task
	s := saved{savedFormat, savedVersion, k.columns, k.targets, k.known, k.horizons, k.seasons, k.steps, f.Gaps, k.first, f.start, f.mixture, f.Exams, f.Warnings, nil}
	if err := s.check(k); err != nil {
		return nil, err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	if len(text) > mostSaved || bytes.Count(text, []byte("{")) > mostObjects {
		return nil, fmt.Errorf("it has %d bytes and %d parts, more than are read; forecast fewer columns or horizons", len(text), bytes.Count(text, []byte("{")))
	}
	return append(store.Seal(text), '\n'), nil
}

// Load reads a forecaster that Save wrote, now or in an earlier version. It errs on a file that is of
// a later version, was changed since, is larger than 32 MiB, or is no such forecaster.
func Load(path string) (*Fitted, error) {
	text, err := store.Read(path, mostSaved)
	if err != nil {
		return nil, fmt.Errorf("forecast: cannot load a forecaster: %w", err)
	}
	f, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("forecast: %s is no saved forecaster: %w", path, err)
	}
	return f, nil
}

// Read reads what Write wrote, to the end of r.
func Read(r io.Reader) (*Fitted, error) {
	if r == nil {
		return nil, errors.New("forecast: there is no reader: it is nil; open the file first, and look at the error that came with it")
	}
	text, err := store.ReadAll(r, mostSaved)
	if err != nil {
		return nil, fmt.Errorf("forecast: what is to be a saved forecaster %w", err)
	}
	f, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("forecast: this is no saved forecaster: %w", err)
	}
	return f, nil
}

func decode(text []byte) (*Fitted, error) {
	var head struct {
		Format  string
		Version int
		SHA256  *string `json:"sha256"`
	}
	if err := store.Unmarshal(text, &head); err != nil {
		return nil, err
	}
	switch {
	case head.Format != "" && head.Format != savedFormat:
		return nil, fmt.Errorf("it holds a %.40q", head.Format)
	case head.Version > savedVersion:
		return nil, fmt.Errorf("it is of version %d, and this program reads up to %d; load it with a newer one", head.Version, savedVersion)
	case head.Version < 1:
		return nil, errors.New("it names no version; write it with Save")
	case bytes.Count(text, []byte("{")) > mostObjects:
		return nil, fmt.Errorf("it has more than %d parts", mostObjects)
	}
	sealed, err := store.Open(text)
	if err != nil {
		return nil, err
	}
	if !sealed && (head.Version > 1 || head.Format != "" || head.SHA256 != nil) {
		return nil, store.ErrDamaged
	}
	return decodeWhole(text)
}

// decodeWhole reads the object, whose names must all be known, and checks its places.
func decodeWhole(text []byte) (*Fitted, error) {
	var s saved
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(&s); err != nil {
		return nil, store.Brief(err)
	}
	k := &task{columns: s.Columns, targets: s.Targets, known: s.Known, horizons: s.Horizons, seasons: s.Seasons, steps: s.Steps, first: s.First, step: stepOf(s.Gaps)}
	if err := s.check(k); err != nil {
		return nil, err
	}
	m := s.Mixture
	m.k = k
	for _, d := range m.Designs {
		d.warps = m.Warps[d.Set]
	}
	return &Fitted{forecaster: &forecaster{engine: m, task: k, start: s.Start}, mixture: m, Gaps: s.Gaps, Exams: s.Exams, Warnings: s.Warnings, Exact: m.exact(), Outliers: m.outliers()}, nil
}

// What a saved file may ask for, beside rows looked back over: rows ahead, which each forecast goes
// through one by one, and training rows.
const mostLearnt = 1 << 40

// check makes sure that no place is out of range.
func (s *saved) check(k *task) error {
	columns, targets, horizons := len(s.Columns), len(s.Targets), len(s.Horizons)
	c := &checker{columns: columns, horizons: horizons}
	m := s.Mixture
	c.want(m != nil && columns > 0 && targets > 0 && horizons > 0, "it is not whole")
	if c.err != nil {
		return c.err
	}
	c.places(s.Targets, columns)
	c.places(s.Known, columns)
	c.want(len(s.Start) == columns && len(m.Low) == targets && len(m.High) == targets, "its targets and bounds disagree")
	c.want(len(s.Exams) == targets*horizons && m.Rows > 0 && m.Rows < mostLearnt, "its examinations are not whole")
	c.want(s.Gaps.Rows >= 0 && s.Gaps.Rows < mostLearnt, "its gaps are out of range") // there may be more than rows
	c.different(s.Columns)
	for _, h := range s.Horizons {
		c.want(h > 0 && h < mostHorizon, "a horizon is out of range")
	}
	for _, p := range s.Seasons {
		c.want(p > 0 && p < mostAhead, "a season is out of range")
	}
	c.want(len(m.Warps) > 0, "it has no transformations")
	for _, w := range m.Warps {
		c.want(len(w) == columns, "its transformations are not of all columns")
		for _, x := range w {
			c.want(x.Kind >= identity && x.Kind <= logarithm && (x.Kind != logarithm || x.Floor > 0), "it has an unknown transformation")
		}
	}
	for _, d := range m.Designs {
		c.design(d, len(m.Warps))
	}
	for _, p := range m.Paths {
		c.path(p, len(m.Warps))
	}
	c.want(len(m.Cells) == horizons, "its forecasts are not of all horizons")
	for _, row := range m.Cells {
		c.want(len(row) == targets, "its forecasts are not of all targets")
		for i := range min(len(row), targets) {
			c.cell(row[i], m, s.Targets[i])
		}
	}
	return c.err
}

// checker keeps the first thing that is wrong.
type checker struct {
	columns, horizons int
	err               error
}

func (c *checker) want(ok bool, what string) {
	if !ok && c.err == nil {
		c.err = fmt.Errorf("it is damaged: %s; save it again", what)
	}
}

func (c *checker) different(names []string) {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		c.want(!seen[name], "two columns have one name")
		seen[name] = true
	}
}

func (c *checker) places(at []int, n int) {
	for _, i := range at {
		c.want(i >= 0 && i < n, "a place is out of range")
	}
}

func (c *checker) design(d *design, sets int) {
	if c.want(d != nil, "a design is missing"); d == nil {
		return
	}
	c.want(d.Set >= 0 && d.Set < sets && d.H > 0 && d.H < mostAhead, "a design is out of range")
	for j, f := range d.Features {
		ok := f.Kind >= lag && f.Kind <= product && f.Column >= 0 && f.Column < c.columns && f.Shift >= 0 && f.Shift < mostAhead && f.Scale > 0
		switch f.Kind {
		case dummy, sine, cosine:
			ok = ok && f.Period > 0 && f.Period < mostAhead
		case product:
			ok = ok && f.A >= 0 && f.A < j && f.B >= 0 && f.B < j
		case aligned:
			ok = ok && f.Shift >= d.H && f.Period >= 0
		case smooth, carried:
			ok = ok && f.Rate > 0 && f.Rate <= 1
		}
		c.want(ok, "a feature is out of range")
	}
}

func (c *checker) path(p *path, sets int) {
	if c.want(p != nil, "a path is missing"); p == nil {
		return
	}
	n := len(p.Columns)
	c.want(p.Warps >= 0 && p.Warps < sets && n > 0, "a path is out of range")
	c.places(p.Columns, c.columns)
	switch {
	case p.Auto != nil:
		k := 0
		if p.Auto.C != nil {
			k, _ = p.Auto.C.Dims()
		}
		c.want(k == n, "an autoregression does not suit its columns")
	case p.ARIMA != nil:
		m := p.ARIMA
		c.want(n == 1 && m.P == len(m.AR) && m.Q == len(m.MA) && m.SP == len(m.SAR) && m.SQ == len(m.SMA), "an ARIMA does not suit its orders")
		c.want(max(m.D, m.SD) <= 2 && min(m.D, m.SD) >= 0 && m.Season >= 0 && m.Season*(m.SP+m.SD+m.SQ) < mostAhead, "an ARIMA is out of range")
	case p.ETS != nil:
		m := p.ETS
		c.want(n == 1 && m.Period >= 0 && m.Period < mostAhead && (m.Form.Season == 0 || m.Period > 1 && len(m.Seasonal) == m.Period), "an exponential smoothing does not suit its season")
	default:
		c.want(false, "a path has no model")
	}
	for _, v := range [][][]float64{p.Variance, p.Low, p.High} {
		c.want(len(v) == n, "a path's ranges are not of all columns")
		for _, x := range v {
			c.want(len(x) == c.horizons, "a path's ranges are not of all horizons")
		}
	}
}

func (c *checker) cell(x terms, m *mixture, column int) {
	c.want(len(x.Terms) > 0, "a forecast has no terms")
	if x.Band.Scale == phaseScale {
		c.want(len(x.Band.Phase) > 0, "an interval has no season")
	}
	// Else an interval would be turned round.
	c.want(x.Band.Widen >= 0 && x.Band.Floor >= 0 && !slices.ContainsFunc(x.Band.Phase, func(s float64) bool { return s < 0 }) && slices.IsSorted(x.Band.Quantiles), "an interval is out of range")
	for _, e := range x.Terms {
		switch {
		case e.Linear != nil:
			ok := e.Design >= 0 && e.Design < len(m.Designs) && len(e.Linear.Index) == len(e.Linear.Coef) && m.Designs[e.Design] != nil
			if c.want(ok, "a regression has no design"); ok {
				c.places(e.Linear.Index, len(m.Designs[e.Design].Features))
			}
			c.anchor(e.Linear.Anchor)
		case e.Anchor != nil:
			c.anchor(*e.Anchor)
		default:
			ok := e.Path >= 0 && e.Path < len(m.Paths) && m.Paths[e.Path] != nil
			c.want(ok && m.Paths[e.Path].place(column) >= 0, "a term has no path")
		}
	}
}

func (c *checker) anchor(a anchor) {
	c.want(a.Kind >= fromMean && a.Kind <= fromBoth && (a.Kind < fromSeason || a.Season > 0), "an anchor is unknown")
}
