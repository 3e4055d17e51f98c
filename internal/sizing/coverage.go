package sizing

import "math"

// Rate is E[(X/m)^k], the same expectation as [ExactRate], for every m and n
// in microseconds: O(k^2) time for a fill around one half, O(k) space. The
// plans use it.
//
// It looks at the query first. The query's k functions name D distinct bits,
// and the answer is a false positive when the kn throws of the fill hit each
// of them. Of these throws, T ~ Binomial(kn, j/m) land among the D = j bits,
// and T throws onto j cells leave none empty with a probability that depends
// on neither m nor n:
//
//	Rate = sum_j P(D=j) * E[onto_j(T)]
//
// Nothing is subtracted, so the relative error stays near double precision
// where the sum over X would have to be replaced by an expansion.
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
	return rate
}

// A surjection tabulates, for one number of cells and t = 0, 1, 2..., the
// probability that t uniform throws leave none of the cells empty.
type surjection struct {
	cells int
	onto  []float64
}

// newSurjection starts with zero cells and has room for what up to maxCells of
// them receive at perCell throws a cell. Cells known to be hit get
// perCell/(1-e^-perCell) throws on average; twelve standard deviations more
// are as good as infinity.
func newSurjection(maxCells int, perCell float64) *surjection {
	mean := float64(maxCells) * perCell / -math.Expm1(-perCell)
	s := &surjection{onto: make([]float64, int(mean+12*math.Sqrt(mean))+40)}
	s.onto[0] = 1
	return s
}

// advance adds a cell. Either the first t-1 throws covered all j cells, or
// the last throw hit the only one that the others, all of them outside it,
// left empty:
//
//	onto_j(t) = onto_j(t-1) + ((j-1)/j)^{t-1} * onto_{j-1}(t-1)
//
// which is the recurrence of the Stirling numbers of the second kind.
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

// at is the probability for t throws; past the table, its last entry.
func (s *surjection) at(t int) float64 {
	return s.onto[min(t, len(s.onto)-1)]
}
