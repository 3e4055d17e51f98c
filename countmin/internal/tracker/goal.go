package tracker

import (
	"math"
	"math/bits"

	"github.com/filterfam/filterfam/internal/sizing"
)

// A Goal describes which keys a tracker should find, and how many bytes it can
// use. All sizes are computed in 64 bits, so that they are the same on every
// platform.
type Goal struct {
	Phi    float64 // for heavy hitters, the fraction of the total, otherwise 0
	K      int     // for the top k, their number, otherwise 0
	Memory uint64  // the budget in bytes, or 0 for as much as the goal requires
}

const (
	MinMemory = 1 << 10
	MaxMemory = min(1<<31, sizing.Addresses/2) // see maxLog
	MaxK      = 1 << 28

	structBytes = 256 // upper bound on the size of the tracker and the structure around it
	headShare   = 32  // a log has a head for each 32 bytes, the size of the shortest record

	minTail = 1 << 9                       // words, without a budget
	maxTail = 1 << 20                      // words, before counters are widened
	minLog  = 1 << 12                      // bytes, without a budget
	maxLog  = min(1<<31-64, math.MaxInt/2) // while two logs are merged, a record's index has 32 bits
)

// grows reports whether memory grows as needed.
func (g Goal) grows() bool { return g.Memory == 0 }

// wanted returns the number of records that the log should hold if memory
// allows. With a budget, these are twice the typical number of keys to report:
// heavy hitters are 0.07/Phi to 0.17/Phi keys in words, requests and Zipf
// distributions, although there can be as many as 1/Phi.
func (g Goal) wanted() uint64 {
	switch {
	case g.K > 0 && g.grows():
		return max(256, 8*uint64(g.K))
	case g.K > 0:
		return 2 * uint64(g.K)
	case g.grows():
		return uint64(min(max(256, 4/g.Phi), maxLog))
	default:
		return uint64(min(0.15/g.Phi, maxLog))
	}
}

// tailWords returns the initial number of words in the tail. With a budget, the
// tail gets half of it, rounded down to four significant bits.
func (g Goal) tailWords() uint64 {
	switch {
	case !g.grows():
		words := g.Memory / 16
		return words &^ (1<<(bits.Len64(words)-4) - 1)
	case g.K > 0:
		return powerOfTwo(min(2*uint64(g.K), maxTail), minTail)
	default:
		return powerOfTwo(uint64(min(math.Ceil(1/g.Phi), maxTail)), minTail)
	}
}

// powerOfTwo rounds n up to a power of two, or to least, a power of two, if n
// is lower.
func powerOfTwo(n, least uint64) uint64 { return max(least, 1<<bits.Len64(n-min(n, 1))) }

// near reports whether a count is close to the counts that must be reported.
func (g Goal) near(count, total uint64) bool {
	const close = 0.9
	return g.K == 0 && float64(count) >= close*g.Phi*float64(total)
}
