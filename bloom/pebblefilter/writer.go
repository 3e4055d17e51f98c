package pebblefilter

import (
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/filterfam/filterfam/hashfam"
)

// A writer collects the digests of a table's keys, in memory from the pool.
type writer struct {
	policy  *Policy
	digests *[]hashfam.Digest // nil if there are none
}

var pool = sync.Pool{New: func() any { return new([]hashfam.Digest) }}

// NewWriter returns a writer of one filter after another. It takes 8 bytes for
// each key of a table, which the next table uses again.
func (p *Policy) NewWriter(pebble.FilterType) pebble.FilterWriter { return &writer{policy: p} }

// Format prints the policy for every verb, so that none shows the key of its
// family.
func (w *writer) Format(s fmt.State, _ rune) { w.policy.Format(s, 0) }

// AddKey adds key, or a prefix of a key if the database's Comparer splits keys.
// Versions of a key follow each other, so a digest counts once in a row.
func (w *writer) AddKey(key []byte) {
	if w.digests == nil {
		w.digests = pool.Get().(*[]hashfam.Digest)
	}
	d, all := w.policy.hash.Sum(key), *w.digests
	if n := len(all); n == 0 || all[n-1] != d {
		*w.digests = append(all, d)
	}
}

// Finish appends the filter of the keys since the last Finish to dst. It leaves
// dst unchanged, and counts an error, if the filter cannot be built: Pebble
// then reads the table without one.
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
