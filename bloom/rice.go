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
	b, next := riceBits(m, n), uint64(0)
	r := bitReader{words: code}
	for range n {
		zeros, ok := r.zeros()
		low, all := r.low(b)
		if !ok || !all || zeros > m>>b || zeros<<b|low >= m-next {
			return false
		}
		next += zeros<<b | low
		each(next)
		next++
	}
	rest, found := r.zeros()
	return !found && rest < 64
}

// A bitReader reads bits from words, of each word the lowest bit first.
type bitReader struct {
	words []uint64
	at    uint64 // of the next bit
}

// zeros reads zeros and the one after them. It returns the number of zeros, and
// false if there is no one.
func (r *bitReader) zeros() (uint64, bool) {
	start := r.at
	for i := start / 64; i < uint64(len(r.words)); i++ {
		if w := r.words[i] >> (r.at % 64); w != 0 {
			n := r.at - start + uint64(bits.TrailingZeros64(w))
			r.at = start + n + 1
			return n, true
		}
		r.at = 64 * (i + 1)
	}
	return r.at - start, false
}

// low reads n bits, fewer than 64. It returns false if there are not as many.
func (r *bitReader) low(n uint64) (uint64, bool) {
	i, end := r.at/64, r.at+n
	if end > 64*uint64(len(r.words)) {
		return 0, false
	}
	v := uint64(0)
	if n > 0 {
		v = r.words[i] >> (r.at % 64)
		if end > 64*(i+1) {
			v |= r.words[i+1] << (64 - r.at%64)
		}
	}
	r.at = end
	return v & (1<<n - 1), true
}
