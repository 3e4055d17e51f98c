package ribbon

import (
	"encoding/binary"
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

// ContainsIn is like [Ribbon.Contains] for an encoded ribbon of shape s. The
// payload can start at any address, on any platform. ok is false if [Check]
// would reject the shape, or if the payload has a wrong length or a wrong
// number of bumped digests. But ContainsIn reads only the layers that it needs,
// usually one, so it may not notice errors in later layers. It allocates only
// for invalid shapes.
func ContainsIn(s Shape, payload []byte, d hashfam.Digest) (found, ok bool) {
	if Check(s, &fault.Maker{}) != nil || s.Layers > 0 && len(payload) < 8*(s.Layers-1) {
		return false, false
	}
	if s.Layers == 0 {
		return s.Columns == 0, len(payload) == 0
	}
	keys := s.Keys
	counts, rest := payload[:8*(s.Layers-1)], payload[8*(s.Layers-1):]
	for i := 0; ; i++ {
		l := encodedLayer{geometry: newGeometry(i, keys, s.Columns)}
		thresholds := 8 * l.thresholdWords()
		size := thresholds + 8*l.slotWords()
		if n := uint64(len(rest)); n < size || len(counts) == 0 && n > size {
			return false, false
		}
		l.thresholds = rest[:thresholds]
		l.words = rest[thresholds:size]
		if a := l.contains(d); a != bumped || len(counts) == 0 {
			return a == present, true
		}
		n := binary.LittleEndian.Uint64(counts)
		if n-1 >= keys {
			return false, false
		}
		keys = n
		counts = counts[8:]
		rest = rest[size:]
		d = next(d)
	}
}

// An encodedLayer is a layer whose words are bytes. Both types have the same
// layout in memory.
type encodedLayer struct {
	geometry
	thresholds []byte
	words      []byte
}

func (l *encodedLayer) contains(d hashfam.Digest) answer {
	if useAVX512 {
		return containsInAVX512(l, d)
	}
	p := d.Probe()
	start := p.In(l.starts)
	bucket := start / bucketStarts
	if below(start, uint64(l.thresholds[bucket/2]>>(bucket%2*4)&15)) {
		return bumped
	}
	p = p.Next()
	s := segment(start)
	a, b := l.words[8*l.at(s):], l.words[8*l.at(s+1):]
	c := coefficients(p)
	low, high := c<<(start%width), c>>1>>(^start%width)
	f := fingerprint(p.Next())
	m := l.mask(start)
	few := min(l.r, first)
	if (columnsIn(a, b, low, high, 0, few)^f)&m&(1<<few-1) != 0 ||
		(columnsIn(a, b, low, high, few, l.r)^f)&m>>few<<few != 0 {
		return absent
	}
	return present
}

// columnsIn is like columnsOf for bytes.
func columnsIn(a, b []byte, low, high, from, to uint64) (sum uint32) {
	le := binary.LittleEndian
	a, b = a[:8*to], b[:8*to]
	for j, i := from, 8*from; i+8 <= uint64(len(a)) && i+8 <= uint64(len(b)); j, i = j+1, i+8 {
		sum |= uint32(bits.OnesCount64(le.Uint64(a[i:i+8])&low^le.Uint64(b[i:i+8])&high)&1) << j
	}
	return sum
}
