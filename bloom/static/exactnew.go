package static

import (
	"context"
	"fmt"
	"math/bits"

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

// SizeBytes returns the memory of an Exact with these parameters, to within the
// 8 bytes that an encoding has for each layer except one of each level. O(1)
// time.
func (p ExactParams) SizeBytes() uint64 { return p.Bytes }

// direct reports whether the members are the rarer class.
func (p ExactParams) direct() bool { return p.Members <= p.Others }

// classes returns the numbers of keys of the rarer class and of the other.
func (p ExactParams) classes() (rare, common uint64) {
	return min(p.Members, p.Others), max(p.Members, p.Others)
}

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
