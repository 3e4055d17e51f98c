package static

import (
	"fmt"
	"log/slog"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// An Exact answers without an error for every key of a known universe: the
// members and the others that it was built from. CRLite uses a cascade of
// filters for this; Clubcard uses two levels, as an Exact does. Make one with
// [NewExact]. It does not change, except by decoding into it.
//
// It has two levels. The first is a filter of the rarer class with r =
// floor(log2(ratio)) columns, which all rarer keys and a share of 2^-r of the
// others pass; below ratio 2 there is none. The second stores one bit for each
// key that passes: its class. For R rarer keys and S others that takes about R
// (r+1) + S/2^r bits: 2.0 per rarer key at ratio 1, 4.3 at 5, 7.7 at 50 and
// 12.1 at 1,000.
//
// A key in neither list is a foreign key. It is taken for one of the rarer
// class with chance 2^-(r+1), and for one of the other class otherwise. An
// Exact of no keys contains none.
type Exact struct{ exactReader }

// NewExactReceiver returns an empty Exact to decode into. It accepts encodings
// made under fam, as a zero Exact accepts those made under the public family.
// O(1) time.
func NewExactReceiver(fam hashfam.Family) *Exact {
	return &Exact{exactReader{params: ExactParams{Family: fam}}}
}

// Equal reports whether e and other have the same family, numbers of keys and
// levels. They do if they were built from the same two sets of keys. O(m) time
// for m bytes.
func (e *Exact) Equal(other *Exact) bool {
	return e.params == other.params && e.filter.Equal(&other.filter) && e.class.Equal(&other.class)
}

// An exactReader has the methods that an [Exact] and an [ExactView] share.
type exactReader struct {
	params ExactParams
	filter ribbon.Ribbon // of the rarer class
	class  ribbon.Ribbon // of each key that passes: 1 if it is of the rarer class
	direct bool          // the members are the rarer class
	hash   hashfam.Hasher
}

// Contains reports whether key is a member. For every key of both lists the
// answer is certain; for a foreign key see [Exact]. O(r) time, four cache
// misses for a key that passes the first level and two for others, no
// allocation.
func (e *exactReader) Contains(key []byte) bool { return e.ContainsDigest(e.hash.Sum(key)) }

// ContainsString is like Contains for a string.
func (e *exactReader) ContainsString(key string) bool {
	return e.ContainsDigest(e.hash.SumString(key))
}

// ContainsDigest is Contains for a digest under the filter's family.
func (e *exactReader) ContainsDigest(d hashfam.Digest) bool {
	rare := e.filter.Contains(d) && e.class.Value(d) == 1
	return rare == e.direct
}

// exactBlock is the largest number of digests in a block. Their answers stay in
// the cache between the two levels.
const exactBlock = 1024

// ContainsAll appends the answer of ContainsDigest for each digest to dst and
// returns the extended slice. It asks the first level for a block of digests
// before the second. O(r) time per digest, and about half of that of single
// calls for keys that the first level rejects. It allocates only if dst is too
// small.
func (e *exactReader) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	dst = slices.Grow(dst, len(digests))
	for block := range slices.Chunk(digests, exactBlock) {
		dst = e.containsBlock(dst, block)
	}
	return dst
}

// containsBlock is ContainsAll for a block. dst has room for the answers.
func (e *exactReader) containsBlock(dst []bool, digests []hashfam.Digest) []bool {
	if e.filter.Columns() == 0 {
		for _, d := range digests {
			dst = append(dst, (e.class.Value(d) == 1) == e.direct)
		}
		return dst
	}
	from := len(dst)
	dst = e.filter.ContainsAll(dst, digests)
	for i, passed := range dst[from:] {
		rare := passed && e.class.Value(digests[i]) == 1
		dst[from+i] = rare == e.direct
	}
	return dst
}

// Params returns the parameters. O(1) time.
func (e *exactReader) Params() ExactParams { return e.params }

// Family returns the family that hashes the keys. O(1) time.
func (e *exactReader) Family() hashfam.Family { return e.params.Family }

// SizeBytes returns the memory of both levels in bytes. The Exact itself adds
// less than 800. O(1) time.
func (e *exactReader) SizeBytes() uint64 { return e.filter.SizeBytes() + e.class.SizeBytes() }

// set sets the levels of e, whose numbers of keys are known.
func (e *exactReader) set(filter, class *ribbon.Ribbon) {
	e.filter, e.class, e.direct = *filter, *class, e.params.direct()
	e.params.Bytes = filter.PayloadBytes() + class.PayloadBytes()
	e.hash = e.params.Family.Hasher(e.params.Bytes)
}

// verify returns ErrCorrupt if a bit that no level uses is set.
func (e *exactReader) verify() error {
	if err := e.filter.Verify(errs); err != nil {
		return err
	}
	return e.class.Verify(errs)
}

// String describes the Exact in one line, without the key of the family.
func (e exactReader) String() string { return fmt.Sprintf("static.Exact(%v)", e.params) }

// Format prints String for every verb, as [hashfam.Family.Format] explains.
func (e exactReader) Format(s fmt.State, _ rune) { fmt.Fprint(s, e.String()) }

// LogValue returns String for package log/slog.
func (e exactReader) LogValue() slog.Value { return slog.StringValue(e.String()) }
