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
	r := &Ribbon{columns: columns, keys: n}
	l := newLayer(0, n, columns)
	if columns > 0 && n > 0 {
		l.allocate()
		r.layers = append(r.layers, l)
	}
	s := system{fingerprints: fingerprints(columns), bumped: [][]hashfam.Digest{make([]hashfam.Digest, 0, n/enough)}}
	f := feed{layer: &l, left: n, chunk: make([]hashfam.Digest, 0, min(n, shardStarts*21/20)), place: func(shard uint64, chunk []hashfam.Digest) error {
		if len(r.layers) > 0 {
			s.build(l.part(shard), &l, shard, [][]hashfam.Digest{chunk})
		}
		b.Report(len(chunk))
		return ctx.Err()
	}}
	if err := f.all(digests); err != nil {
		return nil, err
	}
	return r, r.rest(ctx, b, s.fingerprints, s.bumped)
}

// A feed divides a sequence of digests into those of each shard.
type feed struct {
	layer *layer
	place func(shard uint64, chunk []hashfam.Digest) error

	left  uint64 // digests to come
	last  uint64 // the rank of the last one
	any   bool   // whether there was one
	shard uint64 // the shard of chunk
	chunk []hashfam.Digest
}

// all calls place with the digests of each shard, in order. It returns the
// first error.
func (f *feed) all(digests iter.Seq[hashfam.Digest]) error {
	for d := range digests {
		if err := f.add(d); err != nil {
			return err
		}
	}
	if f.left != 0 {
		return ErrCount
	}
	return f.flush(f.layer.shards())
}

// add takes the next digest.
func (f *feed) add(d hashfam.Digest) error {
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
	err := f.flush(d.Probe().In(f.layer.starts) / shardStarts)
	f.chunk = append(f.chunk, d)
	return err
}

// flush places the chunks of all shards before the given one.
func (f *feed) flush(shard uint64) error {
	for ; f.shard < shard; f.shard++ {
		if err := f.place(f.shard, f.chunk); err != nil {
			return err
		}
		f.chunk = f.chunk[:0]
	}
	return nil
}
