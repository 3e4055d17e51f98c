package perfect

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// New returns a function for the n keys with the given digests, which must be
// computed by c.Family. The function depends only on the set of digests, not on
// their order. In addition to the function, New needs about half a byte of
// memory per digest.
//
// New does not retain digests, but changes their order.
//
// If two digests are equal, New returns [hashfam.ErrParams]. The error contains
// one of the equal digests but no positions, because New has changed the order.
// In this case, remove duplicate keys or, if there are none, use another
// family: with probability n^2/2^65, two of n different keys have the same
// digest. New also returns ErrParams if the digests are not hashes (there are
// at least 100, and one of their lowest 48 bits is the same in all of them),
// and if too many digests share a bucket in every level. The latter happens
// only if someone chose the keys, so a keyed family prevents it. If the context
// is done first, New returns an error that wraps the context's error.
func New(ctx context.Context, c Config, digests []hashfam.Digest) (*Function, error) {
	if err := errs.Context(ctx); err != nil {
		return nil, err
	}
	sorted, err := sortDigests(ctx, digests)
	if err != nil {
		return nil, err
	}
	if copies := len(digests) - len(sorted); copies > 0 {
		text := fmt.Sprintf("%d equal to others, for example 0x%016x", copies, uint64(digests[len(sorted)]))
		return nil, paramError("digests", text, "distinct digests; if no key is repeated, use another family")
	}
	return c.build(ctx, uint64(len(sorted)), slices.Values(sorted))
}

// NewFromSorted returns the same function as [New] for n distinct digests in
// ascending order of d.Probe(), the first value of the probe sequence. The
// digests do not need to be in memory all at once; for example, they can be
// read from files that an external sort has written. In addition to the
// function, NewFromSorted uses 0.5 bytes of memory per digest, or 0.2 if
// c.Compact is set, and less than 1 MB. It takes as long as New needs after
// sorting, and uses one goroutine, because each bucket depends on the previous
// ones. To use more cores or machines, divide the keys by
// [hashfam.Digest.Shard] and build several functions; see docs/distributed.md.
//
// A sequence cannot return an error. If reading the digests fails, end the
// sequence and keep the error in a variable. NewFromSorted then returns
// ErrParams, because digests are missing, so check your own error first.
//
// NewFromSorted returns [hashfam.ErrParams] if the digests are not in order or
// not distinct, if their number is not n, or if the function would be too large
// for the platform. It also returns the other errors of New. After an error, it
// does not read the rest of the sequence.
//
// NewFromSorted allocates the memory before reading the first digest. If there
// is not enough memory, the program crashes, so call [Config.EstimatedBytes]
// first if n comes from an untrusted source.
func NewFromSorted(ctx context.Context, c Config, n uint64, digests iter.Seq[hashfam.Digest]) (*Function, error) {
	if err := errs.Context(ctx); err != nil {
		return nil, err
	}
	if digests == nil {
		return nil, paramError("digests", nil, "an iterator")
	}
	return c.build(ctx, n, digests)
}

// build builds a function of n sorted digests.
func (c Config) build(ctx context.Context, n uint64, digests iter.Seq[hashfam.Digest]) (*Function, error) {
	s, err := build(ctx, c.shape(n), c.Family, withZeros(digests))
	if err != nil {
		return nil, err
	}
	return &Function{s}, nil
}

// NewReceiver returns an empty function for decoding data that was encoded with
// fam. A zero Function decodes data that was encoded with the public family.
func NewReceiver(fam hashfam.Family) *Function { return &Function{stored{hash: fam.Hasher(0)}} }

// Params returns the function's parameters.
func (f *Function) Params() Params { return f.shape.params(f.Family()) }

// Equal reports whether f and other have the same family and equal encodings.
func (f *Function) Equal(other *Function) bool { return other != nil && f.equal(&other.stored) }

// String describes f in one line.
func (f Function) String() string { return fmt.Sprintf("perfect.Function(%v)", f.Params()) }

// Format prints the result of String for every verb.
func (f Function) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// LogValue returns the result of String for package log/slog.
func (f Function) LogValue() slog.Value { return slog.StringValue(f.String()) }
