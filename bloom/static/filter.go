package static

import (
	"context"
	"fmt"
	"iter"
	"log/slog"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// New returns a filter of the keys with the given digests, which must be
// computed by c.Family. Neither their order nor copies matter. In addition to
// the filter, New needs up to half a byte of memory per digest and 1.5 MB per
// worker.
//
// New does not retain digests, but changes their order. You can append digests
// and build again.
//
// New returns [hashfam.ErrParams], naming the field, if c is invalid for this
// number of digests, if the digests are not hashes (there are at least 100, and
// one of their lowest 48 bits is the same in all of them), or if they need more
// than 32 layers, which happens only if someone chose the keys. If the context
// is done first, New returns an error that wraps the context's error.
func New(ctx context.Context, c Config, digests []hashfam.Digest) (*Filter, error) {
	if _, err := c.columns(0); err != nil { // before digests are sorted
		return nil, err
	}
	if err := errs.Context(ctx); err != nil {
		return nil, err
	}
	n := uint64(len(digests))
	b := c.options(n, n)
	list, err := sorted(ctx, b, digests)
	if err != nil {
		return nil, err
	}
	return c.buildMembers(b, uint64(len(list)), func(p plan) (*ribbon.Ribbon, error) {
		return ribbon.Members(ctx, b, p.columns, list)
	})
}

// buildMembers is like build for a filter of n keys, without absent ones.
func (c Config) buildMembers(b ribbon.Build, n uint64, ribbonOf maker) (*Filter, error) {
	columns, err := c.columns(n)
	if err != nil {
		return nil, err
	}
	return c.build(b, plan{lists: lists{inside: n}, columns: columns}, ribbonOf)
}

// NewFromSorted returns the same filter as [New] for n distinct digests in
// ascending order of d.Probe(), the first value of the probe sequence. The
// digests do not need to be in memory all at once; for example, they can be
// read from files that an external sort has written. Repeated digests are
// skipped. In addition to the filter, NewFromSorted allocates 0.5 bytes per
// digest and 1.5 MB. One worker places the digests as they arrive, so the other
// workers only help with the 2% that are moved to further layers. If c has
// MemoryBytes but no FPRate, NewFromSorted usually iterates over digests twice.
//
// NewFromSorted returns [hashfam.ErrParams] if c is invalid for n digests, if
// the filter would be too large for the platform, if the digests are not in
// order, if the number of distinct digests is not n, or if New would reject the
// digests. If digest i of the sequence, counted from 0, is lower than the
// previous one, the error names "digest i". If n is too large, the error says
// how many distinct digests there were. If the context is done first,
// NewFromSorted returns an error that wraps the context's error.
//
// A sequence cannot return an error. If reading the digests fails, end the
// sequence and keep the error in a variable. NewFromSorted then returns
// ErrParams, because digests are missing, so check your own error first.
//
// NewFromSorted allocates the filter before reading the first digest. If there
// is not enough memory, the program crashes, so call [Config.EstimatedBytes]
// first if n comes from an untrusted source.
func NewFromSorted(ctx context.Context, c Config, n uint64, digests iter.Seq[hashfam.Digest]) (*Filter, error) {
	if err := errs.Context(ctx); err != nil {
		return nil, err
	}
	if digests == nil {
		return nil, paramError("digests", nil, "an iterator")
	}
	b := c.options(0, n)
	return c.buildMembers(b, n, func(p plan) (*ribbon.Ribbon, error) {
		return ribbon.Stream(ctx, b, p.columns, n, digests, errs)
	})
}

// NewReceiver returns an empty filter for decoding data that was encoded with
// fam. A zero Filter decodes data that was encoded with the public family.
func NewReceiver(fam hashfam.Family) *Filter { return &Filter{hash: fam.Hasher(0)} }

// Params returns the filter's parameters.
func (f *Filter) Params() Params {
	s := f.ribbon.Shape()
	l := lists{inside: s.Keys, others: f.others, inverse: f.ribbon.Inverse()}
	return Params{
		Keys:    l.members(),
		Absent:  l.absent(),
		columns: s.Columns,
		layers:  s.Layers,
		Family:  f.Family(),
		bytes:   f.ribbon.PayloadBytes(),
	}
}

// Family returns the family that hashes the keys.
func (f *Filter) Family() hashfam.Family { return f.hash.Family() }

// Len returns the number of distinct keys that the filter was built from,
// without the absent ones. Keys with the same digest are counted as one.
func (f *Filter) Len() uint64 { return f.Params().Keys }

// SizeBytes returns the size of the filter's arrays in bytes. All other fields
// need less than a kilobyte.
func (f *Filter) SizeBytes() uint64 { return f.ribbon.SizeBytes() }

// Equal reports whether f and other have the same Params and the same arrays,
// in O(n) time. Filters that were built from the same keys with the same family
// and rate are equal, even if they were built in different ways.
func (f *Filter) Equal(other *Filter) bool {
	return other != nil && f.Family() == other.Family() && f.others == other.others && f.ribbon.Equal(&other.ribbon)
}

// String describes f in one line.
func (f Filter) String() string { return fmt.Sprintf("static.Filter(%v)", f.Params()) }

// Format prints the result of String for every verb.
func (f Filter) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// LogValue returns the result of String for package log/slog.
func (f Filter) LogValue() slog.Value { return slog.StringValue(f.String()) }
