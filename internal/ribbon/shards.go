package ribbon

import (
	"context"
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
)

// A Shards is the first layer of a ribbon whose shards are built by several
// processes. Each process calls [Shards.Solve] for some of the shards, and then
// one process, which needs all thresholds and the bumped digests (2%), calls
// [Shards.Join].
type Shards struct {
	columns uint32
	layer   layer
}

// NewShards returns the shards for n digests. columns is in units of 1/65536.
// Both must be above 0.
func NewShards(columns uint32, n uint64) Shards {
	return Shards{columns, layer{geometry: newGeometry(0, n, columns)}}
}

// Len returns the number of shards.
func (s Shards) Len() uint64 { return s.layer.shards() }

// Ranks returns the first and the last value of d.Probe() for digests in the
// shards [from, to).
func (s Shards) Ranks(from, to uint64) (first, last uint64) {
	return s.rank(from), s.rank(to) - 1
}

// rank returns the lowest rank of digests in a shard. After the last shard it
// returns 0, for 2^64.
func (s Shards) rank(shard uint64) uint64 {
	start, _ := s.layer.span(shard)
	if start == s.layer.starts {
		return 0
	}
	lowest, _ := bits.Div64(start, s.layer.starts-1, s.layer.starts) // rounded up
	return lowest
}

// Solve builds the shards [from, to). digests must contain the digests in these
// shards in the order of [Sort], while others are ignored. Solve returns the
// thresholds and the words of the shards, and the digests for the next layer.
// If ctx is canceled, it returns ctx's error.
func (s Shards) Solve(ctx context.Context, from, to uint64, digests []hashfam.Digest) (thresholds, words []uint64, next []hashfam.Digest, err error) {
	l := s.layer
	threshold, word := l.place(from)
	endThreshold, endWord := l.place(to)
	all := part{make([]uint64, endThreshold-threshold), make([]uint64, endWord-word)}
	system := system{fingerprints: fingerprints(s.columns), bumped: make([][]hashfam.Digest, 1)}
	for shard := from; shard < to; shard++ {
		if err := ctx.Err(); err != nil {
			return nil, nil, nil, err
		}
		system.build(l.cut(all, from, shard), &l, shard, l.inside(shard, [][]hashfam.Digest{digests}))
	}
	return all.thresholds, all.words, system.bumped[0], nil
}

// Join returns the ribbon without the words of its first layer, so that only
// its methods [Ribbon.Rate], [Ribbon.Shape] and [Ribbon.PayloadAround] can be
// used. thresholds must contain the thresholds of all shards in order. bumped
// contains all digests for the next layer in any order, and is overwritten.
// Join returns [ErrLayers], or ctx's error if ctx is canceled.
func (s Shards) Join(ctx context.Context, b Build, thresholds []uint64, bumped []hashfam.Digest) (*Ribbon, error) {
	r := &Ribbon{columns: s.columns, keys: s.layer.keys, layers: []layer{s.layer}}
	r.layers[0].thresholds = thresholds
	return r, r.rest(ctx, b, fingerprints(s.columns), [][]hashfam.Digest{bumped})
}
