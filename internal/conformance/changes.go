package conformance

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const magic = "\xf1fam"

// Offsets in a frame, see docs/format.md.
const (
	offsetKind     = 4
	offsetVersion  = 5
	offsetParamLen = 6
	offsetPayload  = 16
	offsetParams   = 24
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func headerBytes(b []byte) int {
	p := int(binary.LittleEndian.Uint16(b[offsetParamLen:]))
	return (offsetParams + p + 8 + 63) / 64 * 64
}

// Reseal corrects both checksums in a frame, so that a decoder will check the
// rest. It also corrects frames in the payload. It ignores anything else.
func Reseal(b []byte) {
	if len(b) < offsetParams {
		return
	}
	if p := binary.LittleEndian.Uint16(b[offsetParamLen:]); p > 256 || headerBytes(b)+8 > len(b) {
		return
	}
	resealNested(b[headerBytes(b) : len(b)-8])
	for _, end := range []int{headerBytes(b) - 8, len(b) - 8} {
		binary.LittleEndian.PutUint32(b[end:], crc32.Checksum(b[:end], castagnoli))
	}
}

// sealed returns a copy of b with correct checksums.
func sealed(b []byte) []byte {
	b = bytes.Clone(b)
	Reseal(b)
	return b
}

func resealNested(payload []byte) {
	for ; len(payload) > offsetParams; payload = payload[8:] {
		if bytes.HasPrefix(payload, []byte(magic)) {
			Reseal(payload[:frameBytes(payload)])
		}
	}
}

// frameBytes returns the length of the first frame in b, or len(b).
func frameBytes(b []byte) int {
	if len(b) >= offsetParams {
		n := binary.LittleEndian.Uint64(b[offsetPayload:])
		if size := uint64(headerBytes(b)) + 8; n <= uint64(len(b)) && size+n <= uint64(len(b)) {
			return int(size + n)
		}
	}
	return len(b)
}

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
		changed := bytes.Clone(b)
		for range rapid.IntRange(1, 8).Draw(t, "number of changes") {
			changed = change(t, changed, another)
		}
		changed = sealed(changed)[:frameBytes(changed)]
		g := f
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
	took := LeastAllocated(1, func() { valid = s.decode(t, f, b, nil, ways...) })
	require.LessOrEqual(t, took, uint64(64*len(b)+4<<20), "allocated bytes for a frame of %d", len(b))
	if valid {
		s.read(f, names)
		Agree(t, s.questions(f), names)
		requireBytes(t, b, encode(t, f), "a read changed the structure")
	}
	return valid
}

// change makes a single change to b, half of the time in the header. It does
// not change the magic or the version, since other properties do.
func change(t *rapid.T, b, another []byte) []byte {
	last := len(b) / 8
	if rapid.Bool().Draw(t, "in the header") {
		last = min(last, headerBytes(b)/8)
	}
	at := 8 * rapid.IntRange(offsetPayload/8, last-1).Draw(t, "word")
	switch w := b[at:]; rapid.SampledFrom([]string{"write a number", "add a number", "copy words", "resize", "length of the parameters"}).Draw(t, "change") {
	case "write a number":
		size := 1 << rapid.IntRange(0, 3).Draw(t, "log of its bytes")
		number := binary.LittleEndian.AppendUint64(nil, drawNumber(t))
		copy(w[rapid.IntRange(0, 8/size-1).Draw(t, "place")*size:][:size], number)
	case "add a number":
		binary.LittleEndian.PutUint64(w, binary.LittleEndian.Uint64(w)+drawNumber(t))
	case "copy words":
		from, words := bytes.Clone(b), rapid.IntRange(1, 8).Draw(t, "words")
		if rapid.Bool().Draw(t, "of another frame") {
			from = another
		}
		from = from[min(len(from), 8*rapid.IntRange(offsetPayload/8, last-1).Draw(t, "from word")):]
		copy(w[:min(len(w), 8*words)], from)
	case "resize":
		return resize(t, b, rapid.SampledFrom([]int{at, len(b)}).Draw(t, "place"))
	default:
		b[offsetParamLen] = rapid.Byte().Draw(t, "length")
	}
	return b
}

// drawNumber draws a small number, which can be negative, or a number near a
// power of two.
func drawNumber(t *rapid.T) uint64 {
	power := uint64(1) << rapid.IntRange(0, 63).Draw(t, "power")
	small := uint64(rapid.Int64Range(-128, 127).Draw(t, "number"))
	return rapid.SampledFrom([]uint64{power, power + 1, power - 1, small}).Draw(t, "plus")
}

// resize inserts words at offset i of the payload, or deletes words before i,
// and corrects the payload length.
func resize(t *rapid.T, b []byte, i int) []byte {
	start := headerBytes(b)
	if start+8 > len(b) {
		return b
	}
	i = max(start, min(i, len(b)-8))
	if n := 8 * rapid.IntRange(-20, 20).Draw(t, "words more"); n > 0 {
		b = slices.Insert(b, i, make([]byte, n)...)
	} else {
		b = slices.Delete(b, max(start, i+n), i)
	}
	binary.LittleEndian.PutUint64(b[offsetPayload:], uint64(len(b)-start-8))
	return b
}

// Fuzz decodes arbitrary bytes with all families, both unchanged and with
// correct checksums, and reads from the structures.
func (s Structure) Fuzz(f *testing.F) {
	for _, g := range s.Golden {
		f.Add(encode(f, g()))
	}
	FuzzBytes(f, func(t *testing.T, b []byte) {
		for _, b := range [][]byte{b, sealed(b)} {
			for _, fam := range families { // see everyDamage for bytes after the frame
				s.decodeAny(t, s.receiver(fam), b[:frameBytes(b)])
			}
		}
	})
}

// FuzzBytes fuzzes a function using arbitrary bytes. Every run begins with the
// lines in testdata/fuzz/NAME.txt: bytes in hexadecimal, or comments after a #.
// When an input fails, the message contains its digits, which should be added
// to this file.
func FuzzBytes(f *testing.F, check func(*testing.T, []byte)) {
	text, err := os.ReadFile(filepath.Join("testdata", "fuzz", f.Name()+".txt"))
	require.True(f, err == nil || errors.Is(err, os.ErrNotExist), "%v", err)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			input, err := hex.DecodeString(line)
			require.NoError(f, err)
			f.Add(input)
		}
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		defer func() {
			if t.Failed() {
				t.Logf("the input is %x", input)
			}
		}()
		check(t, input)
	})
}
