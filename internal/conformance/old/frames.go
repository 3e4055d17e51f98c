package old

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
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

// otherKind returns a kind of structure that exists and is not that of a frame.
func otherKind(frame []byte) byte { return frame[offsetKind]%2 + 1 }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// headerBytes returns the length of the header of a frame.
func headerBytes(b []byte) int {
	p := int(binary.LittleEndian.Uint16(b[offsetParamLen:]))
	return (offsetParams + p + 8 + 63) / 64 * 64
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
	resealNested(b[headerBytes(b) : len(b)-8])
	for _, end := range []int{headerBytes(b) - 8, len(b) - 8} {
		binary.LittleEndian.PutUint32(b[end:], crc32.Checksum(b[:end], castagnoli))
	}
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

// everyDamage checks that every truncation and every flipped bit of a golden
// file is detected, and a byte after it. If the checksums of a frame with a
// flipped bit are corrected and it can then be decoded, it must be encoded to
// the same bytes: decoders ignore no bit of a frame.
func (s Suite[T]) everyDamage(t *testing.T, g Golden[T], b []byte) {
	fam := g.Build().Family()
	f := s.example(fam)
	for i := range b {
		s.decode(t, f, b[:i], hashfam.ErrCorrupt)
		for bit := range 8 {
			changed := bytes.Clone(b)
			changed[i] ^= 1 << bit
			if bit == i%8 {
				s.decode(t, f, changed, hashfam.ErrCorrupt)
			}
			require.True(t, errors.Is(f.UnmarshalBinary(changed), hashfam.ErrCorrupt), "bit %d of byte %d", bit, i)
			if Reseal(changed); i < offsetParams {
				continue
			}
			if g := s.Receiver(fam); bit == i%8 {
				s.decode(t, g, changed, nil)
			} else if g.UnmarshalBinary(changed) == nil {
				require.Equal(t, changed, encode(t, g))
			}
		}
	}
	b = append(b, 0)
	require.ErrorIs(t, f.UnmarshalBinary(b), hashfam.ErrCorrupt, "a byte after the frame")
	require.ErrorIs(t, s.viewAny(t, b, fam, hashfam.ErrCorrupt), hashfam.ErrCorrupt, "a byte after the frame")
}

// lyingLength checks that a frame whose header promises 2^40 bits and has
// correct checksums is rejected, and that this allocates memory only in
// proportion to the bytes that there are.
func (s Suite[T]) lyingLength(t *testing.T) {
	golden := s.Golden[0].Build()
	lie := encode(t, golden)
	binary.LittleEndian.PutUint64(lie[offsetPayload:], s.ClaimHuge(lie[offsetParams:]))
	Reseal(lie)
	if s.ReadParams != nil {
		_, err := s.ReadParams(bytes.NewReader(lie), golden.Family())
		require.NoError(t, err, "decoding does not rely on a header that promises what is not valid")
	}
	f := s.example(golden.Family())
	for _, b := range [][]byte{lie, lie[:offsetParams], append(lie, make([]byte, 4<<20)...)} {
		took := LeastAllocated(1, func() { s.decode(t, f, b, hashfam.ErrCorrupt) })
		require.LessOrEqual(t, took, uint64(16*len(b)+1<<20))
	}
}

// LeastAllocated returns the least number of bytes that the process allocates
// in that many runs of f. What else it does meanwhile is not in all of them.
func LeastAllocated(runs int, f func()) uint64 {
	least := uint64(math.MaxUint64)
	for range runs {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// FuzzFrames decodes any frames, or frames that are changed by someone who
// knows the format, and uses the structures that come of it. The first byte
// decides.
func (s Suite[T]) FuzzFrames(f *testing.F) {
	for _, g := range s.Golden {
		f.Add(append([]byte{0}, encode(f, g.Build())...))
	}
	FuzzBytes(f, func(t *testing.T, b []byte) {
		c := &Code{bytes.Clone(b)}
		if c.Bool() {
			s.forgeries(t, c)
			return
		}
		s.decodeAny(t, s.Receiver(hashfam.Family{}), c.rest)
		Reseal(c.rest) // else almost nothing gets past the checksums
		s.decodeAny(t, s.Receiver(hashfam.Family{}), c.rest)
	})
}

// decodeAny decodes b into f without allocating much more than the bytes take.
// It reports whether b is valid.
func (s Suite[T]) decodeAny(t require.TestingT, f T, b []byte) (valid bool) {
	took := LeastAllocated(1, func() { valid = s.decode(t, f, b, nil) })
	require.LessOrEqual(t, took, uint64(16*len(b)+4<<20))
	return valid
}

// forgeries changes a frame as someone does who knows the format: numbers in
// the parameters and in the payload, lengths and counts, parts of another
// frame, the length of the payload; and corrects all checksums. A decoder must
// return an error or a structure that can be used: what it contains is not
// known, but nothing may panic, all reads must return, all forms must agree,
// and what is added must be found.
func (s Suite[T]) forgeries(t require.TestingT, c *Code) {
	fam := families[c.Intn(len(families))]
	draw := func(t *rapid.T) []byte {
		f, _ := s.fill(t, fam)
		return encode(t, f)
	}
	b, f := c.changes(drawn(c.Intn(1<<16), draw), drawn(c.Intn(256), draw)), s.Receiver(fam)
	if !s.decodeAny(t, f, b) {
		return
	}
	require.True(t, f.Equal(f))
	for _, read := range s.reads(f) {
		read.call()
	}
	require.Equal(t, b, encode(t, f), "a read changed the structure")
	s.forged, s.Canonical, s.More, s.Check = true, nil, nil, nil
	if s.Remembered != nil { // it does not know when to forget
		s.Remembered = func(*Run[T]) map[string]uint64 { return map[string]uint64{} }
	}
	r := &Run[T]{Code: c, Family: fam, F: f, Counts: map[string]uint64{}, suite: s}
	r.TestingT = traced{t, &r.trace}
	r.Note("decode %x", b)
	r.resync()
	r.query()
	r.run(16)
}

// changes changes the frame b in up to eight places, and then corrects the
// checksums.
func (c *Code) changes(b, source []byte) []byte {
	n := 1
	if c.Bool() {
		n += c.Intn(8)
	}
	for range n {
		b = c.mutate(b, source)
	}
	Reseal(b)
	return b
}

// mutate changes the frame b in one place, half of the time in its header. It
// changes neither the magic nor the version, which other properties do.
func (c *Code) mutate(b, source []byte) []byte {
	last := min(len(b), []int{headerBytes(b), len(b)}[c.Intn(2)]) / 8
	word := func() []byte { return b[8*(offsetPayload/8+c.Intn(1<<16)%(last-offsetPayload/8)):] }
	switch w := word(); c.Intn(8) {
	case 0:
		w[c.Intn(8)] ^= 1 << c.Intn(8)
	case 1: // a number of one, two, four or eight bytes
		size := 1 << c.Intn(4)
		number := binary.LittleEndian.AppendUint64(nil, c.number())
		copy(w[c.Intn(8/size)*size:][:size], number)
	case 2: // a little more or less
		binary.LittleEndian.PutUint64(w, binary.LittleEndian.Uint64(w)+uint64(int64(int8(c.next()))))
	case 3: // some words of another place
		copy(w[:min(len(w), 8+8*c.Intn(8))], bytes.Clone(word()))
	case 4: // some words of another frame, in their place
		i := len(b) - len(w)
		copy(w[:min(len(w), 8+8*c.Intn(8))], source[min(i, len(source)):])
	case 5: // words more or less, where they stand or at the end
		return c.resize(b, len(b)-len(w)-headerBytes(b))
	case 6:
		return c.resize(b, len(b))
	case 7:
		b[offsetParamLen] = byte(c.next())
	}
	return b
}

// resize adds some words to the payload of b, before offset i, or removes some,
// and corrects its length in the header.
func (c *Code) resize(b []byte, i int) []byte {
	start := headerBytes(b)
	if start+8 > len(b) {
		return b
	}
	payload := bytes.Clone(b[start : len(b)-8])
	i = max(0, min(i, len(payload)))
	if n := 8 + 8*c.Intn(20); c.Bool() {
		payload = slices.Insert(payload, i, make([]byte, n)...)
	} else {
		payload = slices.Delete(payload, max(0, i-n), i)
	}
	b = append(bytes.Clone(b[:start]), payload...)
	binary.LittleEndian.PutUint64(b[offsetPayload:], uint64(len(payload)))
	return append(b, make([]byte, 8)...)
}

// FuzzBytes fuzzes a function of any bytes. The inputs that every run tries
// first, go test without -fuzz among them, are the lines of
// testdata/fuzz/NAME.txt, if there is such a file: bytes in hexadecimal digits.
// Empty lines and those that begin with # are comments.
//
// A failing input that go test -fuzz writes to a file of its own is added to
// the lines by hand: the digits are in the message of the failure.
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

// FuzzProgram runs any program.
func (s Suite[T]) FuzzProgram(f *testing.F) {
	FuzzBytes(f, func(t *testing.T, program []byte) { s.program(t, &Code{program}) })
}
