package table

import "math/bits"

// Lanes contains a bucket's four lanes, one for each slot, the first in the
// lowest bits, so a narrow table only uses Low. Bits above the lanes have no
// meaning.
type Lanes struct{ Low, High uint64 }

func (l Lanes) Xor(x Lanes) Lanes { return Lanes{l.Low ^ x.Low, l.High ^ x.High} }

func (l Lanes) AndNot(x Lanes) Lanes { return Lanes{l.Low &^ x.Low, l.High &^ x.High} }

// Sub returns the difference l-x of two 128-bit numbers.
func (l Lanes) Sub(x Lanes) Lanes {
	low, borrow := bits.Sub64(l.Low, x.Low, 0)
	high, _ := bits.Sub64(l.High, x.High, borrow)
	return Lanes{low, high}
}

func shifted(x, n uint64) Lanes { return Lanes{x << n, x<<(n-64) | x>>(64-n)} }

// Count returns the number of bits that are set.
func (l Lanes) Count() int { return bits.OnesCount64(l.Low) + bits.OnesCount64(l.High) }

// first returns the index of the lowest bit that is set.
func (l Lanes) first() uint64 {
	n := uint64(bits.TrailingZeros64(l.Low))
	return n + uint64(bits.TrailingZeros64(l.High))&-(n>>6)
}

// A laneFormat describes a bucket's lanes, so that all of them can be compared
// with a fingerprint in parallel: in a single word if the table is narrow, and
// otherwise in Lanes.
type laneFormat struct {
	Ones  Lanes  // the lowest bit of every lane
	tops  Lanes  // the highest bit of every lane
	rests Lanes  // all other bits of every lane
	width uint64 // bits from one lane to the next
	Mask  uint64 // 2^f-1, the largest fingerprint
}

// matches returns the top bit of each lane of w that contains fp. These lanes
// are zero in x. Adding ones to all bits below a lane's top bit carries into
// the top bit unless these bits are zero, and never beyond it.
func (l *laneFormat) matches(w, fp uint64) uint64 {
	x := w ^ fp*l.Ones.Low
	return l.tops.Low &^ (x&l.rests.Low + l.rests.Low | x)
}

// Any reports whether a lane of v or w contains fp. It is faster than matches
// because a matching lane may borrow from the next one.
func (l *laneFormat) Any(v, w, fp uint64) bool {
	x, y := v^fp*l.Ones.Low, w^fp*l.Ones.Low
	return ((x-l.Ones.Low)&^x|(y-l.Ones.Low)&^y)&l.tops.Low != 0
}

// lowest returns the index of the first matching lane's lowest bit.
func (l *laneFormat) lowest(matches uint64) uint64 {
	return uint64(bits.TrailingZeros64(matches)) + 1 - l.width
}

// Spread returns Lanes with x in each lane.
func (l *laneFormat) Spread(x uint64) Lanes {
	high, low := bits.Mul64(x, l.Ones.Low)
	return Lanes{low, high + x*l.Ones.High}
}

// Zeros returns the top bit of each lane of x that is zero; see matches.
func (l *laneFormat) Zeros(x Lanes) Lanes {
	low, carry := bits.Add64(x.Low&l.rests.Low, l.rests.Low, 0)
	high, _ := bits.Add64(x.High&l.rests.High, l.rests.High, carry)
	return Lanes{l.tops.Low &^ (low | x.Low), l.tops.High &^ (high | x.High)}
}

// AnyZero reports whether a lane of x or y is zero; see Any.
func (l *laneFormat) AnyZero(x, y Lanes) bool {
	v, w := x.Sub(l.Ones).AndNot(x), y.Sub(l.Ones).AndNot(y)
	return (v.Low|w.Low)&l.tops.Low|(v.High|w.High)&l.tops.High != 0
}

// First returns the fingerprint in the first matching lane and the remaining
// matches.
func (l *laneFormat) First(lanes, matches Lanes) (fp uint64, others Lanes) {
	top := matches.first()
	n := top + 1 - l.width
	fp = (lanes.Low>>n | lanes.High<<(64-n) | lanes.High>>(n-64)) & l.Mask
	return fp, matches.Xor(shifted(1, top))
}

// List returns the fingerprints in the four lanes; join is its inverse.
func (l *laneFormat) List(x Lanes) (a, b, c, d uint64) {
	w := l.width & 63
	upper := x.Low>>w>>w | x.High<<((64-2*w)&63)
	return x.Low & l.Mask, x.Low >> w & l.Mask, upper & l.Mask, upper >> w & l.Mask
}

func (l *laneFormat) join(a, b, c, d uint64) Lanes {
	w := l.width & 63
	lower, upper := a|b<<w, c|d<<w
	return Lanes{lower | upper<<w<<w, upper >> ((64 - 2*w) & 63)}
}
