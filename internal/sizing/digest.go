package sizing

import "math"

// DigestRate is 1-e^{-n/2^64}, the chance that a new key has the 64-bit digest
// of one of n keys. Such a key is indistinguishable from a member, whatever
// the size of the filter.
func DigestRate(n uint64) float64 {
	return -math.Expm1(-float64(n) / (1 << 64))
}

// WithDigest is p1+p2-p1*p2, the rate of a filter whose positions alone give
// the rate p1 = p, when a shared digest (p2 = DigestRate(n)) is enough for a
// false positive too.
func WithDigest(p float64, n uint64) float64 {
	return p + (1-p)*DigestRate(n)
}
