package static

import (
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// A Filter is a static filter. Use [New] or [NewFromSorted] to create one. Only
// decoding changes a Filter.
type Filter struct{ reader }

// A reader implements the methods of both [Filter] and [View].
type reader struct {
	hash   hashfam.Hasher
	ribbon ribbon.Ribbon
	valid  bool // false in a zero reader
}

var zeroReader = errs.Zero("Filter or View", "New or NewView, or decode into it")

// Contains reports whether key may be one of the keys that the filter was built
// from. True may be a false positive; false is always right. Contains reads two
// adjacent segments of memory, which have 56 bytes each at a rate of 1%. For 2%
// of the keys it reads two more.
func (r *reader) Contains(key []byte) bool { return r.ContainsDigest(r.hash.Sum(key)) }

// ContainsString is like Contains for a string key.
func (r *reader) ContainsString(key string) bool { return r.ContainsDigest(r.hash.SumString(key)) }

// ContainsDigest is like Contains for a key's digest, which must be computed by
// the filter's family.
func (r *reader) ContainsDigest(d hashfam.Digest) bool {
	if !r.valid {
		panic(zeroReader)
	}
	return r.ribbon.Contains(d)
}

// ContainsAll appends the result of ContainsDigest for each digest to dst and
// returns the extended slice. When the filter is larger than the cache, this
// needs less than half the time of single calls, because the CPU loads the
// memory for many keys at once.
func (r *reader) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	if !r.valid {
		panic(zeroReader)
	}
	return r.ribbon.ContainsAll(dst, digests)
}
