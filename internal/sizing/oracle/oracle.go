// Package oracle has formulas that only tests use: exact but slow ones, and
// those of the literature that filters are compared with. It shares no code
// with package sizing, so that each can check the other.
package oracle

import (
	"math"
	"math/big"
)

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

// ExponentialRate returns (1-e^{-kn/m})^k, the usual approximation of the rate
// of a classic filter. It is never above the exact rate.
func ExponentialRate(m uint64, k int, n uint64) float64 {
	return math.Pow(-math.Expm1(-float64(k)*float64(n)/float64(m)), float64(k))
}

// SwamidassBaldiLen returns -(m/k) ln(1-x/m), the number of keys that set x of
// m bits by the estimate of Swamidass and Baldi (2007). It takes e^{-1/m} for
// 1-1/m and is therefore never below the maximum-likelihood estimate.
func SwamidassBaldiLen(m uint64, k int, x uint64) float64 {
	return -float64(m) / float64(k) * math.Log1p(-float64(x)/float64(m))
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

// PoissonTail returns P(Y >= j) for Y ~ Poisson(lambda): the exact distribution
// of one counter of a large filter, for which [CounterOverflow] is a bound.
// O(j+lambda) time.
func PoissonTail(lambda float64, j int) float64 {
	if j <= 0 {
		return 1
	}
	if float64(j) <= lambda {
		return 1 - poissonSum(lambda, j-1, -1)
	}
	return poissonSum(lambda, j, 1)
}

// poissonSum adds the probabilities from j on, in the direction in which they
// decrease, until they are negligible.
func poissonSum(lambda float64, j, direction int) float64 {
	lgamma, _ := math.Lgamma(float64(j) + 1)
	term := math.Exp(float64(j)*math.Log(lambda) - lambda - lgamma)
	var sum float64
	for ; j >= 0 && term > 1e-20*sum; j += direction {
		sum += term
		if direction > 0 {
			term *= lambda / float64(j+1)
		} else {
			term *= float64(j) / lambda
		}
	}
	return sum
}

// Stirling returns S(n, 0), ... S(n, n), the Stirling numbers of the second
// kind.
func Stirling(n int) []*big.Int {
	row := []*big.Int{big.NewInt(1)}
	for len(row) <= n {
		next := []*big.Int{new(big.Int)}
		for i := 1; i < len(row); i++ {
			s := new(big.Int).Mul(big.NewInt(int64(i)), row[i])
			next = append(next, s.Add(s, row[i-1]))
		}
		row = append(next, big.NewInt(1))
	}
	return row
}
