package lsq

// Pattern says which of the parameters (h₀, A, Ω) of a 2-RNN are free; the others keep
// the values they are set to. A counts as the n×(d·n) matrix of all A[i] side by side.
type Pattern struct {
	Free []int // ascending
	All  int   // how many parameters there are: n + n·dn + p·n
}

// Every returns the pattern in which all parameters are free.
func Every(n, d, p int) Pattern {
	q := Pattern{All: n + n*d*n + p*n}
	for i := range q.All {
		q.Free = append(q.Free, i)
	}
	return q
}

// Affine returns the pattern of a system whose first input is the constant 1 and whose
// first state is 1 after every step. In its coordinates
//
//	s_t = F s_{t−1} + B u_t + b + Σ_i (u_t)_i N_i s_{t−1}   y_t = C s_t + c
//
// and A[0] holds F and b, A[i] holds N_i and a column of B. Without products the N_i
// keep the values they have, which are zero for a linear system.
func Affine(n, d, p int, products bool) Pattern {
	q := Pattern{All: n + n*d*n + p*n}
	for b := 1; b < n; b++ {
		q.Free = append(q.Free, b)
	}
	for a := range n {
		for i := range d {
			for b := 1; b < n; b++ {
				if i == 0 || a == 0 || products {
					q.Free = append(q.Free, n+a*d*n+i*n+b)
				}
			}
		}
	}
	for j := range p * n {
		q.Free = append(q.Free, n+n*d*n+j)
	}
	return q
}

// Part is what a parameter of an affine system does.
type Part int

const (
	Start       Part = iota // of the state, s₀
	Dynamics                // F, B and b
	Interaction             // N_i
	Output                  // C and c
)

// PartOf returns what parameter i of a system with n states, one of them constant, and d
// inputs does.
func PartOf(i, n, d int) Part {
	switch {
	case i < n:
		return Start
	case i >= n+n*d*n:
		return Output
	}
	a, input := (i-n)/(d*n), (i-n)%(d*n)/n
	if a > 0 && input > 0 {
		return Interaction
	}
	return Dynamics
}

// Take returns the free ones of all parameters.
func (q Pattern) Take(all []float64) []float64 {
	theta := make([]float64, len(q.Free))
	for j, i := range q.Free {
		theta[j] = all[i]
	}
	return theta
}

// Put returns all parameters: a copy of base with the free ones at theta.
func (q Pattern) Put(base, theta []float64) []float64 {
	all := append([]float64(nil), base...)
	for j, i := range q.Free {
		all[i] = theta[j]
	}
	return all
}

// columns returns for each parameter its place among the free ones, −1 for the others.
func (q Pattern) columns() []int {
	col := make([]int, q.All)
	for i := range col {
		col[i] = -1
	}
	for j, i := range q.Free {
		col[i] = j
	}
	return col
}
