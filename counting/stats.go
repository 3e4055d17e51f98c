package counting

import (
	"math"
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/internal/nibbles"
	"github.com/filterfam/filterfam/internal/sizing"
)

// FillRatio returns the fraction of counters that are not zero. It reads all
// counters.
func (f *Filter) FillRatio() float64 {
	return float64(f.counters.InUse()) / float64(f.params.Counters)
}

// FalsePositiveRate returns the probability that the filter in its current
// state finds a key that was not added. This rate depends only on the counters
// that are not zero, and not on how the filter was filled. It is the fill ratio
// to the power k (Classic), or the mean over all blocks of the block's fill
// ratio to the power k (Blocked). FalsePositiveRate adds the tiny probability
// that digests are equal, as [bloom.Params.RateAt] describes, and reads all
// counters.
func (f *Filter) FalsePositiveRate() float64 {
	n := uint64(min(f.EstimatedLen(), 1<<63))
	k := float64(f.params.Hashes)
	if !f.params.blocked() {
		return sizing.WithClassicDigest(math.Pow(f.FillRatio(), k), f.params.Counters, f.params.Hashes, n)
	}
	rates := 0.0
	for block := range slices.Chunk(f.counters, blockWords) {
		rates += math.Pow(float64(block.InUse())/blockCounters, k)
	}
	return sizing.WithDigest(rates/float64(f.span), n)
}

// EstimatedLen estimates the number of distinct keys, using the number of
// counters that are not zero (Papapetrou, Siberski and Nejdl, Distributed and
// Parallel Databases 28, 2010). For a million keys at capacity, the standard
// error is below 1%; it grows as the filter fills. EstimatedLen returns +Inf if
// no counter is zero, and still counts deleted keys if their counters are
// stuck. It reads all counters.
func (f *Filter) EstimatedLen() float64 {
	p := f.params
	if p.blocked() {
		return sizing.BlockedLen(p.Counters, p.Hashes, f.counters.InUse())
	}
	return sizing.ClassicLen(p.Counters, p.Hashes, f.counters.InUse())
}

// Stuck returns the number of counters that have reached 15 and will never be
// decremented. While the filter is within its capacity and contains few copies
// of each key, this number is usually 0. As it grows, more deleted keys will
// still be found, and only [Filter.Reset] clears stuck counters. Stuck reads
// all counters.
func (f *Filter) Stuck() uint64 {
	n := uint64(0)
	for _, w := range f.counters {
		n += uint64(perWord - bits.OnesCount64(nibbles.Nonzero(^w))) // ^w is zero where w is 15
	}
	return n
}
