package ribbon

import (
	"encoding/binary"
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/cpu"
	"github.com/filterfam/filterfam/internal/fault"
)

// silent makes errors that are not read.
var silent fault.Maker

// ContainsIn is [Ribbon.Contains] for the ribbon with that payload, at any
// address and on every platform. It reports false if [Parse] would refuse the
// numbers or the length, as far as it looks: usually at one layer. O(1) time,
// no allocation.
func ContainsIn(columns uint32, keys uint64, layers int, payload []byte, d hashfam.Digest) (found, ok bool) {
	if Check(columns, keys, layers, &silent) != nil || layers > 0 && len(payload) < 8*(layers-1) {
		return false, false
	}
	if layers == 0 {
		return columns == 0, len(payload) == 0
	}
	counts, rest := payload[:8*(layers-1)], payload[8*(layers-1):]
	for i := 0; ; i++ {
		l := encodedLayer{geometry: newGeometry(i, keys, columns)}
		thresholds := 8 * l.thresholdWords()
		size := thresholds + 8*l.slotWords()
		if n := uint64(len(rest)); n < size || len(counts) == 0 && n > size {
			return false, false
		}
		l.thresholds, l.words = rest[:thresholds], rest[thresholds:size]
		if a := l.contains(d); a != bumped || len(counts) == 0 {
			return a == present, true
		}
		n := binary.LittleEndian.Uint64(counts)
		if n-1 >= keys {
			return false, false
		}
		keys, counts, rest, d = n, counts[8:], rest[size:], next(d)
	}
}

// An encodedLayer is a layer in bytes. In memory it looks like a [layer].
type encodedLayer struct {
	geometry
	thresholds []byte
	words      []byte
}

// contains is that of a layer.
func (l *encodedLayer) contains(d hashfam.Digest) answer {
	if cpu.VPOPCNTDQ {
		return containsInAVX512(l, d)
	}
	p := d.Probe()
	start := p.In(l.starts)
	bucket := start / bucketStarts
	if below(start, uint64(l.thresholds[bucket/2]>>(bucket%2*4)&15)) {
		return bumped
	}
	p = p.Next()
	c, f := coefficients(p), fingerprint(p.Next())
	s := segment(start)
	a, b, low, high := l.words[8*l.at(s):], l.words[8*l.at(s+1):], c<<(start%width), c>>1>>(^start%width)
	m, few := l.mask(start), min(l.r, first)
	if (columnsIn(a, b, low, high, 0, few)^f)&m&(1<<few-1) != 0 ||
		(columnsIn(a, b, low, high, few, l.r)^f)&m>>few<<few != 0 {
		return absent
	}
	return present
}

// columnsIn is columnsOf in bytes.
func columnsIn(a, b []byte, low, high, from, to uint64) (sum uint32) {
	le := binary.LittleEndian
	a, b = a[:8*to], b[:8*to]
	for j, i := from, 8*from; i+8 <= uint64(len(a)) && i+8 <= uint64(len(b)); j, i = j+1, i+8 {
		sum |= uint32(bits.OnesCount64(le.Uint64(a[i:i+8])&low^le.Uint64(b[i:i+8])&high)&1) << j
	}
	return sum
}
