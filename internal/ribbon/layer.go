package ribbon

import (
	"context"
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
)

const (
	width        = 64                  // number of slots in a sum, and in a segment
	shardStarts  = 1 << 16             // number of starts in a shard, which is one system of equations
	shardParts   = shardStarts / width // number of segments with starts in a shard
	bucketStarts = 256                 // number of starts with the same threshold
	groupStarts  = 8                   // starts in a group, which is bumped as a whole
	groups       = bucketStarts / groupStarts
	allBumped    = 15 // the threshold if the whole bucket is bumped
)

// A layer is one ribbon. It consists of slots, and of thresholds that determine
// which digests it bumps to the next layer.
//
// The slots are divided into segments of 64. A segment has one word for each
// column. When a sum starts in a segment, it ends no later than in the next
// one. After every 65,536 starts there is a segment in which no sum starts, so
// the shards have no slots in common.
type layer struct {
	geometry
	thresholds []uint64 // 16 per word
	words      []uint64 // one segment after the other
}

// A geometry holds a layer's sizes. It can be used without the layer's memory.
type geometry struct {
	keys   uint64 // number of digests, including bumped ones
	starts uint64 // number of starts, a multiple of 64
	narrow uint64 // number of segments at the beginning that have r-1 columns
	r      uint64 // number of columns in the other segments
}

// newGeometry returns the geometry of layer i for keys digests. The first layer
// has 1.02 digests per slot, so that few slots remain empty. The others have
// 0.95, so that they bump few digests. The result is the same on every
// platform, because the computation only uses integers.
func newGeometry(i int, keys uint64, columns uint32) geometry {
	segments := (keys*50/51 + width/2) / width
	if i > 0 {
		segments = (keys*20/19 + width - 1) / width
	}
	shards := (segments + shardParts) / (shardParts + 1)
	parts := max(1, segments-min(segments, shards))
	r := (uint64(columns) + 1<<16 - 1) >> 16
	narrow := parts * (r<<16 - uint64(columns)) >> 16
	return geometry{keys: keys, starts: parts * width, narrow: segment(narrow * width), r: r}
}

func (l *layer) allocate() {
	l.thresholds = make([]uint64, l.thresholdWords())
	l.words = make([]uint64, l.slotWords())
}

// segment returns the segment that contains a start.
func segment(start uint64) uint64 { return start/width + start/shardStarts }

// These methods return the numbers of shards and buckets, and the numbers of
// words for the thresholds, for the slots, and for both.
func (l geometry) shards() uint64         { return (l.starts + shardStarts - 1) / shardStarts }
func (l geometry) buckets() uint64        { return (l.starts + bucketStarts - 1) / bucketStarts }
func (l geometry) thresholdWords() uint64 { return (l.buckets() + 15) / 16 }
func (l geometry) slotWords() uint64      { return l.at(l.starts/width + l.shards()) }
func (l geometry) size() uint64           { return l.thresholdWords() + l.slotWords() }

// at returns the index of the segment's first word.
func (l geometry) at(segment uint64) uint64 { return segment*l.r - min(segment, l.narrow) }

// bumps reports whether l bumps digests with this start to the next layer.
func (l *layer) bumps(start uint64) bool {
	bucket := start / bucketStarts
	return below(start, l.thresholds[bucket/16]>>(bucket%16*4)&15)
}

// below reports whether start is in a group that the bucket's threshold t
// bumps. Threshold 15 bumps all groups.
func below(start, t uint64) bool { return min(start%bucketStarts/groupStarts, allBumped-1) < t }

// operands returns the words from the segment that contains start, and the
// words from the next segment. It also returns the coefficients for the slots
// in both segments.
func (l *layer) operands(start, c uint64) (a, b []uint64, low, high uint64) {
	s := segment(start)
	return l.words[l.at(s):], l.words[l.at(s+1):], c << (start % width), c >> 1 >> (^start % width)
}

// mask returns the value bits for which the segment has columns.
func (l geometry) mask(start uint64) uint32 {
	r := l.r
	if segment(start) < l.narrow {
		r--
	}
	return uint32(1<<r - 1)
}

// first is the number of columns that should be compared first, because they
// already differ for most digests that are not members.
const first = 4

// An answer is a layer's lookup result.
type answer uint8

const (
	absent  answer = iota
	present        // the value is equal to the fingerprint
	bumped         // look the digest up in the next layer
)

func (l *layer) contains(d hashfam.Digest) answer {
	if useAVX512 {
		return containsAVX512(l, d)
	}
	p := d.Probe()
	start := p.In(l.starts)
	if l.bumps(start) {
		return bumped
	}
	p = p.Next()
	if l.matches(start, coefficients(p), fingerprint(p.Next())) {
		return present
	}
	return absent
}

// matches reports whether the sum is equal to the fingerprint f. It always
// computes r columns, even if the segment has one less: there is a word after
// the last one, and a branch would be mispredicted.
func (l *layer) matches(start, c uint64, f uint32) bool {
	a, b, low, high := l.operands(start, c)
	m := l.mask(start)
	f &= m
	if l.r <= first {
		return (columnsOf(a, b, low, high, 0, l.r)^f)&m == 0
	}
	if (columnsOf(a, b, low, high, 0, first)^f)&(1<<first-1) != 0 {
		return false
	}
	return (columnsOf(a, b, low, high, first, l.r)^f)&m>>first<<first == 0
}

// columnsOf returns the sums for the columns [from, to). The sum for column j
// is in bit j.
func columnsOf(a, b []uint64, low, high, from, to uint64) (sum uint32) {
	a, b = a[:to], b[:to]
	for j := from; j < to; j++ {
		sum |= uint32(bits.OnesCount64(a[j]&low^b[j]&high)&1) << j
	}
	return sum
}

// A part is the memory that one or several adjacent shards use. A shard has 256
// buckets, so its thresholds start at a new word.
type part struct {
	thresholds []uint64
	words      []uint64
}

// span returns the starts in a shard.
func (l *layer) span(shard uint64) (from, to uint64) {
	from = min(l.starts, shard*shardStarts)
	return from, min(l.starts, from+shardStarts)
}

// place returns the indexes of the shard's first words, in the thresholds and
// in the words.
func (l *layer) place(shard uint64) (threshold, word uint64) {
	from, _ := l.span(shard)
	return min(shard*(shardStarts/bucketStarts/16), l.thresholdWords()), l.at(from/width + shard)
}

func (l *layer) part(shard uint64) part { return l.cut(part{l.thresholds, l.words}, 0, shard) }

// cut returns the shard's part of all, which begins with the shard first.
func (l *layer) cut(all part, first, shard uint64) part {
	firstThreshold, firstWord := l.place(first)
	threshold, word := l.place(shard)
	endThreshold, endWord := l.place(shard + 1)
	return part{
		all.thresholds[threshold-firstThreshold : endThreshold-firstThreshold],
		all.words[word-firstWord : endWord-firstWord],
	}
}

// A Shards is the first layer of a ribbon when several processes build its
// shards. Each process calls [Shards.Solve] for some of the shards. One
// process, which needs to have all thresholds and the bumped digests (2%),
// calls [Shards.Join].
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
// shards in the order of [Sort]; others are ignored. Solve returns the
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

// Join returns the ribbon without the words of its first layer. Only its
// methods [Ribbon.Rate], [Ribbon.Shape] and [Ribbon.PayloadAround] can be used.
// thresholds must contain the thresholds of all shards in order; bumped is a
// list of all digests for the next layer in any order, and is overwritten. Join
// returns [ErrLayers], or ctx's error if ctx is canceled.
func (s Shards) Join(ctx context.Context, b Build, thresholds []uint64, bumped []hashfam.Digest) (*Ribbon, error) {
	r := &Ribbon{columns: s.columns, keys: s.layer.keys, layers: []layer{s.layer}}
	r.layers[0].thresholds = thresholds
	return r, r.rest(ctx, b, fingerprints(s.columns), [][]hashfam.Digest{bumped})
}
