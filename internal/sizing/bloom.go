package sizing

import "math"

// LowerBound is log2(1/eps), the bits per key that any structure needs which
// answers with false-positive rate eps and no false negatives (Carter et al.
// 1978; Broder and Mitzenmacher 2004, section 2).
func LowerBound(eps float64) float64 {
	return -math.Log2(eps)
}

// BloomBitsPerKey is log2(e)*log2(1/eps) = 1.4427*log2(1/eps), the bits per key
// of a large Bloom filter with the best real-valued k (Broder and Mitzenmacher
// 2004, section 2). No integer k needs less.
func BloomBitsPerKey(eps float64) float64 {
	return math.Log2E * LowerBound(eps)
}

// ClassicRate is (1-(1-1/m)^{kn})^k, Bloom's formula (1970). It takes the fill
// at its mean and is therefore a lower bound, close for large m.
func ClassicRate(m uint64, k int, n uint64) float64 {
	return math.Pow(fill(1/float64(m), float64(k)*float64(n)), float64(k))
}

// ExponentialRate is (1-e^{-kn/m})^k, the usual approximation of
// [ClassicRate] and never above it.
func ExponentialRate(m uint64, k int, n uint64) float64 {
	return math.Pow(-math.Expm1(-float64(k)*float64(n)/float64(m)), float64(k))
}

// PartitionedRate is (1-(1-k/m)^n)^k, the rate of k independent slices of m/k
// bits with one function each. It is exact: the slices are independent, and
// the expected fill of one slice is its chance to answer yes.
func PartitionedRate(m uint64, k int, n uint64) float64 {
	return math.Pow(fill(min(1, float64(k)/float64(m)), float64(n)), float64(k))
}

// fill is 1-(1-p)^throws, the chance that a cell hit by one throw with
// probability p has been hit at all.
func fill(p, throws float64) float64 {
	if throws == 0 {
		return 0
	}
	return -math.Expm1(throws * math.Log1p(-p))
}
