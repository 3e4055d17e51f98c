package static

import (
	"context"
	"fmt"
	"log/slog"
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// An ExactConfig describes how to build an [Exact]. All else follows from the
// keys.
type ExactConfig struct {
	// Family hashes the keys. The zero value is the public family. Use a keyed
	// family if untrusted parties choose keys.
	Family hashfam.Family

	// Workers is the number of goroutines that build. Zero stands for
	// runtime.GOMAXPROCS(0). The result does not depend on it.
	Workers int

	_ struct{} // literals name their fields
}

// ExactParams are the parameters of an [Exact].
type ExactParams struct {
	Members uint64 // distinct keys
	Others  uint64 // distinct keys
	Bytes   uint64 // the size of the encoding without its header and checksum

	Family hashfam.Family
}

// String describes p in one line, without the key of the family.
func (p ExactParams) String() string {
	return fmt.Sprintf("%d members, %d others, %d bytes, family %v", p.Members, p.Others, p.Bytes, p.Family)
}

// direct reports whether the members are the rarer class.
func (p ExactParams) direct() bool { return p.Members <= p.Others }

// classes returns the numbers of keys of the rarer class and of the other.
func (p ExactParams) classes() (rare, common uint64) {
	return min(p.Members, p.Others), max(p.Members, p.Others)
}

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

// classColumns is the number of columns of the second level, in units of
// 1/65536.
const classColumns = 1 << 16

// filterColumns returns the number of columns of the first level, floor(log2
// (common/rare)), in units of 1/65536. A column costs one bit for each rarer
// key, and halves the other keys that need a bit in the second level. The size
// is linear between two whole numbers, so no mixture of them is better.
func filterColumns(rare, common uint64) uint32 {
	if rare == 0 {
		return 0
	}
	return min(uint32(max(1, bits.Len64(common/rare))-1)<<16, ribbon.MaxColumns)
}

// NewExact returns an Exact that contains the members and not the others, all
// given by their digests under c.Family. Both lists may have copies, and either
// may be empty. The order does not matter: the same two sets give the same
// bytes. O(n) time for n digests of both lists, about 0.1 microseconds for each
// digest and worker. Besides the result it takes about a byte of memory for
// each digest, and 1.5 MB for each worker. NewExact keeps neither list, but
// reorders both; each stays the same set, as [New] explains.
//
// It returns [ErrParams] if a digest is in both lists: a key is in both, or two
// different keys have one digest. Take another family in the latter case, which
// has a chance of R*S/2^64 for R members and S others. It returns the error of
// ctx if that ends first.
func NewExact(ctx context.Context, c ExactConfig, members, others []hashfam.Digest) (*Exact, error) {
	if c.Workers < 0 {
		return nil, paramError("ExactConfig.Workers", c.Workers, "at least 0")
	}
	b := Config{Workers: c.Workers}.build(0, 0)
	members, err := ribbon.Sort(ctx, b, members)
	if err != nil {
		return nil, buildError(err, 0)
	}
	if others, err = ribbon.Sort(ctx, b, others); err != nil {
		return nil, buildError(err, 0)
	}
	// Without this check no layer could place a digest of both lists: its two
	// equations contradict each other.
	if n := inBoth(members, others); n > 0 {
		return nil, paramError("others", fmt.Sprintf("%d digests of members", n), "digests that are not in members")
	}
	p := ExactParams{Members: uint64(len(members)), Others: uint64(len(others)), Family: c.Family}
	rare, common := members, others
	if !p.direct() {
		rare, common = others, members
	}
	e := &Exact{exactReader{params: p}}
	if err := e.fill(ctx, b, rare, common); err != nil {
		return nil, buildError(err, 0)
	}
	return e, nil
}

// inBoth returns the number of digests that are in both lists, which
// [ribbon.Sort] has sorted. O(n) time.
func inBoth(a, b []hashfam.Digest) (n int) {
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0].Probe(), b[0].Probe()
		if x == y {
			n++
		}
		if x <= y {
			a = a[1:]
		}
		if y <= x {
			b = b[1:]
		}
	}
	return n
}

// fill builds both levels of e from the lists of [ribbon.Sort], which have no
// digest in common. It reorders the second one.
func (e *Exact) fill(ctx context.Context, b ribbon.Build, rare, other []hashfam.Digest) error {
	if len(rare) == 0 {
		other = nil // every key is of the other class
	}
	filter, err := ribbon.Members(ctx, b, filterColumns(e.params.classes()), rare)
	if err != nil {
		return err
	}
	passed, err := passing(ctx, b, filter, other)
	if err != nil {
		return err
	}
	class, err := ribbon.Values(ctx, b, classColumns, passed, rare)
	if err != nil {
		return err
	}
	e.set(filter, class)
	return nil
}

// passBlock is the number of digests that a worker asks a filter for at a time.
const passBlock = 1 << 14

// passing moves the digests that pass the filter to the front of digests, in
// the same order, and returns them.
func passing(ctx context.Context, b ribbon.Build, filter *ribbon.Ribbon, digests []hashfam.Digest) ([]hashfam.Digest, error) {
	blocks := (len(digests) + passBlock - 1) / passBlock
	passed := make([]int, blocks) // of each block
	err := b.Parallel(ctx, blocks, func(next func() (int, bool)) {
		for i, ok := next(); ok; i, ok = next() {
			block := digests[i*passBlock : min(len(digests), (i+1)*passBlock)]
			for j, d := range block {
				if filter.Contains(d) {
					swap(block, passed[i], j)
					passed[i]++
				}
			}
		}
	})
	n := 0
	for i, count := range passed {
		for j := range count {
			swap(digests, n, i*passBlock+j)
			n++
		}
	}
	return digests[:n], err
}

func swap(list []hashfam.Digest, i, j int) { list[i], list[j] = list[j], list[i] }

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

// zeroExact is the panic of a zero exactReader.
var zeroExact any = errs.ZeroText("Exact or ExactView", "NewExact or NewExactView, or decode into it")

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
	if e.class.Shape().Columns == 0 {
		panic(zeroExact)
	}
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
	if e.class.Shape().Columns == 0 {
		panic(zeroExact)
	}
	dst = slices.Grow(dst, len(digests))
	for block := range slices.Chunk(digests, exactBlock) {
		dst = e.containsBlock(dst, block)
	}
	return dst
}

// containsBlock is ContainsAll for a block. dst has room for the answers.
func (e *exactReader) containsBlock(dst []bool, digests []hashfam.Digest) []bool {
	if e.filter.Shape().Columns == 0 {
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
