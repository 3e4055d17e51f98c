package sizing

import "math"

// Rate returns E[(X/m)^k], where X is the number of distinct bits among kn
// uniform ones: the exact rate of a classic filter, for every m and n. It takes
// microseconds: O(k^2) time for a fill ratio around one half, O(k) space.
//
// Rate does not sum over X but over the query. The query's k functions name D
// distinct bits, and the query is a false positive if the kn throws of the keys
// hit each of these. Of the throws, T ~ Binomial(kn, j/m) hit one of D = j
// bits. The probability that T throws onto j cells leave none empty depends on
// neither m nor n:
//
//	Rate = sum_j P(D=j) * E[onto_j(T)]
//
// Nothing is subtracted, so the relative error stays near double precision. The
// sum over X would be too long for large filters and need an approximation.
func Rate(m uint64, k int, n uint64) float64 {
	throws := float64(k) * float64(n)
	perCell := throws / float64(m)
	if n == 0 {
		return 0
	}
	if perCell > saturation {
		return 1
	}
	var rate float64
	onto := newSurjection(k, perCell)
	for j, p := range occupancy(m, uint64(k)) {
		if j > 0 {
			onto.advance()
			rate += p * binomialMean(throws, float64(j)/float64(m), onto.at)
		}
	}
	return min(1, rate) // a sum can round up
}

// A surjection is a table of the probabilities that t = 0, 1, 2... uniform
// throws leave none of a number of cells empty.
type surjection struct {
	cells int
	onto  []float64
}

// newSurjection returns the table for zero cells. Its length is sufficient for
// up to maxCells cells at perCell throws per cell: cells that are known to be
// hit receive perCell/(1-e^-perCell) throws on average, and the table ends
// twelve standard deviations above the mean.
func newSurjection(maxCells int, perCell float64) *surjection {
	mean := float64(maxCells) * perCell / -math.Expm1(-perCell)
	s := &surjection{onto: make([]float64, int(mean+12*math.Sqrt(mean))+40)}
	s.onto[0] = 1
	return s
}

// advance adds a cell. Either the first t-1 throws hit all j cells, or they hit
// all cells but one and the last throw hits that one:
//
//	onto_j(t) = onto_j(t-1) + ((j-1)/j)^{t-1} * onto_{j-1}(t-1)
//
// This is the recurrence of the Stirling numbers of the second kind.
func (s *surjection) advance() {
	s.cells++
	outside := float64(s.cells-1) / float64(s.cells)
	power, before := 1.0, s.onto[0]
	s.onto[0] = 0
	for t := 1; t < len(s.onto); t++ {
		next := s.onto[t-1] + power*before
		before, s.onto[t] = s.onto[t], next
		power *= outside
	}
}

// at returns the probability for t throws, or the last one of the table if t is
// beyond it.
func (s *surjection) at(t int) float64 {
	return s.onto[min(t, len(s.onto)-1)]
}
