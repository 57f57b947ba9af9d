package main

// A noise is a source of random numbers (splitmix64, G. Steele et al. 2014).
// It is written out here so that the data do not depend on a library's choice
// of generator.
type noise uint64

func (n *noise) next() uint64 {
	*n += 0x9e3779b97f4a7c15
	z := uint64(*n)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// uniform returns a number in [0, 1).
func (n *noise) uniform() float64 { return float64(n.next()>>11) / (1 << 53) }

// normal returns a number of mean 0 and variance 1: twelve uniform ones less 6,
// which is near enough to normal and needs no logarithm.
func (n *noise) normal() float64 {
	total := -6.0
	for range 12 {
		total += n.uniform()
	}
	return total
}

func (n *noise) vec(sigma vec) vec {
	return vec{sigma[0] * n.normal(), sigma[1] * n.normal(), sigma[2] * n.normal()}
}
