package cuckoo

import "github.com/filterfam/filterfam/hashfam"

// Params returns the parameters of f. O(1) time.
func (f *reader) Params() Params { return f.params }

// Family returns the family that hashes the keys of f. O(1) time.
func (f *reader) Family() hashfam.Family { return f.params.Family }

// SizeBytes returns the memory of the table in bytes. The filter itself adds
// less than 200, and at most a 256th of the table. O(1) time.
func (f *reader) SizeBytes() uint64 { return uint64(len(f.table.Bytes())) }

// Len returns the number of keys in f, counting copies: those added and not
// deleted. It is exact, also in a full filter. A [View] has it from the header;
// [View.Verify] counts. O(1) time.
func (f *reader) Len() uint64 { return f.count }

// FillRatio returns the share of slots that are taken, 0 to 1. O(1) time.
func (f *reader) FillRatio() float64 { return float64(f.count) / float64(f.params.slots()) }

// FalsePositiveRate returns the probability that a key that is not in f is
// found, in its current state: [Params.RateAt] of Len. Copies of a key count as
// keys of their own, so if there are some, the rate is lower than that. O(1)
// time.
func (f *reader) FalsePositiveRate() float64 { return f.params.RateAt(f.count) }
