package counting

import (
	"math"
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/internal/nibbles"
	"github.com/filterfam/filterfam/internal/sizing"
)

// FillRatio returns the fraction of counters that are not zero, 0 to 1. O(m)
// time.
func (f *reader) FillRatio() float64 {
	return float64(f.counters.InUse()) / float64(f.params.Counters)
}

// FalsePositiveRate returns the chance that the filter in its current state
// finds a key that is not in it. It is valid however the filter was filled.
// Classic: the fill ratio to the power k. Blocked: the mean of that over the
// blocks. O(m) time.
func (f *reader) FalsePositiveRate() float64 {
	k := float64(f.params.Hashes)
	if f.params.Layout == Classic {
		return math.Pow(f.FillRatio(), k)
	}
	rates := 0.0
	for block := range slices.Chunk(f.counters, blockWords) {
		rates += math.Pow(float64(block.InUse())/blockCounters, k)
	}
	return rates / float64(f.span)
}

// EstimatedLen estimates the number of distinct keys from the number of
// counters that are not zero. At capacity the standard error is a fraction of a
// percent for a million keys; it grows as the filter fills. EstimatedLen
// returns +Inf if no counter is zero. Deleted keys whose counters are stuck
// still count. O(m) time. Papapetrou, Siberski and Nejdl, Distributed and
// Parallel Databases 28, 2010.
func (f *reader) EstimatedLen() float64 {
	p := f.params
	if p.Layout == Blocked {
		return sizing.BlockedLen(p.Counters, p.Hashes, f.counters.InUse())
	}
	return sizing.ClassicLen(p.Counters, p.Hashes, f.counters.InUse())
}

// Stuck returns the number of counters that have reached 15 and will never be
// decremented. It is 0 within the capacity and with few copies of each key. As
// it grows, so does the share of deleted keys that are still found; only
// [Filter.Reset] undoes that. O(m) time.
func (f *reader) Stuck() uint64 {
	n := uint64(0)
	for _, w := range f.counters {
		n += uint64(perWord - bits.OnesCount64(nibbles.Nonzero(^w))) // ^w is zero where w is 15
	}
	return n
}
