package tracker

import (
	"math"
	"math/bits"

	"github.com/filterfam/filterfam/internal/sizing"
)

// A Goal says which keys a tracker is to find, and in what memory.
type Goal struct {
	Phi    float64 // for heavy hitters the least share of the total, else 0
	K      int     // for the top k their number, else 0
	Memory int     // the budget in bytes, or 0: as much as the goal needs
}

const (
	MinMemory = 1 << 10
	MaxMemory = min(1<<34, sizing.Addresses/2) // an index in the log has 32 bits
	MaxK      = 1 << 28

	structBytes = 256 // the tracker and the structure around it, or more
	tailPercent = 52  // at most, of a budget, to begin with
	headShare   = 8   // 1/8 of what a budget leaves for keys goes to the heads
	minHeads    = 16

	minTail = 1 << 9  // words, without a budget
	maxTail = 1 << 20 // words, before counters widen
	minLog  = 1 << 9  // words
	maxLog  = min(1<<32-2, math.MaxInt/16)
)

// usual is how many heavy hitters there are, times Phi, in typical data: words,
// requests and Zipf's law give 0.07 to 0.17. There could be 1/Phi.
const usual = 0.15

// grows reports whether memory grows as needed.
func (g Goal) grows() bool { return g.Memory == 0 }

// memory returns the budget. Sizes are computed in 64 bits, so that they are
// the same on every platform.
func (g Goal) memory() uint64 { return uint64(g.Memory) }

// wanted returns how many records the log should hold, if memory allows.
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

// tailWords returns how many words the tail has to begin with. Of a budget it
// is about half, a power of two or half as much again, so that it can be
// halved. With much less or more, countmin's tests of accuracy fail.
func (g Goal) tailWords() uint64 {
	switch {
	case !g.grows():
		most := g.memory() / 8 * tailPercent / 100
		words := uint64(1) << (bits.Len64(most) - 1)
		if words*3/2 <= most {
			words = words * 3 / 2
		}
		return words
	case g.K > 0:
		return powerOfTwo(2 * float64(g.K))
	default:
		return powerOfTwo(1 / g.Phi)
	}
}

// powerOfTwo returns the least power of two that is at least x, within the
// limits of a tail that grows.
func powerOfTwo(x float64) uint64 {
	words := uint64(minTail)
	for float64(words) < x && words < maxTail {
		words *= 2
	}
	return words
}

// headBytes returns how much of a budget is for the heads of the index.
func (g Goal) headBytes() uint64 {
	return max(4*minHeads, (g.memory()-structBytes-8*g.tailWords())/headShare)
}

// wholeLines returns n, rounded down to whole cache lines. The arrays of a
// tracker fit its budget in the bytes that are asked for. Go's allocator may
// round each array up, by an eighth at most.
func wholeLines(n uint64) uint64 { return n &^ 63 }

// maxHeads returns how many heads a budget pays for.
func (g Goal) maxHeads() int { return int(max(minHeads, wholeLines(g.headBytes())/4)) }

// logWords returns how many words a budget leaves to the log beside a tail of
// that many.
func (g Goal) logWords(tailWords uint64) uint64 {
	return wholeLines(g.memory()-structBytes-g.headBytes()-8*tailWords) / 8
}

// roomFor returns the room of a log that has that many words, without a budget.
// It does not depend on what the log once had, so that what is decoded goes on
// as the original does.
func roomFor(words uint64) uint64 {
	room := uint64(minLog)
	for room < words {
		room *= 2
	}
	return room
}

// canHalve reports whether a tail of that many words may be halved: while it
// takes more than 1/8 of the budget.
func (g Goal) canHalve(tailWords uint64) bool {
	return !g.grows() && 8*tailWords > g.memory()/8 && tailWords%4 == 0
}

// fits reports whether a tail of that size and shift can have come about.
func (g Goal) fits(words, shift uint64) bool {
	if shift < tailShift || shift > tailMaxShift {
		return false
	}
	start := g.tailWords()
	if g.grows() {
		return words == start<<(shift-tailShift)
	}
	for start > words && g.canHalve(start) {
		start /= 2
	}
	return words == start
}

// near reports whether a count comes close to those that must be reported.
// Under a budget the first few counts do not matter: a heavy hitter of the
// first keys need not be one a few keys later.
func (g Goal) near(count, total uint64) bool {
	const close, few = 0.9, 16
	least := g.Phi * float64(total)
	return g.K == 0 && float64(count) >= close*least && (g.grows() || least >= few)
}
