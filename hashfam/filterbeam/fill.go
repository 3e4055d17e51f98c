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
	passed uint64   // cells
	marked uint64   // cells that are not zero, of all or of the current line
	of     []uint64 // Partitioned: those of each slice; Blocked: lines with that many
}

// newFill returns a fill of which no byte has passed.
func newFill(a *array) *fill {
	f := &fill{array: a}
	switch {
	case a.slice > 0:
		f.of = make([]uint64, a.hashes)
	case a.blocked:
		f.of = make([]uint64, lineCells+1)
	}
	return f
}

// pass counts the cells of a piece of whole words.
func (f *fill) pass(piece []byte) {
	perWord := 64 / f.cellBits
	for ; len(piece) >= 8; piece = piece[8:] {
		word := binary.LittleEndian.Uint64(piece)
		if f.cellBits == 4 { // one bit for each counter
			word |= word >> 1
			word = (word | word>>2) & 0x1111111111111111
		}
		if f.slice > 0 {
			f.passSlices(word)
		}
		f.marked += uint64(bits.OnesCount64(word))
		f.passed += perWord
		if f.blocked && f.passed%lineCells == 0 {
			f.of[f.marked]++
			f.marked = 0
		}
	}
}

// passSlices counts the bits of a word of a Partitioned filter, in which a
// slice may end.
func (f *fill) passSlices(word uint64) {
	for at := f.passed; word != 0; {
		slice := at / f.slice
		n := min((slice+1)*f.slice-at, 64)
		if slice < uint64(len(f.of)) {
			f.of[slice] += uint64(bits.OnesCount64(word & (1<<n - 1)))
		}
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
		for _, marked := range f.of {
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
