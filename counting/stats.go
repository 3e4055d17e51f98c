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

// FalsePositiveRate returns the probability that the current filter finds a key
// that was not added. This does not depend on how the filter was filled. For a
// Classic filter, the rate is the fill ratio to the power k. For a Blocked one,
// it is the mean of this value over the blocks. FalsePositiveRate reads all
// counters.
func (f *Filter) FalsePositiveRate() float64 {
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
// counters that are not zero (Papapetrou, Siberski and Nejdl, Distributed and
// Parallel Databases 28, 2010). For a million keys at capacity, the standard
// error is less than 1%. It grows as the filter fills. If no counter is zero,
// EstimatedLen returns +Inf. Deleted keys are still counted if their counters
// are stuck. EstimatedLen reads all counters.
func (f *Filter) EstimatedLen() float64 {
	p := f.params
	if p.Layout == Blocked {
		return sizing.BlockedLen(p.Counters, p.Hashes, f.counters.InUse())
	}
	return sizing.ClassicLen(p.Counters, p.Hashes, f.counters.InUse())
}

// Stuck returns the number of counters that have reached 15 and will never be
// decremented. While the filter is within its capacity and contains few copies
// of each key, it is usually 0. As this number grows, more deleted keys will
// still be found. Only [Filter.Reset] clears such counters. Stuck reads all
// counters.
func (f *Filter) Stuck() uint64 {
	n := uint64(0)
	for _, w := range f.counters {
		n += uint64(perWord - bits.OnesCount64(nibbles.Nonzero(^w))) // ^w is zero where w is 15
	}
	return n
}
