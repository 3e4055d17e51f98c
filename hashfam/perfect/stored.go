package perfect

import (
	"bytes"
	"fmt"
	"slices"

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
	slots  fingerprints
	view   *frame.View // if they are in a frame that was not verified
}

// Family returns the family that hashes the keys.
func (s *stored) Family() hashfam.Family { return s.hash.Family() }

// Len returns the number of different keys from which the structure was built.
func (s *stored) Len() uint64 { return s.n }

// SizeBytes returns the size in bytes. It does not include memory that is
// independent of the keys, which is less than two kilobytes.
func (s *stored) SizeBytes() uint64 { return s.shape.params(s.Family()).bytes }

// open returns the structure with the valid shape l. It retains the encoded
// mapping and the encoded slots. If they are damaged, it returns ErrCorrupt.
func open(l shape, mapped, slots []byte, fam hashfam.Family) (stored, error) {
	m, err := l.over(mapped)
	if err != nil {
		return stored{}, err
	}
	if err := checkZeros("bits after the last slot", slots, l.slots.start(l.keys)); err != nil {
		return stored{}, err
	}
	return stored{
		mapping: m,
		hash:    fam.Hasher(l.bytes()),
		shape:   l,
		mapped:  mapped,
		slots:   newFingerprints(l.slots, slots),
	}, nil
}

// openPayload is like open for the payload of a frame.
func openPayload(l shape, payload []byte, fam hashfam.Family) (stored, error) {
	end := l.mappingBytes()
	return open(l, payload[:end:end], payload[end:], fam)
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
	l, m := &s.shape, &t.shape
	return s.Family() == t.Family() && l.keys == m.keys && l.compact == m.compact && l.seed == m.seed &&
		l.slots == m.slots && slices.Equal(l.bumped, m.bumped) && bytes.Equal(s.mapped, t.mapped) && bytes.Equal(s.slots.bits, t.slots.bits)
}
