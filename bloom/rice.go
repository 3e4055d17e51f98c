package bloom

import (
	"iter"
	"math/bits"
)

// This file implements the Rice code of n ascending positions below m (Golomb,
// IEEE Trans. Inf. Theory 12, 1966; Rice and Plaunt, IEEE Trans. Commun. 19,
// 1971). It encodes the gap before each position, which is the number of
// positions skipped there, as gap/2^b zeros, a one, and the b low bits of the
// gap, lowest bit first. With b = 0, the code is the bitmap of the positions.
// For example, with b = 2 and m = 16:
//
//	positions      1       3           9
//	gaps           1       1           5
//	code        1 10    1 10       01 10
//
// Zeros fill the last word. The minimum is log2 of the number of ways to choose
// n of m positions. The code of random positions needs 1.00 to 1.09 times this
// number of bits, and no code needs more than 1.11 times.

// riceBits returns the b for which the longest code of n positions is shortest,
// and the length of this code: up to m bits, its length with b = 0.
func riceBits(m, n uint64) (b, longest uint64) {
	for n > 0 && n<<(b+1) < m-n {
		b++
	}
	return b, n*(b+1) + min(n, 1)*((m-n)>>b)
}

// riceCode returns the code of n positions below m.
func riceCode(m, n uint64, positions iter.Seq[uint64]) []uint64 {
	b, longest := riceBits(m, n)
	code, end, next := make([]uint64, longest/64+2), uint64(0), uint64(0)
	for i := range positions {
		gap := i - next
		end += gap >> b
		v := 1 | gap&(1<<b-1)<<1
		code[end/64] |= v << (end % 64)
		code[end/64+1] |= v >> (64 - end%64)
		end += b + 1
		next = i + 1
	}
	return code[:(end+63)/64]
}

// ricePositions calls each for the n positions in a code, in ascending order.
// It returns false, possibly after calling each, if riceCode would not return
// this code for any n positions below m.
func ricePositions(code []uint64, m, n uint64, each func(uint64)) bool {
	b, _ := riceBits(m, n)
	next, at, end := uint64(0), uint64(0), 64*uint64(len(code))
	for range n {
		one := nextOne(code, at)
		zeros, low := one-at, bitsFrom(code, one+1)&(1<<b-1)
		at = one + 1 + b
		if at > end || zeros > m>>b || zeros<<b|low >= m-next {
			return false
		}
		next += zeros<<b | low
		each(next)
		next++
	}
	return end-at < 64 && nextOne(code, at) == end
}

// nextOne returns the position of the first one at or after bit i, starting
// with the lowest bit of each word. If there is none, it returns the total.
func nextOne(words []uint64, i uint64) uint64 {
	end := 64 * uint64(len(words))
	for ; i < end; i = (i/64 + 1) * 64 {
		if w := words[i/64] >> (i % 64); w != 0 {
			return i + uint64(bits.TrailingZeros64(w))
		}
	}
	return end
}

// bitsFrom returns 64 bits, starting with bit i. Bits after the end are zero.
func bitsFrom(words []uint64, i uint64) (v uint64) {
	if at := i / 64; at < uint64(len(words)) {
		v = words[at] >> (i % 64)
		if at+1 < uint64(len(words)) {
			v |= words[at+1] << (64 - i%64)
		}
	}
	return v
}
