package perfect

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
)

const (
	markEvery = 256
	wordBytes = 8
)

// An eliasFano is a list of n numbers below a limit, in ascending order and
// possibly with repetitions, in about 2 + log2(limit/n) bits per number (Elias,
// J. ACM 21, 1974; Fano, 1971). The low bits of each number are stored as they
// are, and the high parts in unary: for number i with high part h, bit i+h is
// set.
type eliasFano struct {
	n, limit uint64
	width    uint     // number of low bits per number
	low      []byte   // the low bits, followed by high, so that loads of 8 bytes are in bounds
	high     []byte   // the unary bits, in words of 64
	marks    []uint64 // for every 256th number, the position of its bit in high
}

// newEliasFano returns a list without bytes.
func newEliasFano(n, limit uint64) eliasFano {
	l := eliasFano{n: n, limit: limit}
	if n > 0 && limit > n {
		l.width = uint(bits.Len64(limit/n)) - 1
	}
	return l
}

// lowBytes returns the size of the low bits.
func (l *eliasFano) lowBytes() uint64 { return (l.n*uint64(l.width) + 7) / 8 }

// highBits returns the number of unary bits. There is a one for each number,
// and a zero after each possible high part.
func (l *eliasFano) highBits() uint64 {
	if l.n == 0 {
		return 0
	}
	return l.n + (l.limit-1)>>l.width + 1
}

// bytes returns the size of the list.
func (l *eliasFano) bytes() uint64 { return l.lowBytes() + (l.highBits()+63)/64*wordBytes }

// setBytes makes l use the bytes b. mark must be called before numbers are
// read.
func (l *eliasFano) setBytes(b []byte) {
	l.low = b
	l.high = b[l.lowBytes():]
}

// put sets number i to v while the list is built. v must not be less than the
// previous number.
func (l *eliasFano) put(i, v uint64) {
	bit := v>>l.width + i
	l.high[bit/8] |= 1 << (bit % 8)
	at := i * uint64(l.width)
	low := binary.LittleEndian.Uint64(l.low[at/8:])
	binary.LittleEndian.PutUint64(l.low[at/8:], low|v&(1<<l.width-1)<<(at%8))
}

// at returns number i, or 0 if i is not below n. It starts at the mark for
// number i - i%256, and reads about six words of unary bits on average.
func (l *eliasFano) at(i uint64) uint64 {
	if i >= l.n {
		return 0
	}
	from := l.marks[i/markEvery]
	word := from / 64
	w := l.word(word) >> (from % 64) << (from % 64)
	k := int(i % markEvery)
	for c := bits.OnesCount64(w); k >= c; c = bits.OnesCount64(w) {
		k -= c
		word++
		w = l.word(word)
	}
	for ; k > 0; k-- {
		w &= w - 1
	}
	bit := 64*word + uint64(bits.TrailingZeros64(w))
	return (bit-i)<<l.width | l.lowBits(i)
}

// word returns word i of the unary bits.
func (l *eliasFano) word(i uint64) uint64 { return binary.LittleEndian.Uint64(l.high[i*wordBytes:]) }

func (l *eliasFano) lowBits(i uint64) uint64 {
	at := i * uint64(l.width)
	return binary.LittleEndian.Uint64(l.low[at/8:]) >> (at % 8) & (1<<l.width - 1)
}

// mark computes the marks and checks the list. It returns ErrCorrupt if the
// list does not contain n numbers, or if any number is not below the limit.
func (l *eliasFano) mark() error {
	if l.n == 0 {
		return nil
	}
	if err := checkZeros("bits after the low bits of the list", l.low[:l.lowBytes()], l.n*uint64(l.width)); err != nil {
		return err
	}
	l.marks = make([]uint64, 0, (l.n+markEvery-1)/markEvery)
	i := uint64(0)
	for word := range uint64(len(l.high)) / wordBytes {
		for w := l.word(word); w != 0; w &= w - 1 {
			bit := 64*word + uint64(bits.TrailingZeros64(w))
			if i == l.n {
				return errs.Field(hashfam.ErrCorrupt, "numbers in the list", "more", fmt.Sprint(l.n))
			}
			if v := (bit-i)<<l.width | l.lowBits(i); v >= l.limit {
				return errs.Field(hashfam.ErrCorrupt, fmt.Sprintf("number %d in the list", i), v, fmt.Sprintf("below %d", l.limit))
			}
			if i%markEvery == 0 {
				l.marks = append(l.marks, bit)
			}
			i++
		}
	}
	if i < l.n {
		return errs.Field(hashfam.ErrCorrupt, "numbers in the list", i, fmt.Sprint(l.n))
	}
	return nil
}
