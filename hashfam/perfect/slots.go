package perfect

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

const (
	one         = 1 << 16 // one bit, in the unit of slotSize
	maxSlotBits = 56      // with this limit a slot always fits into 8 bytes
	maxValue    = 32

	// With fewer keys all slots must have the same whole number of bits.
	// Otherwise the rate would not be the average for the two widths, because
	// keys that are not in a small set are not spread evenly over its indexes.
	minMixed = 4096
)

// A slotSize is a slot's size. A slot consists of a fingerprint above a value.
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
	return slotSize{width + uint64(value)*one, uint(value)}
}

func (s slotSize) rate() float64 {
	fingerprint := s.width - uint64(s.value)*one
	whole, share := fingerprint/one, float64(fingerprint%one)/one
	return math.Ldexp(1-share/2, -int(whole))
}

// check returns ErrCorrupt if a frame of the given kind cannot have such slots.
func (s slotSize) check(kind frame.Kind) error {
	switch {
	case kind == frame.PerfectFunction && s.width > 0:
		return errs.Field(ErrCorrupt, "bits per slot in 1/65536", s.width, "0 in a function")
	case kind == frame.PerfectFunction && s.value > 0:
		return errs.Field(ErrCorrupt, "Params.ValueBits", s.value, "0 in a function")
	case kind == frame.PerfectFunction:
		return nil
	case s.value > maxValue:
		return errs.Field(ErrCorrupt, "Params.ValueBits", s.value, fmt.Sprintf("at most %d", maxValue))
	case s.width <= uint64(s.value)*one || s.width > maxSlotBits*one:
		return errs.Field(ErrCorrupt, "bits per slot in 1/65536", s.width,
			fmt.Sprintf("above %d, at most %d", s.value*one, maxSlotBits*one))
	}
	return nil
}

// start returns the first bit of slot i.
func (s slotSize) start(i uint64) uint64 { return (i*s.width + one - 1) / one }

// bytes returns the size of n slots. It includes enough zeros at the end that
// all loads of 8 bytes are in bounds.
func (s slotSize) bytes(n uint64) uint64 {
	if s.width == 0 {
		return 0
	}
	return (s.start(n)+63)/64*wordBytes + wordBytes
}

// A fingerprints is an array of slots, one for each key.
type fingerprints struct {
	slotSize
	bits []byte
}

// word returns 8 bytes. Slot i is in the low bits.
func (s *fingerprints) word(i uint64) uint64 {
	from := s.start(i)
	return binary.LittleEndian.Uint64(s.bits[from/8:]) >> (from % 8)
}

// widthOf returns the number of bits in slot i.
func (s slotSize) widthOf(i uint64) uint { return uint(s.start(i+1) - s.start(i)) }

// set stores the fingerprint and the value of a key in slot i, which must be
// zero. third is the third value of the digest's probe sequence.
func (s *fingerprints) set(i, third, value uint64) {
	fingerprint := third >> (64 - (s.widthOf(i) - s.value))
	s.add(i, fingerprint<<s.value|value)
}

// add sets the given bits in slot i.
func (s *fingerprints) add(i, bits uint64) {
	from := s.start(i)
	word := s.bits[from/8:]
	binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)|bits<<(from%8))
}

// fingerprint returns the digest's fingerprint for a slot of width bits. It
// uses the third value of the probe sequence, which no level uses.
func (s slotSize) fingerprint(d hashfam.Digest, width uint) uint64 {
	return uint64(d.Probe().Next().Next()) >> (64 - (width - s.value))
}

// match reports whether slot i, which is in the low bits of word, contains the
// digest's fingerprint.
func (s slotSize) match(word, i uint64, d hashfam.Digest) bool {
	width := s.widthOf(i)
	return word&(1<<width-1)>>s.value == s.fingerprint(d, width)
}

// valueMask returns the largest value.
func (s slotSize) valueMask() uint64 { return 1<<s.value - 1 }
