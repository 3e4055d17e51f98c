package conformance

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/internal/fault"
)

const magic = "\xf1fam"

// The offsets of some fields in a frame, as in docs/format.md.
const (
	offsetKind     = 4
	offsetVersion  = 5
	offsetParamLen = 6
	offsetPayload  = 16
	offsetParams   = 24
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// headerBytes returns the length of the header of a frame.
func headerBytes(b []byte) int {
	p := int(binary.LittleEndian.Uint16(b[offsetParamLen:]))
	return (offsetParams + p + 8 + 63) / 64 * 64
}

// forge corrects the checksum of the header of b and returns b.
func forge(b []byte) []byte {
	end := headerBytes(b) - 8
	binary.LittleEndian.PutUint32(b[end:], crc32.Checksum(b[:end], castagnoli))
	return b
}

// Reseal corrects both checksums of b if b is long enough to be a frame, so
// that a decoder goes on to check the rest. Before that it does so for frames
// within its payload.
func Reseal(b []byte) {
	if len(b) < offsetParams {
		return
	}
	if p := binary.LittleEndian.Uint16(b[offsetParamLen:]); p > 256 || headerBytes(b)+8 > len(b) {
		return
	}
	end := len(b) - 8
	resealNested(b[headerBytes(b):end])
	forge(b)
	binary.LittleEndian.PutUint32(b[end:], crc32.Checksum(b[:end], castagnoli))
}

// resealNested reseals the frames that begin at a multiple of 8 in payload.
func resealNested(payload []byte) {
	for ; len(payload) > offsetParams; payload = payload[8:] {
		if !bytes.HasPrefix(payload, []byte(magic)) {
			continue
		}
		length := binary.LittleEndian.Uint64(payload[offsetPayload:])
		size := uint64(headerBytes(payload)) + 8
		if length <= uint64(len(payload)) && size+length <= uint64(len(payload)) {
			Reseal(payload[:size+length])
		}
	}
}

// Damage checks that a truncation, a flipped bit and a trailing byte are
// detected anywhere, and that they leave the receiver unchanged.
func (e Encoded[T]) Damage(t *rapid.T) {
	fam := drawFamily(t)
	f, _ := e.filled(t, fam)
	g, _ := e.filled(t, fam) // often with different parameters
	good, own := encode(t, f), encode(t, g)
	check := func(damage string, b []byte) {
		require.ErrorIs(t, g.UnmarshalBinary(b), fault.ErrCorrupt, damage)
		if damage != "trailing byte" {
			_, err := g.ReadFrom(bytes.NewReader(b))
			require.ErrorIs(t, err, fault.ErrCorrupt, damage)
		}
		require.Equal(t, own, encode(t, g), "a failed decode changed the receiver")
	}
	check("trailing byte", append(bytes.Clone(good), 0))
	check("empty", nil)
	for range 24 {
		i := rapid.IntRange(0, len(good)-1).Draw(t, "offset")
		check("truncation", good[:i])
		b := bytes.Clone(good)
		b[i] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		check("bit flip", b)
	}
}

// everyDamage checks that every truncation and every flipped bit of the golden
// files is detected, and that the receiver keeps its contents.
func (e Encoded[T]) everyDamage(t *testing.T) {
	for _, g := range e.Golden {
		b := encode(t, g.Build())
		f := e.example(e.family(g.Build()))
		own := encode(t, f)
		check := func(b []byte) {
			require.ErrorIs(t, f.UnmarshalBinary(b), fault.ErrCorrupt)
			_, err := f.ReadFrom(bytes.NewReader(b))
			require.ErrorIs(t, err, fault.ErrCorrupt)
			if !bytes.Equal(own, encode(t, f)) {
				require.Fail(t, "a failed decode changed the receiver")
			}
		}
		for i := range b {
			check(b[:i])
			for bit := range 8 {
				b[i] ^= 1 << bit
				check(b)
				b[i] ^= 1 << bit
			}
		}
	}
}

// canonical flips each bit of the golden files' parameters and payload, and
// corrects the checksums. If the result can be decoded, it must be encoded to
// the same bytes: decoders ignore no bit of a frame.
func (e Encoded[T]) canonical(t *testing.T) {
	for _, g := range e.Golden {
		built := g.Build()
		good, fam := encode(t, built), e.family(built)
		for i := range len(good) - offsetParams - 8 {
			for bit := range 8 {
				b := bytes.Clone(good)
				b[offsetParams+i] ^= 1 << bit
				Reseal(b)
				f := e.Receiver(fam)
				if f.UnmarshalBinary(b) == nil {
					require.Equal(t, b, encode(t, f), "byte %d, bit %d", offsetParams+i, bit)
				}
			}
		}
	}
}

// Mutations changes a frame as someone does who knows the format: numbers in
// the parameters and in the payload, parts of another frame, the length of the
// payload; and corrects all checksums. A decoder must return an error or a
// structure that is encoded to the same bytes; decoding must not allocate much
// more than the bytes take; and all reads of such a structure must return.
func (e Encoded[T]) Mutations(t *rapid.T) {
	fam := drawFamily(t)
	f, keys := e.filled(t, fam)
	other, _ := e.filled(t, fam)
	b, source := encode(t, f), encode(t, other)
	for range rapid.IntRange(1, 4).Draw(t, "changes") {
		b = mutate(t, b, source)
	}
	Reseal(b)
	g := e.decodeAny(t, fam, b)
	if g == nil {
		return
	}
	require.True(t, (*g).Equal(*g))
	e.sameAnswers(t, *g, fam, append(drawKeys(t, "queries"), keys...))
	e.Reads(*g)
	require.Equal(t, b, encode(t, *g), "a read changed the structure")
}

// mutate changes the frame b in one place, half of the time in its header. It
// changes neither the magic nor the version, which other properties do.
func mutate(t *rapid.T, b, source []byte) []byte {
	last := rapid.SampledFrom([]int{headerBytes(b), len(b)}).Draw(t, "end")
	words := rapid.IntRange(offsetPayload/8, min(last, len(b))/8-1)
	i := 8 * words.Draw(t, "word")
	word := b[i : i+8]
	switch rapid.IntRange(0, 6).Draw(t, "change") {
	case 0:
		word[rapid.IntRange(0, 7).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
	case 1:
		word[rapid.IntRange(0, 7).Draw(t, "byte")] = rapid.Byte().Draw(t, "value")
	case 2:
		binary.LittleEndian.PutUint64(word, drawNumber(t))
	case 3: // one more or less
		change := rapid.SampledFrom([]uint64{1, ^uint64(0)}).Draw(t, "change")
		binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)+change)
	case 4:
		j := 8 * words.Draw(t, "other word")
		binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(b[j:]))
	case 5:
		n := rapid.IntRange(1, 8).Draw(t, "words")
		copy(b[i:min(len(b), i+8*n)], source[min(i, len(source)):])
	case 6:
		return resize(t, b)
	}
	return b
}

// drawNumber draws 0 or a number near a power of two: what decoders have to
// check.
func drawNumber(t *rapid.T) uint64 {
	power := uint64(1) << rapid.IntRange(0, 63).Draw(t, "power")
	return power + rapid.SampledFrom([]uint64{0, 1, ^uint64(0), -power}).Draw(t, "offset")
}

// resize removes some words of the payload of b or adds some, and corrects its
// length in the header.
func resize(t *rapid.T, b []byte) []byte {
	start := headerBytes(b)
	if start+8 > len(b) {
		return b
	}
	payload := bytes.Clone(b[start : len(b)-8])
	words := rapid.IntRange(0, len(payload)/8).Draw(t, "words")
	if rapid.Bool().Draw(t, "longer") {
		payload = append(payload, make([]byte, 8*rapid.IntRange(1, 20).Draw(t, "more"))...)
	} else {
		payload = payload[:8*words]
	}
	b = append(bytes.Clone(b[:start]), payload...)
	binary.LittleEndian.PutUint64(b[offsetPayload:], uint64(len(payload)))
	return append(b, make([]byte, 8)...)
}
