package sizing

import "math"

// LowerBound returns log2(1/eps), the bits per key that any structure with
// false-positive rate eps and no false negatives needs (Carter et al. 1978;
// Broder and Mitzenmacher 2004, section 2).
func LowerBound(eps float64) float64 {
	return -math.Log2(eps)
}

// BloomBitsPerKey returns log2(e)*log2(1/eps) = 1.4427*log2(1/eps), the bits
// per key of a large Bloom filter with the best real k (Broder and Mitzenmacher
// 2004, section 2). No integer k needs less.
func BloomBitsPerKey(eps float64) float64 {
	return math.Log2E * LowerBound(eps)
}

// ClassicRate returns (1-(1-1/m)^{kn})^k, Bloom's formula (1970). It uses the
// mean of the fill ratio and is therefore a lower bound, which is close for
// large m.
func ClassicRate(m uint64, k int, n uint64) float64 {
	return math.Pow(fill(1/float64(m), float64(k)*float64(n)), float64(k))
}

// PartitionedRate returns (1-(1-k/m)^n)^k, the rate of k slices of m/k bits
// with one function each. It is exact: the slices are independent, and the
// chance that a bit of a slice is set is the expected fill ratio of the slice.
func PartitionedRate(m uint64, k int, n uint64) float64 {
	return math.Pow(fill(min(1, float64(k)/float64(m)), float64(n)), float64(k))
}

// fill returns 1-(1-p)^throws, the chance that a cell has been hit if each
// throw hits it with probability p.
func fill(p, throws float64) float64 {
	if throws == 0 {
		return 0
	}
	return -math.Expm1(throws * math.Log1p(-p))
}
