// Package sizing holds the arithmetic behind the filters: how many bits a rate
// costs, which rate a number of bits buys, and how many keys a fill stands for.
// Every function is pure, works on plain numbers and allocates at most a small
// table.
//
// Letters mean the same everywhere: n keys, m bits (or counters), k hash
// functions, eps the false-positive rate wanted, X the bits that are set. Rates
// are probabilities in [0, 1] for a key that was never added, averaged over
// the choice of the hash functions. Formulas expect m and k of at least 1 and k
// of at most [MaxHashes]; the plans accept any argument.
//
// The textbook rate (1-(1-1/m)^{kn})^k is a strict lower bound (Bose et al.
// 2008, Christensen et al. 2010), so a filter planned by it misses its target.
// The plans here use [Rate], which is the expectation itself.
package sizing

import "math"

const (
	// LineBits is the number of bits in one block of a blocked filter: a
	// cache line of 64 bytes.
	LineBits = 512

	// MaxHashes is the largest number of hash functions a plan may ask for.
	MaxHashes = 255

	// MaxBits is the largest filter a plan may ask for, in bits: 32 TiB,
	// or half of what an int can count in bytes where that is less.
	MaxBits = min(1<<48, 4*math.MaxInt)
)

// saturation is a number of throws per cell beyond which every rate is 1 to
// double precision: MaxHashes*exp(-45) is below half an ulp of 1.
const saturation = 45
