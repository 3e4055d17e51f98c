package ribbon

import (
	"context"
	"errors"
	"iter"

	"github.com/filterfam/filterfam/hashfam"
)

// The errors of a sequence that [Stream] reads.
var (
	ErrOrder = errors.New("the digests are not in ascending order of their probe sequences")
	ErrCount = errors.New("the number of distinct digests is not the given one")
)

// Stream is [Members] for a sequence of n distinct digests in the order of
// [Sort]; a copy right after the first one is ignored. Its memory, besides the
// result, is that for 2 % of the digests and for those of one shard, 1.3 MB. It
// also returns [ErrOrder] and [ErrCount].
func Stream(ctx context.Context, b Build, columns uint32, n uint64, digests iter.Seq[hashfam.Digest]) (*Ribbon, error) {
	l := layer{geometry: newGeometry(0, n, columns)}
	f := feed{build: b, layer: &l, left: n, chunk: make([]hashfam.Digest, 0, min(n, shardStarts*21/20))}
	f.fingerprints, f.bumped = fingerprints(columns), [][]hashfam.Digest{make([]hashfam.Digest, 0, n/enough)}
	r := &Ribbon{columns: columns, keys: n}
	if columns > 0 && n > 0 {
		l.allocate()
		r.layers = append(r.layers, l)
	}
	for d := range digests {
		if err := f.add(ctx, d); err != nil {
			return nil, err
		}
	}
	if f.left != 0 {
		return nil, ErrCount
	}
	if err := f.flush(ctx, l.shards()); err != nil {
		return nil, err
	}
	return r, r.rest(ctx, b, f.fingerprints, f.bumped)
}

// A feed builds the shards of a layer from digests in order.
type feed struct {
	system
	build Build
	layer *layer

	left  uint64 // digests to come
	last  uint64 // the rank of the last one
	any   bool   // whether there was one
	shard uint64 // the shard of chunk
	chunk []hashfam.Digest
}

// add takes the next digest.
func (f *feed) add(ctx context.Context, d hashfam.Digest) error {
	x := rank(d)
	switch {
	case f.any && x == f.last:
		return nil
	case x < f.last:
		return ErrOrder
	case f.left == 0:
		return ErrCount
	}
	f.left, f.last, f.any = f.left-1, x, true
	err := f.flush(ctx, d.Probe().In(f.layer.starts)/shardStarts)
	f.chunk = append(f.chunk, d)
	return err
}

// flush builds all shards before the given one. A layer without memory has
// nothing to build.
func (f *feed) flush(ctx context.Context, shard uint64) error {
	for ; f.shard < shard; f.shard++ {
		if f.layer.words != nil {
			f.system.build(f.layer.part(f.shard), f.layer, f.shard, [][]hashfam.Digest{f.chunk})
		}
		f.build.Report(len(f.chunk))
		f.chunk = f.chunk[:0]
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
