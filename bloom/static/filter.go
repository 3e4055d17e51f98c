package static

import (
	"context"
	"fmt"
	"iter"
	"log/slog"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
	"github.com/filterfam/filterfam/internal/sizing"
)

// New returns a filter of the keys with the given digests, which must be
// computed by c.Family. Neither their order nor copies matter. A build takes
// about 0.1 microseconds per digest and worker. In addition to the filter, it
// needs about a byte per digest and 1.5 MB per worker.
//
// New does not retain digests, but changes their order. You can append digests
// and build again.
//
// New returns [ErrParams], naming the field, if c is invalid for this number of
// digests. It also does so if the digests need more than 32 layers, which
// happens only if someone chose the keys for this purpose. It returns the error
// of ctx if the context is done first.
func New(ctx context.Context, c Config, digests []hashfam.Digest) (*Filter, error) {
	if _, err := c.columns(0); err != nil { // before digests are sorted
		return nil, err
	}
	if err := errs.Context(ctx); err != nil {
		return nil, err
	}
	n := uint64(len(digests))
	b := c.build(n, n)
	list, err := ribbon.Sort(ctx, b, digests)
	if err != nil {
		return nil, buildError(err)
	}
	return c.filter(b, uint64(len(list)), func(columns uint32) (*ribbon.Ribbon, error) {
		return ribbon.Members(ctx, b, columns, list)
	})
}

// NewFromSorted returns the same filter as [New] for n distinct digests in
// ascending order of d.Probe(), the first value of the probe sequence. The
// digests do not need to be in memory all at once; for example, they can be
// read from files that an external sort has written. Repeated digests are
// skipped. In addition to the filter, NewFromSorted allocates 0.5 bytes per
// digest and 1.5 MB. One worker places the digests as they arrive; the others
// only help with the 2% that are moved to further layers. If c has MemoryBytes
// but no FPRate, NewFromSorted iterates over digests twice.
//
// It returns [ErrParams] if c is invalid for n digests, if the filter would be
// too large for the platform, if the digests are not in order, or if the number
// of distinct digests is not n. If digest i of the sequence, counted from 0, is
// lower than the previous one, the error names "digest i". If n is too large,
// the error says how many distinct digests there were. NewFromSorted returns the
// error of ctx if the context is done first.
//
// A sequence that reads a file cannot return its own error, and looks as if n
// were too large. Keep such an error in a variable, and check it first.
//
// NewFromSorted allocates the filter before reading the first digest. If there
// is not enough memory, the program crashes. If n comes from an untrusted
// source, call [Config.EstimatedBytes] first.
func NewFromSorted(ctx context.Context, c Config, n uint64, digests iter.Seq[hashfam.Digest]) (*Filter, error) {
	if err := errs.Context(ctx); err != nil {
		return nil, err
	}
	b := c.build(0, n)
	return c.filter(b, n, func(columns uint32) (*ribbon.Ribbon, error) {
		return ribbon.Stream(ctx, b, columns, n, digests, errs)
	})
}

// NewReceiver returns an empty filter that can decode data encoded with fam.
func NewReceiver(fam hashfam.Family) *Filter { return &Filter{hash: fam.Hasher(0)} }

// Params returns the filter's parameters.
func (f *Filter) Params() Params {
	s := f.ribbon.Shape()
	return Params{s.Keys, s.Columns, s.Layers, f.Family(), f.ribbon.PayloadBytes()}
}

// Family returns the family that hashes the keys.
func (f *Filter) Family() hashfam.Family { return f.hash.Family() }

// Len returns the number of distinct keys. Keys with the same digest are
// counted as one.
func (f *Filter) Len() uint64 { return f.ribbon.Shape().Keys }

// SizeBytes returns the size of the thresholds and slots in bytes. The
// structure itself adds less than 400 bytes.
func (f *Filter) SizeBytes() uint64 { return f.ribbon.SizeBytes() }

// FalsePositiveRate returns the probability that the filter finds a key that it
// was not built from. This includes keys with the same digest as a member. The
// rate of a filter without keys is 0. FalsePositiveRate runs in O(n) time.
func (f *Filter) FalsePositiveRate() float64 {
	return sizing.WithDigest(f.ribbon.Rate(), f.Len())
}

// Equal reports whether f and other have the same family, rate and digests.
// Filters of the same keys are equal even if they were built in different ways.
// Equal compares all slots.
func (f *Filter) Equal(other *Filter) bool {
	return other != nil && f.Family() == other.Family() && f.ribbon.Equal(&other.ribbon)
}

// String describes the filter in a single line.
func (f Filter) String() string { return fmt.Sprintf("static.Filter(%v)", f.Params()) }

// Format prints the result of String for every verb.
func (f Filter) Format(s fmt.State, _ rune) { fmt.Fprint(s, f.String()) }

// LogValue returns the result of String for package log/slog.
func (f Filter) LogValue() slog.Value { return slog.StringValue(f.String()) }
