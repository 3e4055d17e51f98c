package table

import "math/bits"

// In Go, a shift by 64 or more bits results in zero. For this, the compiler
// adds a test unless it knows that the number of bits is below 64. In the
// following expressions, which this package uses, n, w and s are unsigned, so a
// difference below zero wraps around to a large number, and the shift results
// in zero, too:
//
//	x<<(n-64) | x>>(64-n)  n is 0 to 127. For n below 64, the first part is
//	                       zero. For n = 0 and above 64, the second part is.
//	                       For n = 64, both are x.
//	x>>w>>w                shifts by 2w bits, which can be 64, without a test,
//	                       because w is known to be below 64
//	x<<1<<(63-s)           shifts by 64-s bits, in the same way
//	x<<(n&63)              n is below 64, so the mask only saves the test
//
// A lane's width w is 4 to 32, so 2w is at most 64, and 64-2w is below 64.

// Lanes contains a bucket's four fingerprints, each in a lane of bits. The lane
// of the first slot is the lowest, so the lanes of a narrow table fit in Low.
// Bits above the lanes have no meaning.
type Lanes struct{ Low, High uint64 }

func (l Lanes) Xor(x Lanes) Lanes { return Lanes{l.Low ^ x.Low, l.High ^ x.High} }

func (l Lanes) AndNot(x Lanes) Lanes { return Lanes{l.Low &^ x.Low, l.High &^ x.High} }

// Sub returns the difference l-x of two 128-bit numbers.
func (l Lanes) Sub(x Lanes) Lanes {
	low, borrow := bits.Sub64(l.Low, x.Low, 0)
	high, _ := bits.Sub64(l.High, x.High, borrow)
	return Lanes{low, high}
}

// shifted returns x*2^n, and right returns l/2^n.
func shifted(x, n uint64) Lanes { return Lanes{x << n, x<<(n-64) | x>>(64-n)} }

func (l Lanes) right(n uint64) Lanes {
	return Lanes{l.Low>>n | l.High<<(64-n) | l.High>>(n-64), l.High >> n}
}

// Count returns the number of bits that are set.
func (l Lanes) Count() int { return bits.OnesCount64(l.Low) + bits.OnesCount64(l.High) }

// first returns the index of the lowest bit that is set.
func (l Lanes) first() uint64 {
	if l.Low != 0 {
		return uint64(bits.TrailingZeros64(l.Low))
	}
	return 64 + uint64(bits.TrailingZeros64(l.High))
}

// A format describes a bucket's lanes, so that all of them can be compared with
// a fingerprint in parallel: in a single word if the table is narrow, and
// otherwise in Lanes. In the result of a comparison, called matches, only the
// top bit of each lane that contains the fingerprint is set.
type format struct {
	Ones  Lanes  // the lowest bit of every lane
	tops  Lanes  // the highest bit of every lane
	lows  Lanes  // all other bits of every lane
	width uint64 // bits from one lane to the next
	Mask  uint64 // 2^f-1, the largest fingerprint
}

// newFormat returns the format for fingerprints of f bits in lanes of the given
// width.
func newFormat(f, width uint64) format {
	l := format{width: width, Mask: 1<<f - 1}
	for slot := range uint64(Slots) {
		l.Ones = l.Ones.Xor(shifted(1, slot*width))
		l.tops = l.tops.Xor(shifted(1, slot*width+width-1))
	}
	l.lows = l.tops.Sub(l.Ones)
	return l
}

// matches compares the lanes of w with fp. In w XOR fp, the lanes that contain
// fp are zero. To find these, matches adds ones to all bits below each lane's
// top bit. The addition sets the top bit unless all bits below it are zero, and
// never carries into the next lane.
func (l *format) matches(w, fp uint64) uint64 {
	x := w ^ fp*l.Ones.Low
	return l.tops.Low &^ (x&l.lows.Low + l.lows.Low | x)
}

// Any reports whether a lane of v or w contains fp. It needs fewer instructions
// than matches, because it does not determine which lanes contain fp: a lane
// that contains fp can borrow from the next one, which may then seem to contain
// it, too.
func (l *format) Any(v, w, fp uint64) bool {
	x := v ^ fp*l.Ones.Low
	y := w ^ fp*l.Ones.Low
	return ((x-l.Ones.Low)&^x|(y-l.Ones.Low)&^y)&l.tops.Low != 0
}

// Spread returns Lanes with x in each lane.
func (l *format) Spread(x uint64) Lanes {
	high, low := bits.Mul64(x, l.Ones.Low)
	return Lanes{low, high + x*l.Ones.High}
}

// Zeros returns the matches of zero; see matches.
func (l *format) Zeros(x Lanes) Lanes {
	low, carry := bits.Add64(x.Low&l.lows.Low, l.lows.Low, 0)
	high, _ := bits.Add64(x.High&l.lows.High, l.lows.High, carry)
	return Lanes{l.tops.Low &^ (low | x.Low), l.tops.High &^ (high | x.High)}
}

// AnyZero reports whether a lane of x or y is zero; see Any.
func (l *format) AnyZero(x, y Lanes) bool {
	v := x.Sub(l.Ones).AndNot(x)
	w := y.Sub(l.Ones).AndNot(y)
	return (v.Low|w.Low)&l.tops.Low|(v.High|w.High)&l.tops.High != 0
}

// lowest returns the index of the lowest bit in the first matching lane.
func (l *format) lowest(matches uint64) uint64 {
	return uint64(bits.TrailingZeros64(matches)) + 1 - l.width
}

// First returns the fingerprint in the first matching lane and the remaining
// matches.
func (l *format) First(lanes, matches Lanes) (fp uint64, others Lanes) {
	top := matches.first()
	fp = lanes.right(top+1-l.width).Low & l.Mask
	return fp, matches.Xor(shifted(1, top))
}

// unpack returns the fingerprints in the four lanes, and split returns them in
// an array. join is the inverse of split.
func (l *format) unpack(x Lanes) (a, b, c, d uint64) {
	w := l.width & 63
	upper := x.Low>>w>>w | x.High<<((64-2*w)&63)
	return x.Low & l.Mask, x.Low >> w & l.Mask, upper & l.Mask, upper >> w & l.Mask
}

func (l *format) split(x Lanes) [Slots]uint64 {
	a, b, c, d := l.unpack(x)
	return [Slots]uint64{a, b, c, d}
}

func (l *format) join(v [Slots]uint64) Lanes {
	w := l.width & 63
	lower := v[0] | v[1]<<w
	upper := v[2] | v[3]<<w
	return Lanes{lower | upper<<w<<w, upper >> ((64 - 2*w) & 63)}
}
