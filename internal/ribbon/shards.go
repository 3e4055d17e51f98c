package ribbon

import (
	"context"
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
)

// A part is what a shard, or several in a row, have of a layer. The thresholds
// of a shard begin with a word, since a shard has 256 buckets.
type part struct {
	thresholds []uint64
	words      []uint64
}

// setThreshold sets the threshold of a bucket of the part, which is zero.
func (p part) setThreshold(bucket, t uint64) {
	p.thresholds[bucket/16] |= t << (bucket % 16 * 4)
}

// span returns the starts of a shard.
func (l *layer) span(shard uint64) (from, to uint64) {
	from = min(l.starts, shard*shardStarts)
	return from, min(l.starts, from+shardStarts)
}

// place returns where the shards before the given one end: in the thresholds,
// and in the words.
func (l *layer) place(shard uint64) (threshold, word uint64) {
	if shard >= l.shards() {
		return l.thresholdWords(), l.slotWords()
	}
	return shard * (shardStarts / bucketStarts / 16), l.at(segment(shard * shardStarts))
}

// part returns what a shard has of l.
func (l *layer) part(shard uint64) part { return l.cut(part{l.thresholds, l.words}, 0, shard) }

// cut returns what a shard has of the part all, which begins with shard first.
func (l *layer) cut(all part, first, shard uint64) part {
	firstThreshold, firstWord := l.place(first)
	threshold, word := l.place(shard)
	endThreshold, endWord := l.place(shard + 1)
	return part{
		all.thresholds[threshold-firstThreshold : endThreshold-firstThreshold],
		all.words[word-firstWord : endWord-firstWord],
	}
}

// Shards is the first layer of a ribbon whose shards are built apart, by
// different processes. Each calls [Shards.Solve] for some of them. One process
// that has all thresholds and all bumped digests, 2 % of them, calls
// [Shards.Join].
type Shards struct {
	columns uint32
	layer   layer
}

// NewShards returns the shards of a ribbon of n digests, n > 0. The columns are
// in units of 1/65536, more than 0. O(1) time.
func NewShards(columns uint32, n uint64) Shards {
	return Shards{columns, layer{geometry: newGeometry(0, n, columns)}}
}

// Len returns the number of shards.
func (s Shards) Len() uint64 { return s.layer.shards() }

// Ranks returns the first and the last value of d.Probe() of the digests in the
// shards from from to to, to not included. O(1) time.
func (s Shards) Ranks(from, to uint64) (first, last uint64) {
	return s.rank(from), s.rank(to) - 1
}

// rank returns the least rank of the digests in a shard. That after the last
// shard is 2^64, which is 0.
func (s Shards) rank(shard uint64) uint64 {
	start, _ := s.layer.span(shard)
	if start == s.layer.starts {
		return 0
	}
	quotient, remainder := bits.Div64(start, 0, s.layer.starts)
	if remainder > 0 {
		quotient++
	}
	return quotient
}

// Solve builds the shards from from to to, to not included. digests has at
// least the digests in these shards, in the order of [Sort]; it ignores others.
// It returns the thresholds and the words of the shards, and the digests of the
// next layer. O(n) time for n digests. It returns the error of ctx if that ends
// first.
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

// Join returns the ribbon of all shards, without the words of its first layer:
// only [Ribbon.Rate], [Ribbon.Shape] and [Ribbon.PayloadAround] may be called.
// thresholds has those of all shards, in order, and bumped the digests of the
// next layer, in any order. It overwrites bumped. O(b) time and memory for b
// bumped digests. It returns [ErrLayers], or the error of ctx if that ends
// first.
func (s Shards) Join(ctx context.Context, b Build, thresholds []uint64, bumped []hashfam.Digest) (*Ribbon, error) {
	r := &Ribbon{columns: s.columns, keys: s.layer.keys, layers: []layer{s.layer}}
	r.layers[0].thresholds = thresholds
	return r, r.rest(ctx, b, fingerprints(s.columns), [][]hashfam.Digest{bumped})
}
