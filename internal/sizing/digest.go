package sizing

import "math"

// DigestRate returns 1-e^{-n/2^64}, the chance that a new key has the 64-bit
// digest of one of n keys. A filter of any size cannot distinguish such a key
// from a member.
func DigestRate(n uint64) float64 {
	return -math.Expm1(-float64(n) / (1 << 64))
}

// ClassicDigestRate returns the chance that a new key is found in a classic
// filter because its digest is that of one of n keys or close to it in the
// probe sequence. A digest that is a member's times multiplier^s, for a small
// positive or negative s, has k-|s| of the member's positions. It is found if
// the other |s| bits are set, which has the chance fill^|s|. So the sum is
// DigestRate(n) times
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

// union returns p1+p2-p1*p2, the chance of either of two independent events.
func union(p1, p2 float64) float64 { return p1 + (1-p1)*p2 }

// WithDigest returns the rate of a filter with n keys if p is the rate of
// independent positions. An equal digest, of chance [DigestRate], is the other
// cause of a false positive.
func WithDigest(p float64, n uint64) float64 {
	return union(p, DigestRate(n))
}

// WithClassicDigest is [WithDigest] for a classic filter, with
// [ClassicDigestRate] in place of DigestRate.
func WithClassicDigest(p float64, m uint64, k int, n uint64) float64 {
	return union(p, ClassicDigestRate(m, k, n))
}
