package tracker

import (
	"math"
	"math/bits"

	"github.com/filterfam/filterfam/internal/sizing"
)

// A Goal describes which keys a tracker should find, and how many bytes it can
// use. All sizes are computed in 64 bits, so they are the same on every
// platform, except that MaxMemory and maxLog are lower with 32-bit addresses.
type Goal struct {
	Phi    float64 // for heavy hitters, the fraction of the total, otherwise 0
	K      int     // for the top k, their number, otherwise 0
	Memory uint64  // the budget in bytes, or 0 for as much as the goal requires
}

const (
	MinMemory = 1 << 10
	MaxMemory = min(1<<34, sizing.Addresses/2)
	MaxK      = 1 << 28

	structBytes = 256 // upper bound on the size of the tracker and the structure around it
	headShare   = 40  // a log has a head for each 40 bytes, about the size of a short key's record

	minTail = 1 << 9  // words, without a budget
	maxTail = 1 << 20 // words, before counters are widened
	minLog  = 1 << 12 // bytes, without a budget

	// maxLog is the largest size of a log. When a merge combines two logs of
	// this size, every index still fits in 32 bits.
	maxLog = min(1<<31-64, math.MaxInt/2)
)

// grows reports whether memory grows as needed.
func (g Goal) grows() bool { return g.Memory == 0 }

// wanted returns the number of records that the log should hold if memory
// allows. With a budget, this is 1.75 K or, with Phi, 0.15/Phi: streams of
// words, of web requests and with Zipf distributions have 0.07/Phi to 0.17/Phi
// heavy hitters, although there can be 1/Phi. Without a budget, it is several
// times the number of keys to find.
func (g Goal) wanted() int {
	switch {
	case g.K > 0 && g.grows():
		return int(min(max(256, 8*uint64(g.K)), maxLog))
	case g.K > 0:
		return 7 * g.K / 4
	case g.grows():
		return int(min(max(256, 4/g.Phi), maxLog))
	default:
		return int(min(0.15/g.Phi, maxLog))
	}
}

// tailWords returns the initial number of words in the tail. With a budget, the
// tail gets half of it. The number of words is rounded down to four significant
// bits, so that it can be halved several times.
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

// canHalve reports whether a tail with the given number of words may give half
// of its memory to the log. This requires a budget, of which the tail must use
// more than 1/8. The number of words must be a multiple of four, so that each
// of the two rows can be halved.
func (g Goal) canHalve(words uint32) bool {
	return !g.grows() && 8*uint64(words) > g.Memory/8 && words%4 == 0
}

// logBytes returns the number of bytes that a budget leaves for the log if the
// tail has the given number of words. It leaves a share for the index, but none
// for Go's allocator, which may round each array up by as much as an eighth.
func (g Goal) logBytes(words uint32) uint64 {
	left := g.Memory - structBytes - 8*uint64(words)
	return min(left*headShare/(headShare+4)&^63, maxLog)
}

// powerOfTwo rounds n up to a power of two, or to least, a power of two, if n
// is lower.
func powerOfTwo(n, least uint64) uint64 { return max(least, 1<<bits.Len64(n-min(n, 1))) }

// mustKeep reports whether a key with the given count must not be lost, even if
// memory must grow for it. Without a budget, this is true for every heavy
// hitter, and also for a key with a slightly lower count, because it may become
// a heavy hitter a few keys later. With a budget or with K, it is never true.
func (g Goal) mustKeep(count, total uint64) bool {
	const nearly = 0.9
	return g.grows() && g.K == 0 && float64(count) >= nearly*g.Phi*float64(total)
}
