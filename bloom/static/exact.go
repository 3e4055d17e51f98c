package static

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// An Exact answers without an error for every key of a known universe: the
// members and the others that it was built from. CRLite uses a cascade of
// filters for this; Clubcard uses two levels, as an Exact does. Make one with
// [NewExact] or [NewExactFromDigests]; it does not change. An Exact must not be
// copied by value.
//
// It has two levels. The first is a filter of the rarer class with r =
// floor(log2(ratio)) columns, which all rarer keys and a share of 2^-r of the
// others pass; below ratio 2 there is none. The second stores one bit for each
// key that passes: its class. For R rarer keys and S others that takes about
// R (r+1) + S/2^r bits: 2.0 per rarer key at ratio 1, 4.3 at 5, 7.7 at 50 and
// 12.1 at 1,000.
//
// A key in neither list is a foreign key. It is taken for one of the rarer
// class with chance 2^-(r+1), and for one of the other class otherwise. An
// Exact of no keys contains none.
type Exact struct {
	params ExactParams
	filter ribbon.Ribbon // of the rarer class
	class  ribbon.Ribbon // of each key that passes: 1 if it is of the rarer class
	direct bool          // the members are the rarer class
}

// Contains reports whether key is a member. For every key of both lists the
// answer is certain; for a foreign key see [Exact]. O(r) time, four cache
// misses for a key that passes the first level and two for others, no
// allocation.
func (e *Exact) Contains(key []byte) bool { return e.ContainsDigest(e.params.Family.Sum(key)) }

// ContainsString is [Exact.Contains] for a string.
func (e *Exact) ContainsString(key string) bool {
	return e.ContainsDigest(e.params.Family.SumString(key))
}

// ContainsUint64 is [Exact.Contains] for an integer: the key is its eight
// little-endian bytes.
func (e *Exact) ContainsUint64(key uint64) bool {
	return e.ContainsDigest(e.params.Family.SumUint64(key))
}

// ContainsDigest is [Exact.Contains] for a key already hashed by the family of
// e, Params().Family.
func (e *Exact) ContainsDigest(d hashfam.Digest) bool {
	rare := e.filter.Contains(d) && e.class.Value(d) == 1
	return rare == e.direct
}
