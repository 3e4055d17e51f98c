package perfect

import (
	"bytes"
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A stored is the common part of a [Function] and a [Filter]: a mapping and, in
// a filter, slots.
type stored struct {
	mapping
	hash   hashfam.Hasher
	shape  shape
	mapped []byte // the encoded mapping, which the mapping uses
	slots  slots
	view   *frame.View // if they are in a frame that was not verified
}

// Family returns the family that hashes the keys.
func (s *stored) Family() hashfam.Family { return s.hash.Family() }

// Len returns the number of different keys from which the structure was built.
func (s *stored) Len() uint64 { return s.n }

// SizeBytes returns the size in bytes. It does not include memory that is
// independent of the keys, which is less than two kilobytes.
func (s *stored) SizeBytes() uint64 { return s.shape.params(s.Family()).bytes }

// open returns the structure with a valid shape. It retains the encoded
// mapping and the encoded slots. If they are damaged, it returns ErrCorrupt.
func open(sh shape, mapped, slots []byte, fam hashfam.Family) (stored, error) {
	m, err := sh.mapping(mapped)
	if err != nil {
		return stored{}, err
	}
	if err := checkZeros("bits after the last slot", slots, sh.slot.start(sh.keys)); err != nil {
		return stored{}, err
	}
	return stored{
		mapping: m,
		hash:    fam.Hasher(sh.bytes()),
		shape:   sh,
		mapped:  mapped,
		slots:   newSlots(sh.slot, slots),
	}, nil
}

// openPayload is like open for the payload of a frame.
func openPayload(sh shape, payload []byte, fam hashfam.Family) (stored, error) {
	end := sh.mappingBytes()
	return open(sh, payload[:end:end], payload[end:], fam)
}

// checkZeros returns ErrCorrupt if any bit of b after the first n is set.
func checkZeros(field string, b []byte, n uint64) error {
	for i := n; i < 8*uint64(len(b)); i++ {
		if b[i/8]>>(i%8)&1 != 0 {
			return errs.Field(hashfam.ErrCorrupt, field, fmt.Sprintf("% x", b[n/8:]), "zeros")
		}
	}
	return nil
}

// equal reports whether s and t have the same family and equal encodings.
func (s *stored) equal(t *stored) bool {
	return s.Family() == t.Family() && s.shape.equal(&t.shape) &&
		bytes.Equal(s.mapped, t.mapped) && bytes.Equal(s.slots.bits, t.slots.bits)
}
