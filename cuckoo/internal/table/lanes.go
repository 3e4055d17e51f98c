package table

import "math/bits"

// Lanes are the four lanes of a bucket in 128 bits, the first in the lowest
// bits. In a narrow table they fit in Low. Bits above the lanes do not count.
type Lanes struct{ Low, High uint64 }

// Xor returns l XOR x.
func (l Lanes) Xor(x Lanes) Lanes { return Lanes{l.Low ^ x.Low, l.High ^ x.High} }

// AndNot returns the bits of l that are not set in x.
func (l Lanes) AndNot(x Lanes) Lanes { return Lanes{l.Low &^ x.Low, l.High &^ x.High} }

// Sub returns l-x, as numbers of 128 bits.
func (l Lanes) Sub(x Lanes) Lanes {
	low, borrow := bits.Sub64(l.Low, x.Low, 0)
	high, _ := bits.Sub64(l.High, x.High, borrow)
	return Lanes{low, high}
}

// shifted returns x << n.
func shifted(x, n uint64) Lanes { return Lanes{x << n, x<<(n-64) | x>>(64-n)} }

// Count returns the number of bits that are set.
func (l Lanes) Count() int { return bits.OnesCount64(l.Low) + bits.OnesCount64(l.High) }

// first returns the number of the lowest bit that is set.
func (l Lanes) first() uint64 {
	n := uint64(bits.TrailingZeros64(l.Low))
	return n + uint64(bits.TrailingZeros64(l.High))&-(n>>6)
}

// A layout says where the lanes of a bucket are. It compares all of them with a
// fingerprint at once: in a word, which the lanes of a narrow table fit in, or
// in Lanes.
type layout struct {
	Ones  Lanes  // the lowest bit of every lane
	tops  Lanes  // the highest bit of every lane
	rests Lanes  // all other bits of every lane
	width uint64 // bits from one lane to the next
	mask  uint64 // 2^f-1
}

func newLayout(width, mask uint64) layout {
	l := layout{width: width, mask: mask}
	for slot := range uint64(Slots) {
		l.Ones = l.Ones.Xor(shifted(1, slot*width))
		l.tops = l.tops.Xor(shifted(1, (slot+1)*width-1))
	}
	l.rests = l.tops.Sub(l.Ones)
	return l
}

// matches returns the top bit of each lane of w that holds fp, and no other. A
// lane of x is zero if they agree. Adding all ones below its top bit carries
// into that bit unless the rest of the lane is zero, and never beyond.
func (l *layout) matches(w, fp uint64) uint64 {
	x := w ^ fp*l.Ones.Low
	return l.tops.Low &^ (x&l.rests.Low + l.rests.Low | x)
}

// Any reports whether a lane of v or w holds fp. It costs less than matches:
// the borrow of a lane that does may set the top bit of the next one too.
func (l *layout) Any(v, w, fp uint64) bool {
	x, y := v^fp*l.Ones.Low, w^fp*l.Ones.Low
	return ((x-l.Ones.Low)&^x|(y-l.Ones.Low)&^y)&l.tops.Low != 0
}

// lowest returns the first bit of the first lane that matches.
func (l *layout) lowest(matches uint64) uint64 {
	return uint64(bits.TrailingZeros64(matches)) + 1 - l.width
}

// Spread returns Lanes with x in each.
func (l *layout) Spread(x uint64) Lanes {
	high, low := bits.Mul64(x, l.Ones.Low)
	return Lanes{low, high + x*l.Ones.High}
}

// Zeros returns the top bit of each lane of x that is zero, as matches does.
func (l *layout) Zeros(x Lanes) Lanes {
	low, carry := bits.Add64(x.Low&l.rests.Low, l.rests.Low, 0)
	high, _ := bits.Add64(x.High&l.rests.High, l.rests.High, carry)
	return Lanes{l.tops.Low &^ (low | x.Low), l.tops.High &^ (high | x.High)}
}

// AnyZero reports whether a lane of x or y is zero, as Any does.
func (l *layout) AnyZero(x, y Lanes) bool {
	v, w := x.Sub(l.Ones).AndNot(x), y.Sub(l.Ones).AndNot(y)
	return (v.Low|w.Low)&l.tops.Low|(v.High|w.High)&l.tops.High != 0
}

// First returns the fingerprint in the first lane that matches, and the other
// matches.
func (l *layout) First(lanes, matches Lanes) (fp uint64, others Lanes) {
	top := matches.first()
	n := top + 1 - l.width
	fp = (lanes.Low>>n | lanes.High<<(64-n) | lanes.High>>(n-64)) & l.mask
	return fp, matches.Xor(shifted(1, top))
}

// List returns the fingerprint in each lane.
func (l *layout) List(x Lanes) (a, b, c, d uint64) {
	w := l.width & 63
	upper := x.Low>>w>>w | x.High<<((64-2*w)&63)
	return x.Low & l.mask, x.Low >> w & l.mask, upper & l.mask, upper >> w & l.mask
}

// join returns Lanes with these fingerprints.
func (l *layout) join(a, b, c, d uint64) Lanes {
	w := l.width & 63
	lower, upper := a|b<<w, c|d<<w
	return Lanes{lower | upper<<w<<w, upper >> ((64 - 2*w) & 63)}
}
