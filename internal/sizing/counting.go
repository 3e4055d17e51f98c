package sizing

import "math"

// CounterOverflow bounds the probability that any of m counters reaches j when
// n distinct keys are added once with k functions: m*(e*n*k/(j*m))^j (Fan et
// al. 2000, the section on counting Bloom filters). Being a union bound it may
// exceed 1. It does not hold for keys added repeatedly.
func CounterOverflow(m uint64, k int, n uint64, j int) float64 {
	perCounter := float64(n) * float64(k) / float64(m)
	return float64(m) * overflow(perCounter, j)
}

// CounterOverflowOptimal is [CounterOverflow] per counter at the optimal k,
// where a counter receives ln 2 on average: (e*ln 2/j)^j. Fan et al. print it
// for j = 16, where a 4-bit counter would wrap; a counter that stays at 15 is
// stuck from j = 15.
func CounterOverflowOptimal(j int) float64 {
	return overflow(math.Ln2, j)
}

func overflow(perCounter float64, j int) float64 {
	return math.Pow(math.E*perCounter/float64(j), float64(j))
}

// PoissonTail is P(Y >= j) for Y ~ Poisson(lambda): what a single counter of a
// large filter does, where [CounterOverflow] is a bound. O(j+lambda) time.
func PoissonTail(lambda float64, j int) float64 {
	if j <= 0 {
		return 1
	}
	if float64(j) <= lambda {
		return 1 - poissonSum(lambda, j-1, -1)
	}
	return poissonSum(lambda, j, 1)
}

// poissonSum adds the probabilities from j on in the direction in which they
// fall, until they no longer count.
func poissonSum(lambda float64, j, direction int) float64 {
	lgamma, _ := math.Lgamma(float64(j) + 1)
	term := math.Exp(float64(j)*math.Log(lambda) - lambda - lgamma)
	var sum float64
	for ; j >= 0 && term > negligible*sum; j += direction {
		sum += term
		if direction > 0 {
			term *= lambda / float64(j+1)
		} else {
			term *= float64(j) / lambda
		}
	}
	return sum
}
