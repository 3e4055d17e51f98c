package static

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// An ExactConfig describes how to build an [Exact]. Its size follows from the
// keys.
type ExactConfig struct {
	Family  hashfam.Family // hashes the keys; see [Config]
	Workers int            // number of goroutines that build the Exact; see [Config]

	_ struct{} // literals must name their fields
}

// ExactParams are the parameters of an [Exact].
type ExactParams struct {
	Members uint64 // distinct keys
	Others  uint64 // distinct keys

	Family hashfam.Family

	bytes uint64 // the size of the encoding without its header and checksum
}

// String describes p in one line, without the family's key.
func (p ExactParams) String() string {
	return fmt.Sprintf("%d members, %d others, %d bytes, family %v", p.Members, p.Others, p.bytes, p.Family)
}

// SizeBytes returns the size of an Exact with these parameters. It includes 8
// bytes for each layer after the first of each level, which only the encoding
// needs.
func (p ExactParams) SizeBytes() uint64 { return p.bytes }

// direct reports whether the members are the rarer class.
func (p ExactParams) direct() bool { return p.Members <= p.Others }

// classes returns the numbers of keys in the rarer class and in the other one.
func (p ExactParams) classes() (rare, common uint64) {
	return min(p.Members, p.Others), max(p.Members, p.Others)
}

// An Exact returns the right result for every key in a known universe, which
// consists of the members and the others that it was built from. Use [NewExact]
// or [NewExactView] to create one. Only decoding changes an Exact.
//
// An Exact has two levels, as Clubcard does, while CRLite uses a cascade of
// filters for this purpose. The first level is a filter of the rarer class with
// r = floor(log2(ratio)) columns, where ratio is the number of keys in the
// other class for each rarer key. All rarer keys pass this filter, and so do
// 2^-r of the others. If the ratio is below 2, there is no first level. The
// second level stores the class of each key that passes, in one bit. For R
// rarer keys and S others, an Exact uses about R (r+1) + S/2^r bits: 2.0 bits
// per rarer key at ratio 1, 4.3 at 5, 7.7 at 50 and 12.1 at 1,000.
//
// A key in neither list is a foreign key. It is mistaken for a key in the rarer
// class with probability 2^-(r+1), and otherwise for a key in the other class.
// If there are no keys at all, Contains returns false.
type Exact struct {
	params ExactParams
	filter ribbon.Ribbon // of the rarer class
	class  ribbon.Ribbon // of each key that passes: 1 if it is in the rarer class
	direct bool          // the members are the rarer class
	hash   hashfam.Hasher
	view   *frame.View // the frame that NewExactView uses in place, or nil
}

var zeroExact = errs.Zero("Exact", "NewExact or NewExactView, or decode into it")

// NewExact returns an Exact that contains the members and not the others. Both
// lists contain digests computed by c.Family, in any order and with any number
// of copies, and can be empty. The same two sets always have the same encoding.
// Like [New], NewExact does not retain the lists, but changes their order, and
// it needs the same time and memory per digest.
//
// NewExact returns [hashfam.ErrParams] if a digest is in both lists. Then
// either a key is in both, or two different keys have the same digest. The
// latter has a probability of R*S/2^64 for R members and S others; use another
// family in this case. If the context is done first, NewExact returns its
// error.
func NewExact(ctx context.Context, c ExactConfig, members, others []hashfam.Digest) (*Exact, error) {
	if c.Workers < 0 {
		return nil, paramError("ExactConfig.Workers", c.Workers, "at least 0")
	}
	if err := errs.Context(ctx); err != nil {
		return nil, err
	}
	b := Config{Workers: c.Workers}.options(0, 0)
	members, err := ribbon.Sort(ctx, b, members)
	if err != nil {
		return nil, buildError(err)
	}
	others, err = ribbon.Sort(ctx, b, others)
	if err != nil {
		return nil, buildError(err)
	}
	// Without this check, no layer could place a digest from both lists,
	// because its two equations contradict each other.
	if n := inBoth(members, others); n > 0 {
		return nil, paramError("others", fmt.Sprintf("%d digests of members", n), "digests that are not in members")
	}
	p := ExactParams{Members: uint64(len(members)), Others: uint64(len(others)), Family: c.Family}
	rare, common := members, others
	if !p.direct() {
		rare, common = others, members
	}
	e := &Exact{params: p}
	if err := e.build(ctx, b, rare, common); err != nil {
		return nil, buildError(err)
	}
	return e, nil
}

// NewExactReceiver returns an empty Exact that can decode data encoded with
// fam.
func NewExactReceiver(fam hashfam.Family) *Exact {
	return &Exact{params: ExactParams{Family: fam}}
}

// made returns e. It panics if e is zero: its second level has no columns.
func (e *Exact) made() *Exact {
	if e.class.IsZero() {
		panic(zeroExact)
	}
	return e
}

// Contains reports whether key is a member. The result is always right for a
// key in either list; see [Exact] for foreign keys. Contains causes up to four
// cache misses if the key passes the first level, and otherwise two.
func (e *Exact) Contains(key []byte) bool { return e.ContainsDigest(e.hash.Sum(key)) }

// ContainsString is like Contains for a string key.
func (e *Exact) ContainsString(key string) bool {
	return e.ContainsDigest(e.hash.SumString(key))
}

// ContainsDigest is like Contains for a digest computed by the family.
func (e *Exact) ContainsDigest(d hashfam.Digest) bool {
	rare := e.made().filter.Contains(d) && e.class.Value(d) == 1
	return rare == e.direct
}

// exactBlock is the largest number of digests in a block. The results for a
// block remain in the cache between the two levels.
const exactBlock = 1024

// ContainsAll appends the result of ContainsDigest for each digest to dst and
// returns the extended slice. Since it looks up a block of digests in the first
// level before it uses the second one, it is faster than single calls for keys
// that the first level rejects.
func (e *Exact) ContainsAll(dst []bool, digests []hashfam.Digest) []bool {
	filter := &e.made().filter
	dst = slices.Grow(dst, len(digests))
	for block := range slices.Chunk(digests, exactBlock) {
		from := len(dst)
		dst = filter.ContainsAll(dst, block)
		for i, passed := range dst[from:] {
			rare := passed && e.class.Value(block[i]) == 1
			dst[from+i] = rare == e.direct
		}
	}
	return dst
}

// Params returns the parameters.
func (e *Exact) Params() ExactParams { return e.params }

// Family returns the family that hashes the keys.
func (e *Exact) Family() hashfam.Family { return e.params.Family }

// SizeBytes returns the size of both levels in bytes. The structure itself adds
// less than 800 bytes.
func (e *Exact) SizeBytes() uint64 { return e.filter.SizeBytes() + e.class.SizeBytes() }

// Equal reports whether e and other have the same family, key counts and
// levels, as they do if they were built from the same two sets of keys. Equal
// compares all bytes.
func (e *Exact) Equal(other *Exact) bool {
	return other != nil && e.params == other.params && e.filter.Equal(&other.filter) && e.class.Equal(&other.class)
}

// String describes e in one line.
func (e Exact) String() string { return fmt.Sprintf("static.Exact(%v)", e.params) }

// Format prints the result of String for every verb.
func (e Exact) Format(s fmt.State, _ rune) { fmt.Fprint(s, e.String()) }

// LogValue returns the result of String for package log/slog.
func (e Exact) LogValue() slog.Value { return slog.StringValue(e.String()) }
