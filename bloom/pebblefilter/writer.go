package pebblefilter

import (
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/filterfam/filterfam/hashfam"
)

// A writer collects a table's digests, using memory from the pool.
type writer struct {
	policy  *Policy
	digests *[]hashfam.Digest // nil if there are none
}

var pool = sync.Pool{New: func() any { return new([]hashfam.Digest) }}

// NewWriter returns a writer for any number of filters. It needs 8 bytes for
// each key in a table, and reuses this memory for the next table.
func (p *Policy) NewWriter(pebble.FilterType) pebble.FilterWriter { return &writer{policy: p} }

// Format prints the policy for every verb, so that the family's key is not
// printed.
func (w *writer) Format(s fmt.State, _ rune) { w.policy.Format(s, 0) }

// AddKey adds key, which is a prefix if the database's Comparer splits keys.
// Since versions of a key follow each other, AddKey drops a digest that equals
// the previous one.
func (w *writer) AddKey(key []byte) {
	if w.digests == nil {
		w.digests = pool.Get().(*[]hashfam.Digest)
	}
	d := w.policy.hash.Sum(key)
	all := *w.digests
	if n := len(all); n == 0 || all[n-1] != d {
		*w.digests = append(all, d)
	}
}

// Finish appends the filter of the keys added since the last Finish to dst. If
// the filter cannot be built, Finish counts the error and leaves dst unchanged.
// Pebble will then read the table without a filter.
func (w *writer) Finish(dst []byte) []byte {
	if w.digests == nil {
		return dst
	}
	filter, err := w.policy.build(dst, *w.digests)
	if err != nil {
		w.policy.fail(err)
		filter = dst
	}
	*w.digests = (*w.digests)[:0]
	pool.Put(w.digests)
	w.digests = nil
	return filter
}
