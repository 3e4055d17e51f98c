package sizing

import "math"

// ClassicLen returns the number of keys that set x of m bits on average:
//
//	ln(1-x/m) / (k ln(1-1/m))
//
// This is the maximum-likelihood estimate of Papapetrou, Siberski and Nejdl
// (2010). All estimates in this file are 0 when x is 0, and +Inf when x is m,
// since any large number of keys sets all bits.
func ClassicLen(m uint64, k int, x uint64) float64 {
	return keysAt(m, x, float64(k)*math.Log1p(-1/float64(m)))
}

// PartitionedLen returns ln(1-x/m) / ln(1-k/m), the estimate for k slices of
// m/k bits. It inverts the expected fill ratio 1-(1-k/m)^n.
func PartitionedLen(m uint64, k int, x uint64) float64 {
	return keysAt(m, x, math.Log1p(-min(1, float64(k)/float64(m))))
}

// BlockedLen is like [ClassicLen] for B = m/512 blocks. It inverts the expected
// fill ratio. A key selects a given bit's block with probability 1/B, and then
// does not set this bit with probability q = (1-1/512)^k:
//
//	x/m = 1 - (1-(1-q)/B)^n
func BlockedLen(m uint64, k int, x uint64) float64 {
	share := hit(1.0/LineBits, float64(k))
	return keysAt(m, x, math.Log1p(-share*LineBits/float64(max(m, LineBits))))
}

// keysAt returns the number of keys that set x of m bits. perKey is the
// logarithm of the probability that a key does not set a given bit.
func keysAt(m, x uint64, perKey float64) float64 {
	switch {
	case x == 0:
		return 0
	case x >= m:
		return math.Inf(1)
	case x < m/2: // accurate for nearly empty filters
		return math.Log1p(-float64(x)/float64(m)) / perKey
	}
	return math.Log(float64(m-x)/float64(m)) / perKey // accurate for nearly full ones
}
