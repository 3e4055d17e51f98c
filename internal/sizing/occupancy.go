package sizing

// occupancy returns the distribution of the number of occupied cells after a
// number of uniform throws into m cells: element x is the chance of exactly x.
// If x cells are occupied, the next throw hits one of them with probability
// x/m:
//
//	P(x) <- P(x) * x/m + P(x-1) * (m-x+1)/m
//
// All terms are positive, so the error is a few ulps per throw.
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
