package cuckoo

import (
	"encoding/binary"
	"fmt"
	"log/slog"
	"math/bits"
	"sync/atomic"
)

// NewConcurrent returns an empty filter for c, with the errors of [New]. O(m)
// time for m buckets.
func NewConcurrent(c Config) (*Concurrent, error) {
	p, err := c.Params()
	if err != nil {
		return nil, err
	}
	return newConcurrent(p), nil
}

// NewConcurrentFrom returns a Concurrent with the Params and the keys of f. It
// shares nothing with f. It returns [ErrParams] if f is nil or the zero Filter.
// O(m) time and memory.
func NewConcurrentFrom(f *Filter) (*Concurrent, error) {
	if f == nil {
		return nil, paramError("filter", "nil", "a filter")
	}
	if err := f.params.check(ErrParams); err != nil {
		return nil, err
	}
	c := newConcurrent(f.params)
	for w := range c.table.words {
		c.table.words[w].Store(binary.LittleEndian.Uint64(f.table.bytes[8*w:]))
	}
	c.stripes[0].count.Store(f.count)
	return c, nil
}

// newConcurrent returns an empty filter of checked parameters.
func newConcurrent(p Params) *Concurrent {
	groups := (p.Buckets + together - 1) / together
	n := min(maxStripes, 1<<bits.Len64(groups-1))
	return &Concurrent{p, newRelocation(p), newShared(p), make([]stripe, n), make([]atomic.Uint32, n)}
}

// Snapshot returns a [Filter] with the keys of c at one moment. Encode that to
// store c. Writers wait meanwhile; readers go on. The
// snapshot of a zero Concurrent is a zero Filter. O(m) time and memory.
func (c *Concurrent) Snapshot() *Filter {
	if len(c.stripes) == 0 {
		return new(Filter)
	}
	f := newFilter(c.params, make([]byte, c.params.bytes()))
	c.lockAll()
	defer c.unlockAll()
	for w := range c.table.words {
		binary.LittleEndian.PutUint64(f.table.bytes[8*w:], c.table.words[w].Load())
	}
	f.count = c.sum()
	return f
}

// Reset removes every key. Writers wait meanwhile. O(m) time, no allocation.
func (c *Concurrent) Reset() {
	c.lockAll()
	defer c.unlockAll()
	for w := range c.table.words {
		c.table.words[w].Store(0)
	}
	for s := range c.stripes {
		c.stripes[s].count.Store(0)
	}
}

// Params returns the parameters of c. O(1) time.
func (c *Concurrent) Params() Params { return c.params }

// SizeBytes returns the memory of the table in bytes. Locks and versions add at
// most 20 KiB. O(1) time.
func (c *Concurrent) SizeBytes() uint64 { return 8 * uint64(len(c.table.words)) }

// Len returns the number of keys in c, counting copies: those added and not
// deleted. It is exact if no other goroutine changes c meanwhile. It adds up
// 1,024 numbers: O(1) time, less than a microsecond.
func (c *Concurrent) Len() uint64 {
	n := c.sum()
	if n > c.params.slots() { // a Reset may be running
		c.lockAll()
		defer c.unlockAll()
		n = c.sum()
	}
	return n
}

// sum adds up what the stripes have counted. A stripe may count below zero,
// since a Delete may count in another one than the Add.
func (c *Concurrent) sum() uint64 {
	n := uint64(0)
	for s := range c.stripes {
		n += c.stripes[s].count.Load()
	}
	return n
}

// FillRatio returns the share of slots that are taken, 0 to 1. It costs a
// [Concurrent.Len]: O(1) time.
func (c *Concurrent) FillRatio() float64 {
	if len(c.stripes) == 0 {
		return 1
	}
	return float64(c.Len()) / float64(c.params.slots())
}

// FalsePositiveRate returns the probability that a key that is not in c is
// found, in its current state: [Params.RateAt] of Len. O(1) time.
func (c *Concurrent) FalsePositiveRate() float64 {
	if len(c.stripes) == 0 {
		return 1
	}
	return c.params.RateAt(c.Len())
}

// String describes the filter in one line, without its key.
func (c Concurrent) String() string { return fmt.Sprintf("cuckoo.Concurrent(%v)", c.params) }

// Format prints [Concurrent.String] for every verb and flag, so that no format
// shows the key, with the exceptions of [hashfam.Family.Format].
func (c Concurrent) Format(s fmt.State, _ rune) { fmt.Fprint(s, c.String()) }

// LogValue is [Filter.LogValue]: it is like [Concurrent.String], with the
// number of keys, the rate and the fill ratio. O(1) time.
func (c Concurrent) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Uint64("n", c.Len()),
		slog.Uint64("bits", 8*c.SizeBytes()),
		slog.Float64("rate", c.FalsePositiveRate()),
		slog.Float64("fill", c.FillRatio()),
		slog.String("params", c.params.String()),
	)
}

// MarshalJSON returns the text form of a [Concurrent.Snapshot] as a JSON
// string, which a plain [Filter] reads. O(m) time and memory.
func (c *Concurrent) MarshalJSON() ([]byte, error) {
	if c == nil {
		return nil, errs.Nil()
	}
	return c.Snapshot().MarshalJSON()
}
