package perfect

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// A Config describes a [Function].
type Config struct {
	// Compact makes the function smaller, 1.95 instead of 2.2 bits per key, and
	// a little faster. Building it takes 2.5 times as long.
	Compact bool

	// Family hashes the keys. The zero value is the public family. Use a keyed
	// family if untrusted parties choose keys.
	Family hashfam.Family

	_ struct{} // literals name their fields
}

// Params are the parameters of a [Function].
type Params struct {
	// Keys is the number of keys and of indexes.
	Keys uint64

	Compact bool

	// Bytes is the size of the function in memory. It depends on the keys.
	Bytes uint64

	Family hashfam.Family
}

// String describes p in one line, without the key of the family.
func (p Params) String() string {
	return fmt.Sprintf("%d keys, %d bytes%s, family %v", p.Keys, p.Bytes, compactText(p.Compact), p.Family)
}

func compactText(compact bool) string {
	if compact {
		return ", compact"
	}
	return ""
}

// SizeBytes returns the size in bytes of a function with these parameters. O(1)
// time.
func (p Params) SizeBytes() uint64 { return p.Bytes }

// A Function is a minimal perfect hash function. Make one with [New]. A
// Function does not change, except by decoding into it.
type Function struct{ reader }

// New returns a function that maps n keys, given by their digests under
// c.Family, to the indexes 0 to n-1. It depends on the set of digests only and
// not on their order. O(n) time: a second for 5 to 10 million digests, and 2.5
// times as long if c.Compact is set. It needs about 3 bytes of memory per
// digest.
//
// New does not keep digests, but sorts them in place and may replace one copy
// of a digest by a copy of another. So they are the same set afterwards, also
// after an error.
//
// It returns [ErrParams] if two digests are equal. The remedies are to remove
// copies of keys, and to use another family if there are none: two different
// keys of n have one digest with a chance of n^2/2^65. It also returns
// ErrParams if the digests were chosen so that too many share a bucket; a keyed
// family prevents that. It returns the error of ctx if that ends first.
func New(ctx context.Context, c Config, digests []hashfam.Digest) (*Function, error) {
	sorted, err := sortDigests(ctx, digests)
	if err != nil {
		return nil, err
	}
	if copies := len(digests) - len(sorted); copies > 0 {
		return nil, paramError("digests", fmt.Sprintf("%d equal to earlier ones", copies), "distinct digests")
	}
	s, err := newStored(ctx, sorted, c.Compact, slotSize{}, c.Family)
	if err != nil {
		return nil, err
	}
	return &Function{reader{s}}, nil
}

// checkLen returns ErrParams if n keys are too many.
func checkLen(n int) error {
	if uint64(n) > maxKeys {
		return paramError("number of keys", n, fmt.Sprintf("at most %d", uint64(maxKeys)))
	}
	return nil
}

// NewReceiver returns a function to decode into. It accepts encodings made
// under fam, as a zero Function accepts those made under the public family.
// O(1) time.
func NewReceiver(fam hashfam.Family) *Function { return &Function{reader{stored{hash: fam.Hasher(0)}}} }

// Equal reports whether f and other are the same function: of the same family,
// with the same indexes. O(n) time, no allocation.
func (f *Function) Equal(other *Function) bool { return f.equal(&other.stored) }

// A reader has the methods that a [Function] and a [View] share.
type reader struct{ stored }

// Index returns the index of key, below Len. Different keys of the set that the
// function was built from have different indexes. Another key has one of these
// indexes, too: the function cannot tell. To detect other keys, use a [Filter],
// or keep the keys and compare. Index returns 0 if Len is 0.
//
// O(1) time, no allocation: one cache miss for 24 of 25 keys, and a few for the
// others.
func (r *reader) Index(key []byte) uint64 { return r.index(r.hash.Sum(key)) }

// IndexString is like Index for a string.
func (r *reader) IndexString(key string) uint64 { return r.index(r.hash.SumString(key)) }

// IndexDigest is Index for a digest under its family.
func (r *reader) IndexDigest(d hashfam.Digest) uint64 { return r.index(d) }

// IndexAll appends the answer of IndexDigest for each digest to dst and returns
// the extended slice. O(1) time per digest, and less than that of single calls
// if the function is larger than the cache. It allocates only if dst is too
// small.
func (r *reader) IndexAll(dst []uint64, digests []hashfam.Digest) []uint64 {
	dst = slices.Grow(dst, len(digests))
	for block := range slices.Chunk(digests, blockSize) {
		dst = r.indexBlock(dst, block)
	}
	return dst
}

// Params returns the parameters of the function. O(1) time.
func (r *reader) Params() Params { return r.layout.params(r.Family()) }

// String describes the function in one line, without the key of the family.
func (r reader) String() string { return fmt.Sprintf("perfect.Function(%v)", r.Params()) }

// Format prints String for every verb, as [hashfam.Family.Format] explains.
func (r reader) Format(s fmt.State, _ rune) { fmt.Fprint(s, r.String()) }

// LogValue returns String for package log/slog.
func (r reader) LogValue() slog.Value { return slog.StringValue(r.String()) }
