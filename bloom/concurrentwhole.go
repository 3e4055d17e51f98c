package bloom

import (
	"fmt"
	"log/slog"
	"math/bits"
	"sync/atomic"
)

// Params returns the parameters of c. O(1) time.
func (c *Concurrent) Params() Params { return c.filter.params }

// SizeBytes returns the size of the bit array in bytes. The Concurrent itself
// adds 4 KiB of locks. O(1) time.
func (c *Concurrent) SizeBytes() uint64 { return c.filter.SizeBytes() }

// FillRatio returns the fraction of bits that are set, 0 to 1. O(m) time.
func (c *Concurrent) FillRatio() float64 {
	if c.filter.params.Bits == 0 {
		return 1
	}
	return float64(c.ones()) / float64(c.filter.params.Bits)
}

// EstimatedLen estimates the number of distinct keys that were added, like
// [Filter.EstimatedLen]. O(m) time.
func (c *Concurrent) EstimatedLen() float64 { return c.filter.params.estimate(c.ones()) }

// FalsePositiveRate returns the chance that c in its current state finds a key
// that was not added, like [Filter.FalsePositiveRate]. O(m) time and memory: it
// takes a [Concurrent.Snapshot].
func (c *Concurrent) FalsePositiveRate() float64 { return c.Snapshot().FalsePositiveRate() }

// ones counts the bits that are set.
func (c *Concurrent) ones() uint64 {
	n := uint64(0)
	for i := range c.filter.words {
		n += uint64(bits.OnesCount64(atomic.LoadUint64(&c.filter.words[i])))
	}
	return n
}

// Merge adds every key of a plain filter to c. Meanwhile a key of other may be
// found or not; when Merge has returned, all of them are. If the [Params]
// differ, Merge returns [ErrIncompatible], or [ErrParams] if c is a zero
// Concurrent, and leaves c unchanged. O(m) time, no allocation.
func (c *Concurrent) Merge(other *Filter) error {
	switch {
	case c == nil:
		return errs.Nil()
	case other == nil:
		return errs.Field(ErrIncompatible, "other", "nil", "a filter")
	case c.filter.params.Bits == 0 && other.params != c.filter.params:
		return errs.Field(ErrParams, "receiver", "a zero Concurrent", "one made by NewConcurrent")
	}
	if err := c.filter.compatible("", other); err != nil {
		return err
	}
	for i, w := range other.words {
		if at := &c.filter.words[i]; w&^atomic.LoadUint64(at) != 0 {
			atomic.OrUint64(at, w)
		}
	}
	return nil
}

// Reset removes every key that was added before the call. A key that is added
// meanwhile may be lost, even after its Add has returned; so add none. O(m)
// time, no allocation.
func (c *Concurrent) Reset() {
	for i := range c.filter.words {
		atomic.StoreUint64(&c.filter.words[i], 0)
	}
}

// String describes c in one line. It does not show the key. Its receiver is a
// value so that a Concurrent in a field of another struct does not show the key
// either.
func (c Concurrent) String() string { return fmt.Sprintf("bloom.Concurrent(%v)", c.filter.params) }

// Format prints [Concurrent.String] for every verb and flag, so that no format
// shows the key, with the exceptions of [hashfam.Family.Format]. Its receiver
// is a value for the same reason as that of String.
func (c Concurrent) Format(s fmt.State, _ rune) { fmt.Fprint(s, c.String()) }

// LogValue returns what [Filter.LogValue] returns for a [Concurrent.Snapshot].
// O(m) time and memory. Its receiver is a value for the same reason as that of
// String.
func (c Concurrent) LogValue() slog.Value { return c.Snapshot().LogValue() }

// MarshalJSON returns the text form of a [Concurrent.Snapshot] as a JSON
// string, which a plain [Filter] reads. O(m) time and memory.
func (c *Concurrent) MarshalJSON() ([]byte, error) {
	if c == nil {
		return nil, errs.Nil()
	}
	return c.Snapshot().MarshalJSON()
}
