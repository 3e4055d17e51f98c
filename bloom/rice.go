package bloom

import (
	"iter"
	"math/bits"
)

// The Rice code of n ascending positions below m (Golomb, IEEE Trans. Inf.
// Theory 12, 1966; Rice and Plaunt, IEEE Trans. Commun. 19, 1971). Each
// position is coded by its gap, the number of positions that are skipped before
// it: gap/2^b zeros, a one, and the b low bits of the gap, the lowest bit
// first. For b = 0 this is the bitmap of the positions. For b = 2, m = 16:
//
//	positions      1       3           9
//	gaps           1       1           5
//	code        1 10    1 10       01 10
//
// Zeros fill the last word. The code of random positions has 1.00 to 1.09 times
// the least number of bits, which is the log2 of the number of ways to choose n
// of m; no code has more than 1.11 times as many.

// riceBits returns b. The longest code that n positions can have, which
// riceLength returns, is shortest with this b. It is at most m, the length with
// b = 0.
func riceBits(m, n uint64) (b uint64) {
	for n > 0 && n<<(b+1) < m-n {
		b++
	}
	return b
}

// riceLength returns the length in bits of the longest code of n positions.
func riceLength(m, n uint64) uint64 {
	if n == 0 {
		return 0
	}
	b := riceBits(m, n)
	return n*(b+1) + (m-n)>>b
}

// riceCode returns the code of n positions below m.
func riceCode(m, n uint64, positions iter.Seq[uint64]) []uint64 {
	b, end, next := riceBits(m, n), uint64(0), uint64(0)
	code := make([]uint64, riceLength(m, n)/64+2)
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

// ricePositions calls each with the n positions of a code, from the first to
// the last. If the code is not what riceCode returns for n positions below m,
// it reports false; it may have called each before.
func ricePositions(code []uint64, m, n uint64, each func(uint64)) bool {
	b, next, at, end := riceBits(m, n), uint64(0), uint64(0), 64*uint64(len(code))
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

// nextOne returns the place of the first one from bit i on, of each word the
// lowest bit first, or the number of all bits if there is none.
func nextOne(words []uint64, i uint64) uint64 {
	end := 64 * uint64(len(words))
	for ; i < end; i = (i/64 + 1) * 64 {
		if w := words[i/64] >> (i % 64); w != 0 {
			return i + uint64(bits.TrailingZeros64(w))
		}
	}
	return end
}

// bitsFrom returns 64 bits, from bit i on. After the last word they are zero.
func bitsFrom(words []uint64, i uint64) (v uint64) {
	if at := i / 64; at < uint64(len(words)) {
		v = words[at] >> (i % 64)
		if at+1 < uint64(len(words)) {
			v |= words[at+1] << (64 - i%64)
		}
	}
	return v
}
