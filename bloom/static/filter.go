package static

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Filter is a static filter. Use [New] or [NewFromSorted] to create one. Only
// decoding changes a Filter.
type Filter struct{ reader }

// New returns a filter of the keys with the given digests, which must be
// computed by c.Family. Neither their order nor copies matter. A build takes
// about 0.1 microseconds per digest and worker. In addition to the filter, it
// needs about a byte per digest and 1.5 MB per worker.
//
// New does not retain digests, but sorts them in place, and may replace a copy
// of a digest by a copy of another one. Even after an error, the slice still
// contains the same set, so you can append digests and build again.
//
// New returns [ErrParams], naming the field, if c is invalid for this number of
// digests. It also does so if the digests need more than 32 layers, which
// happens only if someone chose the keys for this purpose. It returns the error
// of ctx if the context is done first.
func New(ctx context.Context, c Config, digests []hashfam.Digest) (*Filter, error) {
	if _, err := c.columns(0); err != nil { // before digests are sorted
		return nil, err
	}
	n := uint64(len(digests))
	b := c.build(n, n)
	list, err := ribbon.Sort(ctx, b, digests)
	if err != nil {
		return nil, buildError(err, 0)
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
// of distinct digests is not n. It returns the error of ctx if the context is
// done first.
//
// NewFromSorted allocates the filter before reading the first digest. If there
// is not enough memory, the program crashes. If n comes from an untrusted
// source, call [Config.SizeBytes] first.
func NewFromSorted(ctx context.Context, c Config, n uint64, digests iter.Seq[hashfam.Digest]) (*Filter, error) {
	b := c.build(0, n)
	return c.filter(b, n, func(columns uint32) (*ribbon.Ribbon, error) {
		return ribbon.Stream(ctx, b, columns, n, digests)
	})
}

// filter returns the filter of n distinct digests. It calls members to build
// the ribbon, and reports all steps to b when the build is done.
func (c Config) filter(b ribbon.Build, n uint64, members func(columns uint32) (*ribbon.Ribbon, error)) (*Filter, error) {
	columns, err := c.columns(n)
	if err == nil { // digests for further layers need n/5 bytes
		err = errs.Fits(ErrParams, "keys", n, max(ribbon.EstimateBytes(columns, n), n/5))
	}
	if err != nil {
		return nil, err
	}
	var r *ribbon.Ribbon
	if c.fills() {
		r, err = ribbon.Within(c.MemoryBytes, columns, members)
	} else {
		r, err = members(columns)
	}
	if err != nil {
		return nil, buildError(err, n)
	}
	if size := r.PayloadBytes(); c.MemoryBytes > 0 && size > c.MemoryBytes {
		return nil, c.tooSmall(size, sizing.RibbonRate(r.ColumnsWithin(c.MemoryBytes), n))
	}
	b.Report(math.MaxInt)
	return &Filter{reader{c.Family.Hasher(r.SizeBytes()), *r, true}}, nil
}

// NewReceiver returns an empty filter that can decode data encoded with fam.
func NewReceiver(fam hashfam.Family) *Filter { return &Filter{reader{hash: fam.Hasher(0)}} }

// Equal reports whether f and other have the same family, rate and digests.
// Filters of the same keys are equal even if they were built in different ways.
// Equal compares all slots.
func (f *Filter) Equal(other *Filter) bool {
	return f.Family() == other.Family() && f.ribbon.Equal(&other.ribbon)
}

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

// Params returns the filter's parameters.
func (r *reader) Params() Params {
	s := r.ribbon.Shape()
	return Params{s.Keys, s.Columns, s.Layers, r.ribbon.PayloadBytes(), r.Family()}
}

// Family returns the family that hashes the keys.
func (r *reader) Family() hashfam.Family { return r.hash.Family() }

// Len returns the number of distinct keys. Keys with the same digest are
// counted as one.
func (r *reader) Len() uint64 { return r.ribbon.Shape().Keys }

// SizeBytes returns the size of the thresholds and slots in bytes. The
// structure itself adds less than 400 bytes.
func (r *reader) SizeBytes() uint64 { return r.ribbon.SizeBytes() }

// FalsePositiveRate returns the probability that the filter finds a key that it
// was not built from. This includes keys with the same digest as a member. The
// rate of a filter without keys is 0. FalsePositiveRate runs in O(n) time.
func (r *reader) FalsePositiveRate() float64 {
	return sizing.WithDigest(r.ribbon.Rate(), r.Len())
}

// String describes the filter in a single line.
func (r reader) String() string { return fmt.Sprintf("static.Filter(%v)", r.Params()) }

// Format prints the result of String for every verb.
func (r reader) Format(s fmt.State, _ rune) { fmt.Fprint(s, r.String()) }

// LogValue returns the result of String for package log/slog.
func (r reader) LogValue() slog.Value { return slog.StringValue(r.String()) }
