package counting

import (
	"math"
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/internal/sizing"
)

// FillRatio returns the share of counters that are not zero, 0 to 1. O(m) time,
// as all estimates here; none changes the filter.
func (f *Filter) FillRatio() float64 {
	if f.params.Counters == 0 {
		return 1
	}
	return float64(inUse(f.counters)) / float64(f.params.Counters)
}

// FalsePositiveRate returns the chance that a key which is not in f is found,
// as f stands: the fill to the power k; Blocked: the mean of that over the
// blocks. It holds however f was filled.
func (f *Filter) FalsePositiveRate() float64 {
	k := float64(f.params.Hashes)
	if f.params.Layout == Classic {
		return math.Pow(f.FillRatio(), k)
	}
	rates := 0.0
	for block := range slices.Chunk(f.counters, blockWords) {
		rates += math.Pow(float64(inUse(block))/blockCounters, k)
	}
	return rates / float64(f.span)
}

// EstimatedLen estimates how many distinct keys are in f, whatever the number
// of their copies, from the number of counters that are not zero. At capacity
// the standard error is a fraction of a per cent for a million keys and grows
// as the filter fills; a filter with no counter at zero gives +Inf. Keys that
// were deleted but whose counters are stuck still count. Papapetrou, Siberski
// and Nejdl, Distributed and Parallel Databases 28, 2010.
func (f *Filter) EstimatedLen() float64 {
	p := f.params
	switch {
	case p.Counters == 0:
		return math.Inf(1)
	case p.Layout == Blocked:
		return sizing.BlockedLen(p.Counters, p.Hashes, inUse(f.counters))
	}
	return sizing.ClassicLen(p.Counters, p.Hashes, inUse(f.counters))
}

// Stuck returns how many counters have reached 15 and will never be
// decremented. Within the capacity and with few copies of each key it is 0;
// where it grows, so does the share of deleted keys that are still found, and
// only [Filter.Reset] undoes that. O(m) time.
func (f *Filter) Stuck() uint64 {
	n := uint64(0)
	for _, w := range f.counters {
		n += uint64(perWord - bits.OnesCount64(nonzero(^w)))
	}
	return n
}

// inUse counts the counters that are not zero.
func inUse(counters nibbles) uint64 {
	n := uint64(0)
	for _, w := range counters {
		n += uint64(bits.OnesCount64(nonzero(w)))
	}
	return n
}
