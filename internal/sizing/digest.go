package sizing

import "math"

// DigestRate is 1-e^{-n/2^64}, the chance that a new key has the 64-bit digest
// of one of n keys. Such a key is indistinguishable from a member, whatever
// the size of the filter.
func DigestRate(n uint64) float64 {
	return -math.Expm1(-float64(n) / (1 << 64))
}

// ClassicDigestRate is the chance that a new key has the digest of one of n
// keys, or nearly so: a digest that is a member's times multiplier^s, for a
// small s of either sign, shares k-|s| of the member's positions in a classic
// filter, and is found if the others are set as well. Each happens with the
// chance of fill^|s|, so the sum is DigestRate(n) times
//
//	1 + 2 (fill + fill^2 + ... + fill^(k-1))
//
// or three times DigestRate(n) in a half-full filter.
func ClassicDigestRate(m uint64, k int, n uint64) float64 {
	x, shifted := fill(1/float64(m), float64(k)*float64(n)), 0.0
	for range k - 1 {
		shifted = x + x*shifted
	}
	return min(1, DigestRate(n)*(1+2*shifted))
}

// union is p1+p2-p1*p2, the chance of either of two independent events.
func union(p1, p2 float64) float64 { return p1 + (1-p1)*p2 }

// WithDigest is p1+p2-p1*p2, the rate of a filter whose positions alone give
// the rate p1 = p, when a shared digest (p2 = DigestRate(n)) is enough for a
// false positive too.
func WithDigest(p float64, n uint64) float64 {
	return union(p, DigestRate(n))
}

// WithClassicDigest is [WithDigest] for a classic filter, with
// [ClassicDigestRate].
func WithClassicDigest(p float64, m uint64, k int, n uint64) float64 {
	return union(p, ClassicDigestRate(m, k, n))
}
