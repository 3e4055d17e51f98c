package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/frame/frametest"
)

// Change is the property that a changed frame with correct checksums is
// rejected, or decoded to a structure that can be used. This structure may
// contain any keys. But no method may panic or run forever, all forms must
// agree, and keys that are added must be found.
func (s Structure) Change(t *rapid.T) {
	fam := drawFamily(t)
	f, _ := s.filled(t, fam)
	source, _ := s.filled(t, fam)
	b, another := encode(t, f), encode(t, source)
	for range 5 { // most frames are rejected quickly
		g, changed := f, frametest.Change(t, b, another)
		if rapid.Bool().Draw(t, "into a receiver") {
			g = s.receiver(fam)
		}
		if s.decodeAny(t, g, changed) {
			m := &Machine{T: t, Family: fam, F: g, Counts: map[string]uint64{}, s: s, forged: true}
			m.Resync()
			m.repeat()
			return
		}
	}
}

// decodeAny decodes b in all ways and reports whether it is valid. Decoding
// must not allocate much more memory than b uses.
func (s Structure) decodeAny(t rapid.TB, f Encoded, b []byte) (valid bool) {
	took := checks.LeastAllocated(1, func() { valid = s.decode(t, f, b, nil, ways...) })
	require.LessOrEqual(t, took, uint64(64*len(b)+4<<20), "allocated bytes for a frame of %d", len(b))
	if valid {
		s.read(f, names)
		Agree(t, s.questions(f), names)
		frametest.Equal(t, b, encode(t, f), "a read changed the structure")
	}
	return valid
}

// Fuzz decodes arbitrary bytes with all families, both unchanged and with
// correct checksums, and reads from the structures.
func (s Structure) Fuzz(f *testing.F) {
	for _, g := range s.Golden {
		f.Add(encode(f, g()))
	}
	frametest.Fuzz(f, func(t *testing.T, b []byte) {
		for _, b := range [][]byte{b[:frametest.Len(b)], frametest.Seal(b)} { // see everyDamage for bytes after the frame
			for _, fam := range families {
				s.decodeAny(t, s.receiver(fam), b)
			}
		}
	})
}
