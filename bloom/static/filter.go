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

// A Filter is a static filter. Make one with [New] or [NewFromSorted]. It does
// not change, except by decoding into it.
type Filter struct{ reader }

// New returns a filter of keys, given by their digests under c.Family, in any
// order. Copies of a digest count once. O(n) time: about 0.1 microseconds per
// digest and worker. Besides the filter, it takes about a byte of memory per
// digest and 1.5 MB for each worker.
//
// New does not keep digests, but sorts them in place and may replace one copy
// of a digest by a copy of another. So they are the same set afterwards, also
// after an error: you can append further digests and build again.
//
// It returns [ErrParams], naming the field, if c is invalid for that number of
// digests, and also if they need more than 32 layers, which takes keys that
// were chosen for that. It returns the error of ctx if that ends first.
func New(ctx context.Context, c Config, digests []hashfam.Digest) (*Filter, error) {
	if err := c.check(); err != nil {
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

// NewFromSorted returns a filter of n distinct digests that arrive in ascending
// order of d.Probe(), the first value of their probe sequence. So they need not
// be in memory together: they can come from files that an external sort has
// written. Besides the filter it allocates 0.5 bytes for each digest, and 1.5
// MB. One worker places the digests as they come; the others only help with the
// 2 % that go to further layers. O(n) time. The filter is the one that [New]
// returns. If c has MemoryBytes and no FPRate, it reads digests twice.
//
// It returns [ErrParams] if c is invalid for n digests, if their filter is too
// large for the platform, if they are out of order, or if n is not their
// number; a digest that is repeated counts once. It returns the error of ctx if
// that ends first.
//
// NewFromSorted allocates the filter before the first digest arrives. The
// program ends if the machine does not have that much memory. If n comes from
// an untrusted source, check [Config.SizeBytes] first.
func NewFromSorted(ctx context.Context, c Config, n uint64, digests iter.Seq[hashfam.Digest]) (*Filter, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	b := c.build(0, n)
	return c.filter(b, n, func(columns uint32) (*ribbon.Ribbon, error) {
		return ribbon.Stream(ctx, b, columns, n, digests)
	})
}

// filter returns the filter of n distinct digests. members builds their ribbon
// and reports to b, which has all steps at the end.
func (c Config) filter(b ribbon.Build, n uint64, members func(columns uint32) (*ribbon.Ribbon, error)) (*Filter, error) {
	columns, err := c.columns(n)
	if err == nil { // n/5 bytes hold the digests of further layers
		err = errs.Fits(ErrParams, "keys", n, max(ribbon.EstimateBytes(columns, n), n/5))
	}
	if err != nil {
		return nil, err
	}
	var r *ribbon.Ribbon
	rate := c.FPRate
	if c.fills() {
		rate = 0.5 // for the error
		r, err = ribbon.Within(c.most(), columns, members)
	} else {
		r, err = members(columns)
	}
	if err != nil {
		return nil, buildError(err, n)
	}
	if size := r.PayloadBytes(); c.MemoryBytes > 0 && size > c.MemoryBytes {
		return nil, c.tooSmall(size, rate, sizing.RibbonRate(r.ColumnsWithin(c.MemoryBytes), n))
	}
	b.Report(math.MaxInt)
	return &Filter{newReader(c.Family, *r)}, nil
}

// NewReceiver returns an empty filter to decode into. It accepts encodings made
// under fam, as a zero Filter accepts those made under the public family. O(1)
// time.
func NewReceiver(fam hashfam.Family) *Filter { return &Filter{reader{hash: fam.Hasher(0)}} }

// Equal reports whether f and other are filters of the same family, rate and
// digests. Filters with the same keys are equal, whatever way they were built.
// O(n) time.
func (f *Filter) Equal(other *Filter) bool {
	return f.Family() == other.Family() && f.ribbon.Equal(&other.ribbon)
}

// A reader has the methods that a [Filter] and a [View] share.
type reader struct {
	hash   hashfam.Hasher
	ribbon ribbon.Ribbon
	valid  bool // false in a zero reader
}

func newReader(fam hashfam.Family, r ribbon.Ribbon) reader {
	return reader{fam.Hasher(r.SizeBytes()), r, true}
}

// zeroReader is the panic of a reader that nothing has built and that nothing
// was decoded into.
var zeroReader any = errs.ZeroText("Filter or View", "New or NewView, or decode into it")

// Contains reports whether key may be one of the keys that the filter was built
// from. False is certain; true is wrong with the filter's false-positive rate.
// O(log 1/FPRate) time, no allocation. It reads two neighboring segments of
// memory, at 1 % of 56 bytes each, and for 2 % of the keys two more.
func (r *reader) Contains(key []byte) bool { return r.ContainsDigest(r.hash.Sum(key)) }

// ContainsString is like Contains for a string.
func (r *reader) ContainsString(key string) bool { return r.ContainsDigest(r.hash.SumString(key)) }

// ContainsDigest is Contains for a digest under the filter's family.
func (r *reader) ContainsDigest(d hashfam.Digest) bool {
	if !r.valid {
		panic(zeroReader)
	}
	return r.ribbon.Contains(d)
}

// ContainsAll appends the answer of ContainsDigest for each digest to dst and
// returns the extended slice. O(log 1/FPRate) time per digest, and less than
// half of the time of single calls if the filter is larger than the cache: the
// memory of many keys is fetched at once. It allocates only if dst is too
// small.
func (r *reader) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	if !r.valid {
		panic(zeroReader)
	}
	return r.ribbon.ContainsAll(dst, digests)
}

// Params returns the parameters of the filter. O(1) time.
func (r *reader) Params() Params {
	s := r.ribbon.Shape()
	return Params{s.Keys, s.Columns, s.Layers, r.ribbon.PayloadBytes(), r.Family()}
}

// Family returns the family that hashes the keys. O(1) time.
func (r *reader) Family() hashfam.Family { return r.hash.Family() }

// Len returns the number of distinct keys. It is exact, but counts keys with
// equal digests as one. O(1) time.
func (r *reader) Len() uint64 { return r.ribbon.Shape().Keys }

// SizeBytes returns the memory of the thresholds and slots in bytes. The filter
// itself adds less than 300. O(1) time.
func (r *reader) SizeBytes() uint64 { return r.ribbon.SizeBytes() }

// FalsePositiveRate returns the chance that the filter finds a key that it was
// not built from. It is that of a random fingerprint, with the columns that the
// filter has, and includes keys whose digest equals a member's. It is 0 for a
// filter of no keys. O(n/8) time.
func (r *reader) FalsePositiveRate() float64 {
	return sizing.WithDigest(r.ribbon.Rate(), r.Len())
}

// String describes the filter in one line, without the key of the family.
func (r reader) String() string { return fmt.Sprintf("static.Filter(%v)", r.Params()) }

// Format prints String for every verb, as [hashfam.Family.Format] explains.
func (r reader) Format(s fmt.State, _ rune) { fmt.Fprint(s, r.String()) }

// LogValue returns String for package log/slog.
func (r reader) LogValue() slog.Value { return slog.StringValue(r.String()) }
