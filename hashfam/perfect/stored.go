package perfect

import (
	"bytes"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A stored is what a [Function], a [Filter] and their views consist of: a
// mapping, and in a filter slots. Both use the memory of the payload.
type stored struct {
	mapping
	hash    hashfam.Hasher
	layout  layout
	slots   fingerprints
	payload []byte
}

// Family returns the family that hashes the keys. O(1) time.
func (s *stored) Family() hashfam.Family { return s.hash.Family() }

// Len returns the number of keys, without copies, that the structure was built
// from. It includes keys that were deleted from a filter. O(1) time.
func (s *stored) Len() uint64 { return s.n }

// SizeBytes returns the size in bytes. What does not depend on the keys adds
// less than two kilobytes. O(1) time.
func (s *stored) SizeBytes() uint64 { return uint64(len(s.payload) + wordBytes*len(s.free.marks)) }

// open returns the structure of a layout, which is valid, and keeps its
// payload. It returns ErrCorrupt if the payload is damaged.
func open(l layout, payload []byte, fam hashfam.Family) (stored, error) {
	end := l.mappingBytes()
	m, err := l.over(payload[:end])
	if err != nil {
		return stored{}, err
	}
	slots := fingerprints{l.slots, payload[end:]}
	if err := slots.checkEnd(slots.bits, l.keys); err != nil {
		return stored{}, err
	}
	return stored{m, fam.Hasher(uint64(len(payload))), l, slots, payload}, nil
}

// clone returns a copy that shares no memory with s.
func (s *stored) clone() stored {
	c, _ := open(s.layout, bytes.Clone(s.payload), s.Family()) // the payload is valid
	return c
}

// equal reports whether s and t are the same structure.
func (s *stored) equal(t *stored) bool {
	return s.Family() == t.Family() && s.layout.equal(&t.layout) && bytes.Equal(s.payload, t.payload)
}

// encodeAs returns the frame of the given kind. It returns ErrParams if s is
// zero.
func (s *stored) encodeAs(kind frame.Kind) (frame.Header, frame.Payload, error) {
	if s.payload == nil {
		return frame.Header{}, nil, paramError("receiver", "zero", kind.String()+" that was built or decoded")
	}
	return s.layout.header(kind, s.Family()), frame.Numbers(s.payload), nil
}

// decodeAs reads a structure of the given kind and, if there was no error,
// replaces s with it.
func (s *stored) decodeAs(kind frame.Kind, r *frame.Reader) error {
	l, payload, err := formatOf(kind).Read(r, s.Family())
	if err != nil {
		return err
	}
	decoded, err := open(l, payload, s.Family())
	if err == nil {
		*s = decoded
	}
	return err
}

// An encoded is the frame that a view uses in place.
type encoded struct{ view frame.View }

// Verify checks the checksum of the whole encoding. It returns [ErrCorrupt] if
// the data is damaged. O(n) time, no allocation.
func (e *encoded) Verify() error { return e.view.Verify(e.view.Payload) }

// MarshalText returns the text form of the encoded structure. O(n) time and
// memory.
func (e encoded) MarshalText() ([]byte, error) { return e.view.Text() }

// openView returns the structure whose frame is the whole of data. Only its
// header and the free places have been checked.
func openView(data []byte, kind frame.Kind, fam hashfam.Family) (stored, encoded, error) {
	v, l, payload, err := formatOf(kind).View(data, fam)
	if err != nil {
		return stored{}, encoded{}, err
	}
	s, err := open(l, payload, fam)
	return s, encoded{v}, err
}
