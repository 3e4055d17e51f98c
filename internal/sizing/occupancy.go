package sizing

import "math"

// ExactRate is E[(X/m)^k] with X the number of distinct bits among k*n
// uniform ones, summed over the whole distribution of X (Bose et al. 2008;
// Christensen et al. 2010). O(kn*min(m, kn)) time, O(min(m, kn)) space: the
// plain definition, for small filters and for checking [Rate], which gives the
// same number quickly.
func ExactRate(m uint64, k int, n uint64) float64 {
	var rate float64
	for x, p := range occupancy(m, uint64(k)*n) {
		rate += p * math.Pow(float64(x)/float64(m), float64(k))
	}
	return rate
}

// occupancy is the distribution of the number of occupied cells after a number
// of uniform throws into m: element x is the chance of exactly x. With x cells
// occupied the next throw meets one of them with probability x/m:
//
//	P(x) <- P(x) * x/m + P(x-1) * (m-x+1)/m
//
// All terms are positive, so the result is good to a few ulps per throw.
func occupancy(m, throws uint64) []float64 {
	cells, most := float64(m), min(m, throws)
	p := make([]float64, most+1)
	p[0] = 1
	for t := range throws {
		for x := int(min(most, t+1)); x > 0; x-- {
			occupied := float64(x)
			p[x] = (p[x]*occupied + p[x-1]*(cells-occupied+1)) / cells
		}
		p[0] = 0
	}
	return p
}
