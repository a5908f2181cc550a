// Package tt holds tensors in tensor-train format,
//
//	T[i₁, …, i_m] = G₁[i₁] G₂[i₂] ⋯ G_m[i_m],
//
// where G_k[i] is an r_{k−1}×r_k matrix, r₀ = r_m = 1, and the ranks r_k may differ
// from bond to bond. The paper writes this ⟦G₁, …, G_m⟧ and keeps one rank R for
// all bonds. A tensor of order m with dimensions d and ranks r takes O(m d r²)
// numbers in place of d^m.
//
// Dense tensors are slices in row-major order: the last index runs fastest. The
// paper's reshape (T)⟨⟨k, m−k⟩⟩ is then a matter of shape alone, and Unfold gives it.
//
// The package knows nothing of automata.
package tt
