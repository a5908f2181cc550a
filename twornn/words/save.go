package words

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/twornn/spectral/twornn/internal/phrase"
	"github.com/twornn/spectral/twornn/internal/store"
)

// saved is the form of a saved automaton, a JSON object. The numbers of a part stand as
// pfa has them: start (n), stop (n), step (d×n²).
type saved struct {
	Format   string      `json:"format"`
	Version  int         `json:"version"`
	Alphabet []string    `json:"alphabet"`
	Parts    []savedPart `json:"parts"`
	SHA256   *string     `json:"sha256,omitempty"` // put there by store.Seal
}

type savedPart struct {
	Method  string          `json:"method"`
	Weight  float64         `json:"weight"`
	HeldOut float64         `json:"heldOut"`
	Start   json.RawMessage `json:"start"`
	Stop    json.RawMessage `json:"stop"`
	Step    json.RawMessage `json:"step"`
}

// savedVersion is raised when the form changes.
const savedFormat, savedVersion = "twornn automaton of words", 1

// Save writes a to a JSON file that [Load] reads back bit for bit, with a checksum. The file
// is written under another name and renamed, so that an interrupted Save leaves what was
// there. A link stays one; a device or a pipe is refused, and what Load would not read, beyond 256 MiB.
func (a *Automaton) Save(path string) error {
	text, err := a.encode()
	if err == nil {
		err = store.Write(path, text)
	}
	if err != nil {
		return fmt.Errorf("words: cannot save the automaton: %w", err)
	}
	return nil
}

func (a *Automaton) encode() ([]byte, error) {
	if err := a.fitted(); err != nil {
		return nil, err
	}
	s := saved{Format: savedFormat, Version: savedVersion, Alphabet: a.Alphabet}
	for i, p := range a.Parts {
		var text [3]json.RawMessage
		for k, v := range []any{p.pfa.start, p.pfa.stop, p.pfa.step} {
			var err error
			if text[k], err = json.Marshal(v); err != nil {
				return nil, fmt.Errorf("part %d: %w", i, err)
			}
		}
		s.Parts = append(s.Parts, savedPart{p.Method, p.Weight, p.HeldOut, text[0], text[1], text[2]})
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return append(store.Seal(text), '\n'), nil
}

// Load reads an automaton that Save wrote. It errs, with the file's name, if it cannot be
// read, was changed since, is of a later version or larger than 256 MiB, or is no such file.
func Load(path string) (*Automaton, error) {
	text, err := store.Read(path, store.Limit)
	if err != nil {
		return nil, fmt.Errorf("words: cannot load an automaton: %w", err)
	}
	a, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("words: %s is no saved automaton: %w", path, err)
	}
	return a, nil
}

func decode(text []byte) (*Automaton, error) {
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := store.Unmarshal(text, &head); err != nil {
		return nil, err
	}
	switch {
	case head.Format != savedFormat:
		return nil, fmt.Errorf("it names the format %.40q", head.Format)
	case head.Version > savedVersion:
		return nil, fmt.Errorf("it is of version %d, and this program reads up to %d; load it with a newer one", head.Version, savedVersion)
	}
	if sealed, err := store.Open(text); err != nil {
		return nil, err
	} else if !sealed {
		return nil, store.ErrDamaged
	}
	var s saved
	if err := store.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	return s.automaton()
}

// automaton reads the numbers, and compares shapes as they come.
func (s *saved) automaton() (*Automaton, error) {
	if len(s.Alphabet) == 0 || len(s.Parts) == 0 {
		return nil, errors.New("it has no symbol or no part")
	}
	seen := make(map[string]bool, len(s.Alphabet))
	for _, symbol := range s.Alphabet {
		if seen[symbol] {
			return nil, fmt.Errorf("the symbol %.40q occurs twice in its alphabet", symbol)
		}
		seen[symbol] = true
	}
	a, total := &Automaton{Alphabet: s.Alphabet}, 0.0
	for i, p := range s.Parts {
		q, err := p.pfa(len(s.Alphabet))
		if err == nil && !(p.Weight >= 0 && p.Weight <= 1) {
			err = fmt.Errorf("its weight is %v", p.Weight)
		}
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", i, err)
		}
		total += p.Weight
		a.Parts = append(a.Parts, Part{Method: p.Method, States: q.n, Weight: p.Weight, HeldOut: p.HeldOut, pfa: q})
	}
	if math.Abs(total-1) > 1e-9 {
		return nil, fmt.Errorf("the weights of its parts sum to %v, not 1", total)
	}
	return a, nil
}

// pfa returns the automaton of a part over d symbols.
func (p *savedPart) pfa(d int) (*pfa, error) {
	a := new(pfa)
	var err error
	if a.start, err = weights(p.Start); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	if a.stop, err = weights(p.Stop); err != nil {
		return nil, fmt.Errorf("stop: %w", err)
	}
	n := len(a.start)
	if n == 0 || len(a.stop) != n {
		return nil, fmt.Errorf("start has %d entries, stop %d", n, len(a.stop))
	}
	err = store.List(p.Step, func(i int, item []byte) error {
		m, err := weights(item)
		if err == nil && (len(m) != n*n || i >= d) {
			err = fmt.Errorf("%d entries for %s and %s", len(m), phrase.Count(n, "state"), phrase.Count(d, "symbol"))
		}
		a.step = append(a.step, m)
		if err != nil {
			return fmt.Errorf("the matrix of symbol %d: %w", i, err)
		}
		return nil
	})
	if err == nil && len(a.step) != d {
		err = fmt.Errorf("%d matrices for %s", len(a.step), phrase.Count(d, "symbol"))
	}
	a.n, a.d = n, d
	return a, err
}

// weights reads a list of numbers, none of which may be negative.
func weights(text []byte) ([]float64, error) {
	v, err := store.Append(nil, text)
	for _, x := range v {
		if err == nil && x < 0 {
			err = fmt.Errorf("%v is no probability", x)
		}
	}
	return v, err
}
