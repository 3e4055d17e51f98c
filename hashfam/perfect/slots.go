package perfect

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

const (
	one = 1 << 16 // one bit, in the unit of slotSize

	maxFingerprint = 56 // it fits into 8 bytes, wherever it begins in the first one
	maxValue       = 64

	// With fewer keys, all slots have the same whole number of bits. With two
	// widths, the rate would not be the average of both, because other keys are
	// not spread evenly over the indexes of a small set.
	minMixed = 4096
)

// A slotSize is a slot's size. A slot consists of a value, in its lowest bits,
// and a fingerprint.
//
// The width need not be a whole number of bits: slot i begins at bit
// ceil(i*width), and ends where slot i+1 begins. So the lengths of fingerprints
// differ by no more than one bit.
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
	return slotSize{width + uint64(value)*one, uint(value)}
}

func (s slotSize) rate() float64 {
	fingerprint := s.width - uint64(s.value)*one
	whole, share := fingerprint/one, float64(fingerprint%one)/one
	return math.Ldexp(1-share/2, -int(whole))
}

// check returns ErrCorrupt if a frame of the given kind cannot have such slots.
func (s slotSize) check(kind frame.Kind) error {
	least := uint64(s.value)*one + 1
	most := uint64(s.value+maxFingerprint) * one
	switch {
	case kind == frame.PerfectFunction && s.width > 0:
		return errs.Field(hashfam.ErrCorrupt, "bits per slot in 1/65536", s.width, "0 in a function")
	case kind == frame.PerfectFunction && s.value > 0:
		return errs.Field(hashfam.ErrCorrupt, "Params.ValueBits", s.value, "0 in a function")
	case kind == frame.PerfectFunction:
		return nil
	case s.value > maxValue:
		return errs.Field(hashfam.ErrCorrupt, "Params.ValueBits", s.value, fmt.Sprintf("at most %d", maxValue))
	case s.width < least || s.width > most:
		return errs.Field(hashfam.ErrCorrupt, "bits per slot in 1/65536", s.width, fmt.Sprintf("%d to %d", least, most))
	}
	return nil
}

// start returns the first bit of slot i.
func (s slotSize) start(i uint64) uint64 { return (i*s.width + one - 1) / one }

// bytes returns the size of n slots, including enough zeros at the end that all
// loads of 8 bytes are in bounds.
func (s slotSize) bytes(n uint64) uint64 {
	if s.width == 0 {
		return 0
	}
	return (s.start(n)+63)/64*wordBytes + wordBytes
}

// widthOf returns the number of bits in slot i. It multiplies only once.
func (s slotSize) widthOf(i uint64) uint { return uint((i*s.width+s.width+one-1)/one - s.start(i)) }

// valueMask returns the largest value.
func (s slotSize) valueMask() uint64 { return 1<<s.value - 1 }

// A slots is an array of slots, one for each key.
type slots struct {
	slotSize
	bits  []byte
	mask  uint64 // the largest value
	ahead uint64 // number of a value's bits that word leaves out: none, or all if a slot can be too long for it
	below uint64 // number of a value's bits that word contains
}

func newSlots(size slotSize, bits []byte) slots {
	s := slots{slotSize: size, bits: bits, mask: size.valueMask(), below: uint64(size.value)}
	if size.width > (loadBits-1)*one {
		s.ahead = s.below
		s.below = 0
	}
	return s
}

// length returns the number of bits of the fingerprint in slot i.
func (s *slots) length(i uint64) uint { return s.widthOf(i) - s.value }

// loadBits is the number of valid bits in the result of load.
const loadBits = 57

// load returns the word that starts at a bit.
func (s *slots) load(bit uint64) uint64 {
	at := bit / 8
	return binary.LittleEndian.Uint64(s.bits[at:at+wordBytes]) >> (bit % 8)
}

// word returns a word with the fingerprint in slot i and, unless the slots are
// too long for a word, the value.
func (s *slots) word(i uint64) uint64 { return s.load(s.start(i) + s.ahead) }

// match reports whether slot i contains the highest bits of a fingerprint. word
// must be the result of word(i). If the slot has no bits for a fingerprint,
// every fingerprint matches.
func (s *slots) match(word, i, print uint64) bool {
	length := s.length(i)
	// -length&63 is 64-length, except for a length of 0: then no bit is
	// compared.
	different := word>>(s.below&63) ^ print>>(-length&63)
	return different&(1<<(length&63)-1) == 0
}

// valueAt returns the value in slot i. word must be the result of word(i).
func (s *slots) valueAt(word, i uint64) uint64 {
	if s.ahead == 0 {
		return word & s.mask
	}
	return s.long(i)
}

// long returns the value in slot i, which can have up to 64 bits. It combines
// two words, both of which contain the bits in the middle.
//
//go:noinline
func (s *slots) long(i uint64) uint64 {
	from := s.start(i)
	return (s.load(from) | s.load(from+32)<<32) & s.mask
}

// set stores the fingerprint and the value of a key in slot i, which must be
// zero.
func (s *slots) set(i, print, value uint64) {
	s.setBits(s.start(i)+uint64(s.value), print>>(64-s.length(i)))
	s.setValue(i, value)
}

// setValue stores the value of a key in slot i, whose value must be 0.
func (s *slots) setValue(i, value uint64) {
	from := s.start(i)
	s.setBits(from, value&math.MaxUint32)
	if s.value > 32 {
		s.setBits(from+32, value>>32)
	}
}

// setBits sets the given bits, up to 56, starting at a bit.
func (s *slots) setBits(from, bits uint64) {
	word := s.bits[from/8:]
	binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)|bits<<(from%8))
}
