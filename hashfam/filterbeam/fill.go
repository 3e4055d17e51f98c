package filterbeam

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// A fill computes the false-positive rate of an array from its bytes, which
// pass through it in order, as FalsePositiveRate of the filter does.
type fill struct {
	*array
	passed uint64   // bits, of a Partitioned filter
	marked uint64   // cells that are not zero, of a Classic filter
	of     []uint64 // Partitioned: those of each slice; Blocked: lines with that many
}

// newFill returns a fill of which no byte has passed.
func newFill(a *array) *fill { return &fill{array: a, of: make([]uint64, max(a.hashes, lineCells)+1)} }

// pass counts the cells of a piece: whole words, and whole lines of a Blocked
// filter.
func (f *fill) pass(piece []byte) {
	switch {
	case f.slice > 0:
		for ; len(piece) >= 8; piece = piece[8:] {
			f.passSlices(binary.LittleEndian.Uint64(piece))
		}
	case f.blocked:
		line := lineCells * f.cellBits / 8
		for ; uint64(len(piece)) >= line; piece = piece[line:] {
			f.of[f.count(piece[:line])]++
		}
	default:
		f.marked += f.count(piece)
	}
}

// count returns the number of cells that are not zero.
func (f *fill) count(piece []byte) (n uint64) {
	if f.cellBits == 1 {
		for ; len(piece) >= 8; piece = piece[8:] {
			n += uint64(bits.OnesCount64(binary.LittleEndian.Uint64(piece)))
		}
		return n
	}
	for ; len(piece) >= 8; piece = piece[8:] {
		word := binary.LittleEndian.Uint64(piece)
		word |= word >> 1 // one bit for each counter
		n += uint64(bits.OnesCount64((word | word>>2) & 0x1111111111111111))
	}
	return n
}

// passSlices counts the bits of a word of a Partitioned filter, in which a
// slice may end.
func (f *fill) passSlices(word uint64) {
	at := f.passed
	for f.passed += 64; word != 0; {
		slice := at / f.slice
		n := min((slice+1)*f.slice-at, 64)
		f.of[slice] += uint64(bits.OnesCount64(word & (1<<n - 1)))
		word >>= n
		at += n
	}
}

// rate returns the chance that a key that was not added is found.
func (f *fill) rate() float64 {
	k := float64(f.hashes)
	switch {
	case f.slice > 0:
		rate := 1.0
		for _, marked := range f.of[:f.hashes] {
			rate *= float64(marked) / float64(f.slice)
		}
		return rate
	case f.blocked:
		sum := 0.0
		for marked, lines := range f.of {
			sum += float64(lines) * math.Pow(float64(marked)/lineCells, k)
		}
		return sum / float64(f.span)
	}
	return math.Pow(float64(f.marked)/float64(f.described.Cells), k)
}
