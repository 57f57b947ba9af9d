package main

import (
	"math"
	"slices"
)

// minimumVariance returns the eigenvalues of a symmetric matrix in rising
// order, and the unit vector that belongs to the least. It turns the axes two
// at a time until nothing is left off the diagonal (Jacobi 1846), which takes
// half a dozen rounds.
func minimumVariance(m [3]vec) (values vec, normal vec) {
	axes := [3]vec{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} // the rows are the turned axes
	for range 50 {
		for _, pair := range [3][2]int{{0, 1}, {0, 2}, {1, 2}} {
			p, q := pair[0], pair[1]
			if m[p][q] == 0 {
				continue
			}
			theta := (m[q][q] - m[p][p]) / (2 * m[p][q])
			tangent := math.Copysign(1, theta) / (math.Abs(theta) + math.Sqrt(theta*theta+1))
			cosine := 1 / math.Sqrt(tangent*tangent+1)
			sine := tangent * cosine
			for k := range 3 {
				m[k][p], m[k][q] = cosine*m[k][p]-sine*m[k][q], sine*m[k][p]+cosine*m[k][q]
			}
			m[p], m[q] = m[p].times(cosine).plus(m[q].times(-sine)), m[p].times(sine).plus(m[q].times(cosine))
			axes[p], axes[q] = axes[p].times(cosine).plus(axes[q].times(-sine)), axes[p].times(sine).plus(axes[q].times(cosine))
		}
	}
	values = vec{m[0][0], m[1][1], m[2][2]}
	least := 0
	for k := range values {
		if values[k] < values[least] {
			least = k
		}
	}
	normal = axes[least]
	slices.Sort(values[:])
	return values, normal
}
