package ribbon

import "github.com/filterfam/filterfam/hashfam"

// A layer is one ribbon. It consists of slots, and of thresholds that determine
// which digests it bumps to the next layer.
//
// The slots are divided into segments of 64, which have one word for each
// column. A sum that starts in a segment ends no later than in the next one.
// 65,536 starts form a shard, which is a system of equations of its own. After
// the starts of each shard there is one more segment, in which no sum starts,
// so that shards have no slots in common.
type layer struct {
	geometry
	thresholds []uint64 // 16 per word
	words      []uint64 // one segment after the other
}

// newLayer returns layer i for keys digests, in memory of its own.
func newLayer(i int, keys uint64, columns uint32) layer {
	g := newGeometry(i, keys, columns)
	return layer{geometry: g, thresholds: make([]uint64, g.thresholdWords()), words: make([]uint64, g.slotWords())}
}

// bumps reports whether l bumps digests with this start to the next layer.
func (l *layer) bumps(start uint64) bool {
	bucket := start / bucketStarts
	return below(start, l.thresholds[bucket/16]>>(bucket%16*4)&15)
}

// below reports whether start is in a group that the bucket's threshold t
// bumps. Threshold 15 bumps all groups.
func below(start, t uint64) bool { return min(start%bucketStarts/groupStarts, allBumped-1) < t }

// operands returns the operands of the sum with the given start and
// coefficients c. a begins with the words of the segment that contains start,
// and b with those of the next segment. low and high are the coefficients of
// the slots in these two segments.
func (l *layer) operands(start, c uint64) (a, b []uint64, low, high uint64) {
	s := segment(start)
	return l.words[l.at(s):], l.words[l.at(s+1):], c << (start % width), c >> 1 >> (^start % width)
}

// first is the number of columns that should be compared first, because they
// already differ for most digests that are not members.
const first = 4

// An answer is a layer's lookup result.
type answer uint8 // the assembly uses that absent is 0 and present is 1

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

// matches reports whether the sum is equal to the fingerprint f. It computes r
// columns even if the segment has only r-1, because a branch would often be
// mispredicted. Reading one word too many is safe, since another segment
// follows each segment with r-1 columns.
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

// span returns the starts in a shard.
func (l *layer) span(shard uint64) (from, to uint64) {
	from = min(l.starts, shard*shardStarts)
	return from, min(l.starts, from+shardStarts)
}
