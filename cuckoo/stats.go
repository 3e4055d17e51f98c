package cuckoo

// Len returns the number of keys in f, counting copies: those added and not
// deleted. It is exact, also in a full filter. O(1) time.
func (f *Filter) Len() uint64 { return f.count }

// FillRatio returns the share of slots that are taken, 0 to 1. O(1) time.
func (f *Filter) FillRatio() float64 {
	if f.params.Buckets == 0 {
		return 1
	}
	return float64(f.count) / float64(f.params.slots())
}

// FalsePositiveRate returns the probability that a key that is not in f is
// found, in its current state: [Params.RateAt] of Len. Copies of a key count as
// keys of their own, so if there are some, the rate is lower than that. O(1)
// time.
func (f *Filter) FalsePositiveRate() float64 {
	if f.params.Buckets == 0 {
		return 1
	}
	return f.params.RateAt(f.count)
}
