package counting

import (
	"fmt"
	"log/slog"
)

// Snapshot returns a plain filter with the Params and the counters of c. Every
// Add and Delete that returned before the call is in it; one that runs at the
// same time is in it whole or not at all. Writers wait while their block is
// copied. O(m) time, one allocation of the counters.
func (c *Concurrent) Snapshot() *Filter {
	f := c.filter
	f.counters = make(nibbles, len(c.filter.counters))
	c.eachBlock(func(first int, block nibbles) { copy(f.counters[first:], block) })
	return &f
}

// eachBlock calls do with every block and its first word, under the lock of the
// block.
func (c *Concurrent) eachBlock(do func(first int, block nibbles)) {
	for i := range int(c.filter.span) {
		lock := &c.locks[i&(len(c.locks)-1)]
		lock.Lock()
		do(i*blockWords, c.filter.counters[i*blockWords:][:blockWords])
		lock.Unlock()
	}
}

// Merge adds every copy of every key of a plain filter to c, like
// [Filter.Merge]. Meanwhile a key of other may be found or not; when Merge has
// returned, all of them are. If the [Params] differ, Merge returns
// [ErrIncompatible], or [ErrParams] if c is a zero Concurrent, and leaves c
// unchanged. O(m) time, no allocation.
func (c *Concurrent) Merge(other *Filter) error {
	switch {
	case c == nil:
		return errs.Nil()
	case other == nil:
		return errs.Field(ErrIncompatible, "other", "nil", "a filter")
	case c.filter.params.Counters == 0 && other.params != c.filter.params:
		return errs.Field(ErrParams, "receiver", "a zero Concurrent", "one made by NewConcurrent")
	}
	if err := c.filter.compatible("", other); err != nil {
		return err
	}
	c.eachBlock(func(first int, block nibbles) {
		var sums [blockWords]uint64
		for i, w := range block {
			sums[i] = sum(w, other.counters[first+i])
		}
		block.store(sums[:])
	})
	return nil
}

// Reset removes every key and clears the stuck counters. A key that is added
// meanwhile is removed or kept as a whole. O(m) time, no allocation.
func (c *Concurrent) Reset() {
	var zeros [blockWords]uint64
	c.eachBlock(func(_ int, block nibbles) { block.store(zeros[:]) })
}

// Params returns the parameters of c. O(1) time.
func (c *Concurrent) Params() Params { return c.filter.params }

// SizeBytes returns the size of the counters in bytes. The Concurrent itself
// adds at most 4 KiB of locks. O(1) time.
func (c *Concurrent) SizeBytes() uint64 { return c.filter.SizeBytes() }

// FillRatio is [Filter.FillRatio] of a [Concurrent.Snapshot]. O(m) time and
// memory.
func (c *Concurrent) FillRatio() float64 { return c.Snapshot().FillRatio() }

// FalsePositiveRate is [Filter.FalsePositiveRate] of a [Concurrent.Snapshot].
// O(m) time and memory.
func (c *Concurrent) FalsePositiveRate() float64 { return c.Snapshot().FalsePositiveRate() }

// EstimatedLen is [Filter.EstimatedLen] of a [Concurrent.Snapshot]. O(m) time
// and memory.
func (c *Concurrent) EstimatedLen() float64 { return c.Snapshot().EstimatedLen() }

// Stuck is [Filter.Stuck] of a [Concurrent.Snapshot]. O(m) time and memory.
func (c *Concurrent) Stuck() uint64 { return c.Snapshot().Stuck() }

// String describes c in one line. It does not show the key. Its receiver is a
// value so that a Concurrent in a field of another struct does not show the key
// either.
func (c Concurrent) String() string { return fmt.Sprintf("counting.Concurrent(%v)", c.filter.params) }

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
