package ribbon

import (
	"context"
	"fmt"
	"iter"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// Stream is like [Members] for a sequence of n distinct digests in the order of
// [Sort], in which repeated digests are ignored. In addition to the result, it
// uses memory for 2.5% of the digests, and 1.3 MB for the current shard. It
// returns ErrParams if a digest is not in order, if n is wrong, or if the
// digests are not hashes.
func Stream(ctx context.Context, b Build, columns uint32, n uint64, digests iter.Seq[hashfam.Digest], m *fault.Maker) (*Ribbon, error) {
	l := newLayer(0, n, columns)
	s := systems.Get().(*system)
	bumped := [][]hashfam.Digest{make([]hashfam.Digest, 0, n/enough)}
	s.reset(fingerprints(columns), bumped)
	defer func() {
		s.reset(0, nil) // so that the pool does not keep the list
		systems.Put(s)
	}()
	f := feed{system: s, build: b, errs: m, layer: &l, left: n, chunk: make([]hashfam.Digest, 0, min(n, shardStarts*21/20))}
	for d := range digests {
		if err := f.add(ctx, d); err != nil {
			return nil, err
		}
	}
	if f.left != 0 {
		return nil, f.wrongCount(fmt.Sprint(n - f.left))
	}
	if err := f.bits.Check(m); err != nil {
		return nil, err
	}
	if err := f.flush(ctx, l.shards()); err != nil {
		return nil, err
	}
	r := &Ribbon{columns: columns, keys: n}
	if columns > 0 && n > 0 {
		r.layers = append(r.layers, l)
	}
	b.Did = nil // it has been called for all digests
	bumped, err := sortEach(ctx, b, bumped)
	if err != nil {
		return nil, err
	}
	return r, r.build(ctx, b, fingerprints(columns), bumped)
}

// A feed builds a layer's shards from digests in order. Without columns, there
// is nothing to build.
type feed struct {
	system *system
	build  Build
	errs   *fault.Maker
	layer  *layer

	index uint64 // number of digests so far, including copies
	left  uint64 // number of remaining digests
	last  uint64 // the last digest's rank
	shard uint64 // the shard that contains chunk
	chunk []hashfam.Digest
	bits  Bits
}

func (f *feed) add(ctx context.Context, d hashfam.Digest) error {
	x := rank(d)
	i := f.index
	f.index++
	switch {
	case f.left < f.layer.keys && x == f.last:
		return nil
	case x < f.last:
		return f.errs.Field(hashfam.ErrParams, fmt.Sprint("digest ", i), "out of order", "ascending by Digest.Probe")
	case f.left == 0:
		return f.wrongCount("larger")
	}
	f.left--
	f.last = x
	f.bits.Add(d)
	err := f.flush(ctx, d.Probe().In(f.layer.starts)/shardStarts)
	f.chunk = append(f.chunk, d)
	return err
}

// wrongCount returns the error for an n that is not the number of digests.
func (f *feed) wrongCount(is string) error {
	return f.errs.Field(hashfam.ErrParams, "n", f.layer.keys, "the number of distinct digests, which is "+is)
}

// flush builds all shards before the given one.
func (f *feed) flush(ctx context.Context, shard uint64) error {
	for ; f.shard < shard; f.shard++ {
		if f.layer.r > 0 {
			f.system.build(f.layer, f.shard, [][]hashfam.Digest{f.chunk})
		}
		f.build.Report(len(f.chunk))
		f.chunk = f.chunk[:0]
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
