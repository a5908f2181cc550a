package words

import "math"

// weigh chooses the shares of the parts by EM on the words held out.
func (f *fitter) weigh() {
	k := len(f.parts)
	w := make([]float64, k)
	for i := range w {
		w[i] = 1 / float64(k)
	}
	v := make([]float64, k)
	for round := range 300 {
		// What is left after ctx ended is a moment.
		if f.ctx.Err() != nil && round*k*len(f.heldCounts) > 1e7 {
			break
		}
		next := make([]float64, k)
		for j, c := range f.heldCounts {
			for i := range v {
				v[i] = math.Log(w[i]) + f.logs[i][j]
			}
			l := logSum(v)
			for i := range v {
				next[i] += c * math.Exp(v[i]-l)
			}
		}
		scale(next, sum(next))
		w = next
	}
	for i := range f.parts {
		f.parts[i].Weight = w[i]
	}
	f.parts[0].Weight = max(f.parts[0].Weight, 1/(f.whole.total+1))
}

// finish carries the parts on over the whole sample, for longer where EM had not come to
// its end, and leaves out those without weight.
func (f *fitter) finish() {
	var kept []Part
	var total float64
	for i, p := range f.parts {
		if i > 0 && p.Weight < 1e-3 {
			continue
		}
		rounds, beam := 5, fine
		if p.unfinished {
			rounds, beam = 20, coarse
		}
		for ; rounds > 0 && f.ctx.Err() == nil; rounds-- {
			p.pfa = &f.whole.expect(p.pfa, beam).pfa
			p.pfa.normalise()
		}
		if i == 0 {
			p.pfa = unigrams(f.whole)
		}
		total += p.Weight
		kept = append(kept, p)
	}
	for i := range kept {
		kept[i].Weight /= total
	}
	f.parts = kept
}
