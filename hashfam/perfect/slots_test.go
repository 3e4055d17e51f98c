package perfect

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/internal/checks/machine"
)

// readSlot returns the fingerprint in slot i, its length and the value, reading
// bit by bit.
func readSlot(size slotSize, slots []byte, i uint64) (fingerprint uint64, length uint, value uint64) {
	bit := func(at uint64) uint64 { return uint64(slots[at/8]) >> (at % 8) & 1 }
	from, end := (i*size.width+one-1)/one, ((i+1)*size.width+one-1)/one
	length = uint(end-from) - size.value
	for k := range uint64(length) {
		fingerprint |= bit(from+uint64(size.value)+k) << k
	}
	for k := range uint64(size.value) {
		value |= bit(from+k) << k
	}
	return fingerprint, length, value
}

// Whatever the bytes are, all methods must read a slot as the format describes
// it, at any position in a byte. At a rate above 1/2, some fingerprints have no
// bits.
func TestSlotsAreReadAsTheFormatDescribes(t *testing.T) {
	machine.Matters(t)
	rapid.Check(t, func(t *rapid.T) {
		size := slotSize{value: uint(rapid.IntRange(0, maxValue).Draw(t, "bits of a value"))}
		size.width = uint64(size.value) * one
		size.width += rapid.Uint64Range(1, maxFingerprint*one).Draw(t, "fingerprint in 1/65536 bits")
		n := rapid.Uint64Range(1, 100).Draw(t, "n")
		bytes := int(size.bytes(n))
		s := newSlots(size, rapid.SliceOfN(rapid.Byte(), bytes, bytes).Draw(t, "slots"))
		i := rapid.Uint64Range(0, n-1).Draw(t, "slot")
		other := rapid.Uint64().Draw(t, "lower bits of the third value")

		fingerprint, length, value := readSlot(size, s.bits, i)
		third := fingerprint<<(64-length) | other>>length
		requireSlot(t, &s, i, third, value, true)
		if length > 0 {
			wrong := rapid.UintRange(64-length, 63).Draw(t, "wrong bit")
			requireSlot(t, &s, i, third^1<<wrong, value, false)
		}
	})
}

// requireSlot requires that slot i contains the value, and matches the third
// value of a probe sequence or not.
func requireSlot(t *rapid.T, s *slots, i, third, value uint64, match bool) {
	word := s.word(i)
	require.Equal(t, match, s.match(word, i, third))
	require.Equal(t, value, s.valueAt(word, i))
}
