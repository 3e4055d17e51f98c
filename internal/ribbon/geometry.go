package ribbon

import "math/bits"

const (
	width        = 64                  // number of slots from which a sum selects, and in a segment
	shardStarts  = 1 << 16             // number of starts in a shard, which is one system of equations
	shardParts   = shardStarts / width // number of segments with starts in a shard
	bucketStarts = 256                 // number of starts with the same threshold
	groupStarts  = 8                   // starts in a group, which is bumped as a whole
	groups       = bucketStarts / groupStarts
	allBumped    = 15 // the threshold if the whole bucket is bumped
)

// A geometry holds a layer's sizes. It can be used without the layer's memory.
type geometry struct {
	keys   uint64 // number of digests, including bumped ones
	starts uint64 // number of starts, a multiple of 64
	narrow uint64 // number of segments at the beginning that have r-1 columns
	r      uint64 // number of columns in the other segments
}

// newGeometry returns the geometry of layer i for keys digests. The first layer
// has 1.02 digests per slot, so that few slots remain empty. Later layers have
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

// mask returns a mask of the value bits for which the segment that contains
// start has columns.
func (l geometry) mask(start uint64) uint32 {
	r := l.r
	if segment(start) < l.narrow {
		r--
	}
	return uint32(1<<r - 1)
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
