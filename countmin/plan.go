package countmin

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"sort"

	"github.com/filterfam/filterfam/hashfam"
)

// A HeavyConfig says what heavy hitters are wanted. It is also the Params of
// what it makes: structures with equal ones can be merged.
type HeavyConfig struct {
	// Phi is the share of the total from which on a key is reported: 0.001 is
	// one in a thousand. Above 0, at most 1.
	Phi float64

	// MemoryBytes bounds everything that is held: counters, index and the
	// bytes of keys. At least 1,024. While counters make room for keys, which
	// happens a few times at most, and in the first Add after decoding or
	// merging, as much again is allocated for a moment.
	//
	// At 0 memory grows as the guarantee needs. Up to about 7/Phi keys are
	// tracked then, whether or not they reach Phi, typically in 150 to 350
	// bytes/Phi (40 KB at least) and the bytes of keys longer than 15. If
	// others choose the keys, bound their length: 6,700 keys of 10 KB take 67
	// MB at a Phi of 0.001.
	MemoryBytes int

	// Family hashes the keys. The zero value is the public one; take a keyed
	// family where strangers choose keys.
	Family hashfam.Family

	_ struct{} // literals name their fields
}

// A TopKConfig says how many of the most frequent keys are wanted. It is also
// the Params of what it makes: structures with equal ones can be merged.
type TopKConfig struct {
	// K is how many keys are reported: at least 1.
	K int

	// MemoryBytes bounds everything that is held, as in a [HeavyConfig]. At
	// least 1,024. At 0 memory grows up to about 610 bytes for each of the K
	// keys (40 KB at least), and the bytes of keys longer than 15.
	MemoryBytes int

	// Family hashes the keys. The zero value is the public one; take a keyed
	// family where strangers choose keys.
	Family hashfam.Family

	_ struct{} // literals name their fields
}

const (
	minMemory = 1 << 10
	maxMemory = min(1<<34, math.MaxInt/2) // an index in the log has 32 bits
	maxK      = 1 << 28

	structBytes = 256 // what a HeavyHitters or TopK takes itself, or less
	tailPercent = 52  // of a budget, at most, is for the tail
	headShare   = 8   // one byte in so many of what keys may take is for heads
	minHeads    = 16

	minTail = 1 << 9  // words, where memory grows
	maxTail = 1 << 20 // words, before counters widen
	minLog  = 1 << 9  // words
	maxLog  = min(1<<32-2, math.MaxInt/16)
)

func (c HeavyConfig) check() error {
	if !(c.Phi > 0 && c.Phi <= 1) {
		return paramError("HeavyConfig.Phi", c.Phi, "above 0 and at most 1")
	}
	return checkMemory("HeavyConfig.MemoryBytes", c.MemoryBytes)
}

func (c TopKConfig) check() error {
	if c.K < 1 || c.K > maxK {
		return paramError("TopKConfig.K", c.K, fmt.Sprintf("1 to %d", maxK))
	}
	return checkMemory("TopKConfig.MemoryBytes", c.MemoryBytes)
}

func checkMemory(field string, bytes int) error {
	if bytes != 0 && (bytes < minMemory || bytes > maxMemory) {
		return paramError(field, bytes, fmt.Sprintf("%d to %d, or 0", minMemory, maxMemory))
	}
	return nil
}

// usual is how many heavy hitters there are, times Phi, in data as it comes:
// words, requests and Zipf's law give 0.07 to 0.17. There could be 1/Phi.
const usual = 0.15

// A plan is how a tracker shares out its memory.
type plan struct {
	phi     float64 // heavy hitters: the share; else 0
	k       int     // top k: how many; else 0
	memory  int     // the budget, or 0
	grows   bool    // there is no budget
	room    int     // words that the log may fill
	chains  int     // heads that a budget pays for
	want    int     // records that the log should hold, if memory allows
	percent int     // of a budget, for the tail
}

func (c HeavyConfig) plan() plan {
	p := plan{phi: c.Phi, memory: c.MemoryBytes, grows: c.MemoryBytes == 0, percent: tailPercent}
	if p.grows {
		p.want = int(min(max(256, 4/c.Phi), maxLog))
	} else {
		p.want = int(min(usual/c.Phi, maxLog))
	}
	return p
}

func (c TopKConfig) plan() plan {
	p := plan{k: c.K, memory: c.MemoryBytes, grows: c.MemoryBytes == 0, want: 2 * c.K, percent: tailPercent}
	if p.grows {
		p.want = int(min(max(256, 8*int64(c.K)), maxLog))
	}
	return p
}

// tailWords returns how many words the tail has to begin with. With a budget
// it is about half of it, a power of two or half as much again, so that it can
// be halved. TestHalfOfTheMemoryIsForTheTail shows why half.
func (p plan) tailWords() int {
	switch {
	case !p.grows:
		most := int(uint64(p.memory) / 8 * uint64(p.percent) / 100) // the product needs 64 bits
		words := 1 << (bits.Len(uint(most)) - 1)
		if words*3/2 <= most {
			words = words * 3 / 2
		}
		return words
	case p.k > 0:
		return powerOfTwo(2 * float64(p.k))
	default:
		return powerOfTwo(1 / p.phi)
	}
}

// powerOfTwo returns the least power of two from x on, within the limits of a
// tail that grows.
func powerOfTwo(x float64) int {
	words := minTail
	for float64(words) < x && words < maxTail {
		words *= 2
	}
	return words
}

// newTracker returns an empty tracker.
func newTracker(p plan) tracker {
	t := tracker{plan: p, tail: newTail(p.tailWords()), spread: newSpread()}
	if p.grows {
		t.plan.room = minLog
		t.heads = make([]uint32, minLog/4)
		return t
	}
	t.plan.resize(len(t.tail.words))
	t.heads = make([]uint32, t.plan.chains)
	t.log = make([]uint64, 0, t.plan.room)
	return t
}

// newSpread draws the multiplier of a tracker's index.
func newSpread() uint64 { return rand.Uint64() | 1 }

// resize shares out what a tail of that many words leaves of a budget.
func (p *plan) resize(tailWords int) {
	p.chains = max(minHeads, allocatable(p.headBytes())/4)
	p.room = allocatable(p.memory-structBytes-p.headBytes()-8*tailWords) / 8
}

// headBytes returns how much of a budget is set aside for the heads.
func (p *plan) headBytes() int {
	return max(4*minHeads, (p.memory-structBytes-8*p.tailWords())/headShare)
}

// sizeClasses are the sizes up to 32 KiB, in units of 64 bytes, that Go's
// allocator serves exactly. Larger ones are whole pages. An array of another
// size takes up to an eighth more than it asks for. The list is fixed, so that
// what fits a budget does not depend on the release of Go.
var sizeClasses = [...]uint16{
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 22, 24, 28, 32, 36, 42, 48, 50, 54, 64, 76, 84, 96,
	102, 106, 108, 128, 148, 152, 160, 170, 192, 212, 224, 256, 288, 298, 320, 340, 384, 426, 448, 512,
}

// allocatable returns the largest number of bytes, at most n, that the
// allocator serves with no more than that.
func allocatable(n int) int {
	const page, unit = 8 << 10, 64
	if n >= 4*page {
		return n / page * page
	}
	i := sort.Search(len(sizeClasses), func(i int) bool { return int(sizeClasses[i])*unit > n })
	if i == 0 {
		return 0
	}
	return int(sizeClasses[i-1]) * unit
}

// enlarge makes the log's room larger, if there is a way, for a record of that
// many words: twice as large where memory grows, else by half of the tail.
func (p *plan) enlarge(t *tracker, words uint64) bool {
	if p.grows {
		return p.grow(uint64(len(t.log)) + words)
	}
	if !p.canHalve(len(t.tail.words)) {
		return false
	}
	t.tail.halve()
	p.resize(len(t.tail.words))
	return true
}

// roomFor makes the room of a log that grows large enough for that many words.
func (p *plan) roomFor(words uint64) {
	p.room = max(p.room, minLog)
	if words > uint64(p.room) {
		p.grow(words)
	}
}

// grow makes the room larger where memory grows, at least twice and to need.
func (p *plan) grow(need uint64) bool {
	room := 2 * uint64(p.room)
	for room < need {
		room *= 2
	}
	if room > maxLog {
		return false
	}
	p.room = int(room)
	return true
}

func (p *plan) canHalve(tailWords int) bool { return 8*tailWords > p.memory/8 && tailWords%4 == 0 }

// close reports whether a sweep up to bar comes close to keys that must be
// reported. Under a budget the first few counts do not matter: what is a heavy
// hitter then is none a few keys later.
func (p *plan) close(t *tracker, bar uint64) bool {
	const near, few = 0.9, 16
	share := p.phi * float64(t.total)
	return p.k == 0 && float64(bar) >= near*share && (p.grows || share >= few)
}
