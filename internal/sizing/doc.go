// Package sizing computes filter sizes from false-positive rates, rates from
// sizes, and key counts from fill ratios. All functions are pure.
//
// The same letters are used everywhere: n keys, m bits (or counters), k hash
// functions, the wanted rate eps, and X, the number of set bits. A rate is the
// probability that an absent key is found, averaged over all hash functions. In
// formulas, m and k should be positive and k should not exceed [MaxHashes],
// while plans can be called with any arguments.
//
// The textbook rate (1-(1-1/m)^{kn})^k is only a lower bound (Bose et al. 2008,
// Christensen et al. 2010), so a filter that is sized using this formula misses
// its target. The plans in this package use exact expectations instead, for
// example [Rate].
package sizing

const (
	// LineBits is the block size in bits: a cache line of 64 bytes.
	LineBits = 512

	// MaxHashes is the largest number of hash functions in a plan.
	MaxHashes = 255

	// MaxBits is the largest planned size in bits, on every platform: 32 TiB.
	MaxBits = 1 << 48
	// MaxBytes is the largest structure size on the current platform: half of
	// the bytes that slices can address. When addresses have 32 bits, this is 1
	// GiB.
	MaxBytes = Addresses/2 + 1
)

// saturation is a number of throws per cell above which all rates are 1 in
// double precision, because MaxHashes*exp(-45) is below half an ulp of 1.
const saturation = 45
