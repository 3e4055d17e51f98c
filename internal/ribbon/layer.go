package ribbon

import (
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
)

const (
	width        = 64                  // slots of a sum, and of a segment
	shardStarts  = 1 << 16             // starts of a system that is solved apart
	shardParts   = shardStarts / width // segments of a shard that have starts
	bucketStarts = 256                 // starts that share a threshold
	groupStarts  = 8                   // starts that are bumped together
	groups       = bucketStarts / groupStarts
	allBumped    = 15 // the threshold of a bucket that bumps everything
)

// A layer is one ribbon: the slots, and the thresholds that tell which digests
// it passes to the next layer.
//
// The slots are divided into segments of 64, which have one word for each
// column. The sum that starts in a segment ends in the next one. Every 65,536
// starts are followed by one segment in which no sum starts: the sums of two
// such shards have no slot in common.
type layer struct {
	geometry
	thresholds []uint64 // 16 in a word
	words      []uint64 // the segments one after the other
}

// A geometry is what a layer is before it has memory.
type geometry struct {
	keys   uint64 // digests that reach the layer, with those that it bumps
	starts uint64 // a multiple of 64
	narrow uint64 // segments at the beginning with one column less
	r      uint64 // columns of the others
}

// newGeometry returns the geometry of layer number i for the given digests: the
// first layer has 1.02 digests for each slot, so that hardly a slot remains
// empty, and the others have 0.95, so that they bump few. Everything follows
// from integers, and is the same on every platform.
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

// allocate gives l its memory.
func (l *layer) allocate() {
	l.thresholds = make([]uint64, l.thresholdWords())
	l.words = make([]uint64, l.slotWords())
}

// segment returns the number of the segment of a start. One segment of each
// shard has no starts.
func segment(start uint64) uint64 { return start/width + start/shardStarts }

// shards returns the number of shards.
func (l geometry) shards() uint64 { return (l.starts + shardStarts - 1) / shardStarts }

// buckets returns the number of buckets.
func (l geometry) buckets() uint64 { return (l.starts + bucketStarts - 1) / bucketStarts }

// thresholdWords returns the number of words of the thresholds.
func (l geometry) thresholdWords() uint64 { return (l.buckets() + 15) / 16 }

// slotWords returns the number of words of the slots.
func (l geometry) slotWords() uint64 { return l.at(l.starts/width + l.shards()) }

// size returns the number of words of l.
func (l geometry) size() uint64 { return l.thresholdWords() + l.slotWords() }

// at returns the number of the first word of a segment.
func (l geometry) at(segment uint64) uint64 { return segment*l.r - min(segment, l.narrow) }

// threshold returns the threshold of a bucket.
func (l *layer) threshold(bucket uint64) uint64 {
	return l.thresholds[bucket/16] >> (bucket % 16 * 4) & 15
}

// bumps reports whether l passes digests with that start to the next layer.
func (l *layer) bumps(start uint64) bool { return below(start, l.threshold(start/bucketStarts)) }

// below reports whether start is in a group that threshold t of its bucket
// bumps. Threshold 15 bumps every group.
func below(start, t uint64) bool { return min(start%bucketStarts/groupStarts, allBumped-1) < t }

// operands returns the words of the segment of a start and of the next one,
// each followed by others, and the coefficients shifted to the slots of both.
func (l *layer) operands(start, c uint64) (a, b []uint64, low, high uint64) {
	s := segment(start)
	return l.words[l.at(s):], l.words[l.at(s+1):], c << (start % width), c >> 1 >> (^start % width)
}

// mask returns the bits of a value that a segment has columns for.
func (l geometry) mask(start uint64) uint32 {
	r := l.r
	if segment(start) < l.narrow {
		r--
	}
	return uint32(1<<r - 1)
}

// value returns the sum of the slots that c selects, 64 from start on.
func (l *layer) value(start, c uint64) uint32 {
	a, b, low, high := l.operands(start, c)
	return columnsOf(a, b, low, high, 0, l.r) & l.mask(start)
}

// first is the number of columns that are compared before the others. Most
// digests that are not members already differ there.
const first = 4

// An answer of one layer about a digest.
type answer uint8

const (
	absent  answer = iota
	present        // the value is the fingerprint
	bumped         // the next layer tells
)

// contains returns the answer about a digest.
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

// matches reports whether the sum is the fingerprint f. It always computes all
// r columns, even if the segment has one less: the word after its last one
// exists, and a branch would be mispredicted.
func (l *layer) matches(start, c uint64, f uint32) bool {
	a, b, low, high := l.operands(start, c)
	f &= l.mask(start)
	m := l.mask(start)
	if l.r <= first {
		return (columnsOf(a, b, low, high, 0, l.r)^f)&m == 0
	}
	if (columnsOf(a, b, low, high, 0, first)^f)&(1<<first-1) != 0 {
		return false
	}
	return (columnsOf(a, b, low, high, first, l.r)^f)&m>>first<<first == 0
}

// columnsOf returns the sums of the columns from one to another, each in the
// bit of its number.
func columnsOf(a, b []uint64, low, high, from, to uint64) (sum uint32) {
	a, b = a[:to], b[:to]
	for j := from; j < to; j++ {
		sum |= uint32(bits.OnesCount64(a[j]&low^b[j]&high)&1) << j
	}
	return sum
}
