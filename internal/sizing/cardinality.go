package sizing

import "math"

// ClassicLen is the number of keys that x set bits of m stand for,
//
//	ln(1-x/m) / (k ln(1-1/m))
//
// the maximum-likelihood estimate of Papapetrou, Siberski and Nejdl (2010). All
// estimates here are 0 for x = 0 and +Inf for x = m, when any number of keys
// is possible.
func ClassicLen(m uint64, k int, x uint64) float64 {
	return keys(m, x, float64(k)*math.Log1p(-1/float64(m)))
}

// PartitionedLen is ln(1-x/m) / ln(1-k/m), for k slices of m/k bits: it inverts
// the expected fill 1-(1-k/m)^n.
func PartitionedLen(m uint64, k int, x uint64) float64 {
	return keys(m, x, math.Log1p(-min(1, float64(k)/float64(m))))
}

// BlockedLen inverts the expected fill of B = m/512 blocks. A key chooses the
// block of a given bit with probability 1/B and then spares the bit with
// probability q = (1-1/512)^k, so the expected fill is
//
//	x/m = 1 - (1-(1-q)/B)^n
func BlockedLen(m uint64, k int, x uint64) float64 {
	hit := fill(1.0/LineBits, float64(k))
	return keys(m, x, math.Log1p(-hit*LineBits/float64(max(m, LineBits))))
}

// SwamidassBaldiLen is -(m/k) ln(1-x/m), the estimate of Swamidass and Baldi
// (2007): [ClassicLen] with e^{-1/m} for 1-1/m, and so never below it.
func SwamidassBaldiLen(m uint64, k int, x uint64) float64 {
	return keys(m, x, -float64(k)/float64(m))
}

// keys is ln(1-x/m) divided by the logarithm of the share of zero bits that
// one key leaves.
func keys(m, x uint64, perKey float64) float64 {
	switch {
	case x == 0:
		return 0
	case x >= m:
		return math.Inf(1)
	}
	return logZeros(m, x) / perKey
}

// logZeros is ln(1-x/m), accurate for a nearly empty as for a nearly full
// filter.
func logZeros(m, x uint64) float64 {
	if x < m/2 {
		return math.Log1p(-float64(x) / float64(m))
	}
	return math.Log(float64(m-x) / float64(m))
}
