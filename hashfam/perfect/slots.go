package perfect

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/filterfam/filterfam/internal/frame"
)

const (
	one = 1 << 16 // one bit, in the unit of slotSize

	// A narrow slot always fits into 8 bytes.
	maxNarrow      = 56
	maxNarrowValue = 32

	// The fingerprint and at least one bit of the value of a wide slot fit into
	// 8 bytes, and the whole slot fits into 16.
	maxFingerprint = 56
	maxValue       = 64

	// With fewer keys all slots must have the same whole number of bits.
	// Otherwise the rate would not be the average for the two widths, because
	// keys that are not in a small set are not spread evenly over its indexes.
	minMixed = 4096
)

// A slotSize is a slot's size. A slot consists of a fingerprint and a value.
// The fingerprint is above the value in a narrow slot, but below it in a wide
// one, so that reading it never needs more than 8 bytes.
//
// The size need not be a whole number of bits: slot i consists of the bits from
// ceil(i*width) to ceil((i+1)*width), so the widths of neighbors differ by no
// more than one bit.
type slotSize struct {
	width uint64 // number of bits in units of 1/65536, including the value
	value uint   // number of bits of the value
}

// newSlotSize returns the smallest slots for n keys whose false-positive rate
// does not exceed rate.
func newSlotSize(rate float64, value int, n uint64) slotSize {
	whole := uint64(math.Ceil(-math.Log2(rate)))
	// If a fraction w of the slots is wide and the others are one bit narrower,
	// the rate is 2^-whole * (2 - w).
	share := 2 - math.Ldexp(rate, int(whole))
	if n < minMixed {
		share = 1
	}
	width := (whole-1)*one + uint64(math.Ceil(min(1, share)*one))
	s := slotSize{width + uint64(value)*one, uint(value)}
	if s.wide() {
		s.width = max(s.width, uint64(value+1)*one)
	}
	return s
}

// wide reports whether the slots are wide: they are if they must be.
func (s slotSize) wide() bool { return s.value > maxNarrowValue || s.width > maxNarrow*one }

func (s slotSize) rate() float64 {
	fingerprint := s.width - uint64(s.value)*one
	whole, share := fingerprint/one, float64(fingerprint%one)/one
	return math.Ldexp(1-share/2, -int(whole))
}

// check returns ErrCorrupt if a frame of the given kind cannot have such slots.
func (s slotSize) check(kind frame.Kind) error {
	least := uint64(s.value)*one + 1
	most := uint64(maxNarrow * one)
	if s.wide() {
		least = uint64(s.value+1) * one
		most = uint64(s.value+maxFingerprint) * one
	}
	switch {
	case kind == frame.PerfectFunction && s.width > 0:
		return errs.Field(ErrCorrupt, "bits per slot in 1/65536", s.width, "0 in a function")
	case kind == frame.PerfectFunction && s.value > 0:
		return errs.Field(ErrCorrupt, "Params.ValueBits", s.value, "0 in a function")
	case kind == frame.PerfectFunction:
		return nil
	case s.value > maxValue:
		return errs.Field(ErrCorrupt, "Params.ValueBits", s.value, fmt.Sprintf("at most %d", maxValue))
	case s.width < least || s.width > most:
		return errs.Field(ErrCorrupt, "bits per slot in 1/65536", s.width, fmt.Sprintf("%d to %d", least, most))
	}
	return nil
}

// start returns the first bit of slot i.
func (s slotSize) start(i uint64) uint64 { return (i*s.width + one - 1) / one }

// bytes returns the size of n slots, including enough zeros at the end that all
// loads of 8 bytes, or of 16 if slots are wide, are in bounds.
func (s slotSize) bytes(n uint64) uint64 {
	if s.width == 0 {
		return 0
	}
	total := (s.start(n)+63)/64*wordBytes + wordBytes
	if s.wide() {
		total += wordBytes
	}
	return total
}

// widthOf returns the number of bits in slot i. It multiplies only once.
func (s slotSize) widthOf(i uint64) uint { return uint((i*s.width+s.width+one-1)/one - s.start(i)) }

// valueMask returns the largest value.
func (s slotSize) valueMask() uint64 { return 1<<s.value - 1 }

// A fingerprints is an array of slots, one for each key.
type fingerprints struct {
	slotSize
	bits  []byte
	below uint   // number of bits below the fingerprint in each slot
	mask  uint64 // the largest value
	split bool   // whether slots are wide, so that a value can be in two words
}

func newFingerprints(size slotSize, bits []byte) fingerprints {
	s := fingerprints{slotSize: size, bits: bits, mask: size.valueMask(), split: size.wide()}
	if !s.split {
		s.below = size.value
	}
	return s
}

// word returns 8 bytes. Slot i starts in the lowest bit.
func (s *fingerprints) word(i uint64) uint64 {
	from := s.start(i)
	at := from / 8
	return binary.LittleEndian.Uint64(s.bits[at:at+wordBytes]) >> (from % 8)
}

// match reports whether slot i contains the fingerprint of a digest whose probe
// sequence has the given third value, which no level uses. word must be the
// result of word(i). In a narrow slot, the fingerprint can have no bits, so
// that it always matches.
func (s *fingerprints) match(word, i, third uint64) bool {
	length := s.widthOf(i) - s.value
	different := word>>(s.below&63) ^ third>>(-length&63)
	return different&(1<<(length&63)-1) == 0
}

// valueAt returns the value in slot i, which must match the digest. word must be
// the result of word(i).
func (s *fingerprints) valueAt(word, i, third uint64) uint64 {
	if s.split {
		value, _ := s.findWide(i, third)
		return value
	}
	return word & s.mask
}

// findWide returns the value in slot i if slots are wide, and reports whether
// the slot contains the fingerprint, as match does. If it does not, the value is
// 0. The value begins in the first word: after up to 7 bits of the previous
// slot, and 1 to 56 bits of fingerprint. The comparison comes last, so that the
// second load does not wait for its result.
func (s *fingerprints) findWide(i, third uint64) (value uint64, found bool) {
	from := s.start(i)
	at := from / 8
	words := s.bits[at : at+2*wordBytes]
	low := binary.LittleEndian.Uint64(words) >> (from % 8)
	high := binary.LittleEndian.Uint64(words[wordBytes:])
	length := s.widthOf(i) - s.value
	skip := uint(from%8) + length // 1 to 63
	value = (low>>(length&63) | high<<(-skip&63)) & s.mask
	different := (low ^ third>>(-length&63)) << (-length & 63)
	if different != 0 {
		return 0, false
	}
	return value, true
}

// set stores the fingerprint and the value of a key in slot i, which must be
// zero. third is the third value of the digest's probe sequence.
func (s *fingerprints) set(i, third, value uint64) {
	length := s.widthOf(i) - s.value
	s.add(i, third>>(64-length)<<s.below)
	s.addValue(i, value)
}

// addValue stores the value of a key in slot i, whose value must be 0.
func (s *fingerprints) addValue(i, value uint64) {
	if !s.split {
		s.add(i, value)
		return
	}
	length := s.widthOf(i) - s.value
	from := s.start(i)
	s.add(i, value<<length)
	high := s.bits[from/8+wordBytes:]
	skip := uint(from%8) + length // 1 to 63
	binary.LittleEndian.PutUint64(high, binary.LittleEndian.Uint64(high)|value>>(64-skip))
}

// add sets the given bits in the first word of slot i.
func (s *fingerprints) add(i, bits uint64) {
	from := s.start(i)
	word := s.bits[from/8:]
	binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)|bits<<(from%8))
}
