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
	MaxMemory = min(1<<34, sizing.Addresses/2) // an index in the log has 32 bits
	MaxK      = 1 << 28

	structBytes = 256 // upper bound on the size of the tracker and the structure around it
	tailPercent = 52  // the tail's largest initial part of a budget
	headShare   = 8   // the heads use 1/8 of what a budget leaves for keys
	minHeads    = 16

	minTail = 1 << 9  // words, without a budget
	maxTail = 1 << 20 // words, before counters are widened
	minLog  = 1 << 9  // words
	maxLog  = min(1<<32-2, math.MaxInt/16)
)

// usual is the typical number of heavy hitters, times Phi: 0.07 to 0.17 in
// words, requests and Zipf distributions. There can be as many as 1/Phi.
const usual = 0.15

// grows reports whether memory grows as needed.
func (g Goal) grows() bool { return g.Memory == 0 }

// wanted returns the number of records that the log should hold if memory
// allows.
func (g Goal) wanted() int {
	switch {
	case g.K > 0 && g.grows():
		return int(min(max(256, 8*int64(g.K)), maxLog))
	case g.K > 0:
		return 2 * g.K
	case g.grows():
		return int(min(max(256, 4/g.Phi), maxLog))
	default:
		return int(min(usual/g.Phi, maxLog))
	}
}

// tailWords returns the initial number of words in the tail. With a budget, the
// tail gets about half of it: a power of two, or 1.5 times a power of two, so
// that it can be halved. With much less or much more, countmin's accuracy tests
// fail.
func (g Goal) tailWords() uint64 {
	switch {
	case !g.grows():
		most := g.Memory / 8 * tailPercent / 100
		words := uint64(1) << (bits.Len64(most) - 1)
		if words*3/2 <= most {
			words = words * 3 / 2
		}
		return words
	case g.K > 0:
		return powerOfTwo(min(2*uint64(g.K), maxTail), minTail)
	default:
		return powerOfTwo(uint64(min(math.Ceil(1/g.Phi), maxTail)), minTail)
	}
}

// roomFor returns the room for a log of the given number of words, without a
// budget. It does not depend on earlier sizes of the log, so that a decoded
// tracker behaves like the original.
func roomFor(words uint64) uint64 { return powerOfTwo(words, minLog) }

// powerOfTwo rounds n up to a power of two, or to least, a power of two, if n
// is lower.
func powerOfTwo(n, least uint64) uint64 { return max(least, 1<<bits.Len64(n-min(n, 1))) }

// headBytes returns the part of the budget that is used for the index's heads.
func (g Goal) headBytes() uint64 {
	return max(4*minHeads, (g.Memory-structBytes-8*g.tailWords())/headShare)
}

// wholeLines rounds n down to whole cache lines. A tracker's budget limits the
// bytes that are requested, but Go's allocator may round each array up by as
// much as an eighth.
func wholeLines(n uint64) uint64 { return n &^ 63 }

// maxHeads returns the number of heads in a budget.
func (g Goal) maxHeads() int { return int(max(minHeads, wholeLines(g.headBytes())/4)) }

// logWords returns the number of words that a budget leaves for the log if the
// tail has the given number of words.
func (g Goal) logWords(tailWords uint64) uint64 {
	return wholeLines(g.Memory-structBytes-g.headBytes()-8*tailWords) / 8
}

// canHalve reports whether a tail with the given number of words may be halved.
// It must use more than 1/8 of the budget.
func (g Goal) canHalve(tailWords uint64) bool {
	return !g.grows() && 8*tailWords > g.Memory/8 && tailWords%4 == 0
}

// fits reports whether a tracker's tail with this shift, from tailShift to
// tailMaxShift, can have this number of words.
func (g Goal) fits(words, shift uint64) bool {
	start := g.tailWords()
	if g.grows() {
		return words == start<<(shift-tailShift)
	}
	for start > words && g.canHalve(start) {
		start /= 2
	}
	return words == start
}

// near reports whether a count is close to the counts that must be reported.
// With a budget, near returns false at the beginning of the stream, since a
// current heavy hitter may not be one a few keys later.
func (g Goal) near(count, total uint64) bool {
	const close, few = 0.9, 16
	least := g.Phi * float64(total)
	return g.K == 0 && float64(count) >= close*least && (g.grows() || least >= few)
}
