// Package sizing computes the sizes of filters from false-positive rates, rates
// from sizes, and numbers of keys from fill ratios. Every function is pure and
// allocates at most a small table.
//
// The letters are the same everywhere: n keys, m bits (or counters), k hash
// functions, the wanted false-positive rate eps, and X, the number of bits that
// are set. A rate is the probability that a key that was never added is found,
// averaged over the choice of the hash functions. Formulas expect m and k to be
// at least 1 and k to be at most [MaxHashes]. Plans accept any argument.
//
// The textbook rate (1-(1-1/m)^{kn})^k is a strict lower bound (Bose et al.
// 2008, Christensen et al. 2010), so a filter sized by it misses its target.
// The plans here use [Rate], the exact expectation.
package sizing

const (
	// LineBits is the number of bits in one block of a blocked filter, a cache
	// line of 64 bytes.
	LineBits = 512

	// MaxHashes is the largest number of hash functions of a plan.
	MaxHashes = 255

	// MaxBits is the largest number of bits of a plan, on every platform: 32
	// TiB.
	MaxBits = 1 << 48
	// MaxBytes is the size of the largest structure that this platform can
	// hold: half of the bytes that slices can address. If addresses have 32
	// bits, that is 1 GiB.
	MaxBytes = Addresses/2 + 1
)

// saturation is a number of throws per cell above which every rate is 1 in
// double precision: MaxHashes*exp(-45) is below half an ulp of 1.
const saturation = 45
