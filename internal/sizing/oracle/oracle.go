// Package oracle has formulas that only tests use: exact but slow ones, and
// those of the literature. It shares no code with package sizing, so that each
// can check the other.
package oracle

import "math"

// ExactRate returns E[(X/m)^k], where X is the number of distinct bits among kn
// uniform ones: the expected false-positive rate of a classic filter of m bits
// with n keys (Bose et al. 2008; Christensen et al. 2010). It sums over the
// distribution of X. O(kn*min(m, kn)) time, O(min(m, kn)) space.
func ExactRate(m uint64, k int, n uint64) float64 {
	var rate float64
	for x, p := range occupied(m, uint64(k)*n) {
		rate += p * math.Pow(float64(x)/float64(m), float64(k))
	}
	return rate
}

// occupied returns the distribution of the number of distinct bits: element x
// is the chance of exactly x. If x bits are set, the next throw hits one of
// them with probability x/m, and a new one otherwise.
func occupied(m, throws uint64) []float64 {
	now, next := []float64{1}, []float64(nil)
	for range throws {
		next = append(next[:0], make([]float64, len(now)+1)...)
		for x, p := range now {
			next[x] += p * float64(x) / float64(m)
			next[x+1] += p * float64(m-uint64(x)) / float64(m)
		}
		if uint64(len(now)) > m {
			next = next[:len(now)] // no more than m bits can be set
		}
		now, next = next, now
	}
	return now
}

// ClassicRate returns (1-(1-1/m)^{kn})^k, Bloom's formula (1970). It uses the
// mean of the fill ratio and is therefore a lower bound, which is close for
// large m.
func ClassicRate(m uint64, k int, n uint64) float64 {
	return math.Pow(1-math.Pow(1-1/float64(m), float64(k)*float64(n)), float64(k))
}

// CounterOverflow returns m*(e*n*k/(j*m))^j, a bound on the probability that
// any of m counters reaches j if n distinct keys are added once with k
// functions (Fan et al. 2000, the section on counting Bloom filters). It is a
// union bound and may exceed 1. It does not hold for keys that are added
// repeatedly.
func CounterOverflow(m uint64, k int, n uint64, j int) float64 {
	perCounter := float64(n) * float64(k) / float64(m)
	return float64(m) * overflow(perCounter, j)
}

// CounterOverflowOptimal returns (e*ln 2/j)^j, which is [CounterOverflow] per
// counter at the optimal k, for which a counter receives ln 2 on average. Fan
// et al. print it for j = 16, at which a 4-bit counter would wrap; a counter
// that stays at 15 is stuck from j = 15.
func CounterOverflowOptimal(j int) float64 { return overflow(math.Ln2, j) }

func overflow(perCounter float64, j int) float64 {
	return math.Pow(math.E*perCounter/float64(j), float64(j))
}
