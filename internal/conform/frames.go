package conform

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// fuzzFrames decodes any bytes, or runs forge on what the bytes say: the first
// one decides.
func (e Encoded[T]) fuzzFrames(f *testing.F, forge func(require.TestingT, *Code)) {
	for _, g := range e.Golden {
		f.Add(append([]byte{0}, encode(f, g.Build())...))
	}
	FuzzBytes(f, func(t *testing.T, b []byte) {
		c := &Code{bytes.Clone(b)}
		if c.Bool() {
			forge(t, c)
			return
		}
		e.decodeAny(t, hashfam.Family{}, c.rest)
		Reseal(c.rest) // else almost nothing gets past the checksums
		e.decodeAny(t, hashfam.Family{}, c.rest)
	})
}

// decodeAny decodes b, which may be anything, without a panic and without
// allocating much more than the bytes take. It returns nil if b is not valid.
func (e Encoded[T]) decodeAny(t require.TestingT, fam hashfam.Family, b []byte) (f *T) {
	took := LeastAllocated(1, func() { f = e.decodeChanged(t, fam, b) })
	require.LessOrEqual(t, took, uint64(16*len(b)+4<<20))
	h := e.Receiver(fam)
	n, err := h.ReadFrom(bytes.NewReader(b))
	require.LessOrEqual(t, n, int64(len(b)))
	require.True(t, f == nil || err == nil, "a stream is not decoded: %v", err)
	if err == nil {
		require.Equal(t, b[:n], encode(t, h))
	}
	return f
}

// decodeChanged decodes a frame that may be changed. What can be decoded must
// be encoded to the same bytes, so that decoders ignore no bit of a frame; and
// a view must accept what the decoder accepts. It returns nil if b is not valid.
func (e Encoded[T]) decodeChanged(t require.TestingT, fam hashfam.Family, b []byte) *T {
	g := e.Receiver(fam)
	err := g.UnmarshalBinary(b)
	e.viewAny(t, b, fam, err == nil)
	if err != nil {
		return nil
	}
	if own := encode(t, g); !bytes.Equal(b, own) {
		require.Equal(t, b, own)
	}
	return &g
}

// A forgery is a structure that was decoded from a changed frame.
type forgery[T any] struct {
	f       T
	family  hashfam.Family
	encoded []byte
}

// mutations changes a frame as someone does who knows the format: numbers in
// the parameters and in the payload, lengths and counts, parts of another
// frame, the length of the payload; and corrects all checksums. A decoder must
// return an error or a structure that is encoded to the same bytes, and all
// reads of such a structure must return. It returns nil if the changed frame is
// rejected.
func (e Encoded[T]) mutations(t require.TestingT, c *Code) *forgery[T] {
	fam := families[c.Intn(len(families))]
	draw := func(t *rapid.T) []byte {
		f, _ := e.fill(t, fam)
		return encode(t, f)
	}
	b, source := drawn(c.Intn(1<<16), draw), drawn(c.Intn(256), draw)
	b = c.changes(b, source)
	g := e.decodeAny(t, fam, b)
	if g == nil {
		return nil
	}
	require.True(t, (*g).Equal(*g))
	keys := make([][]byte, 40)
	for i := range keys {
		keys[i] = ProgramKey(i)
	}
	e.answers(t, *g, fam, keys)
	e.readAll(*g)
	require.Equal(t, b, encode(t, *g), "a read changed the structure")
	return &forgery[T]{*g, fam, b}
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
	switch w := word(); c.Intn(9) {
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
	case 4: // two words exchanged
		v := word()
		x, y := binary.LittleEndian.Uint64(w), binary.LittleEndian.Uint64(v)
		binary.LittleEndian.PutUint64(w, y)
		binary.LittleEndian.PutUint64(v, x)
	case 5: // some words of another frame, in their place
		i := len(b) - len(w)
		copy(w[:min(len(w), 8+8*c.Intn(8))], source[min(i, len(source)):])
	case 6:
		return c.resize(b)
	case 7: // one word more or less, where it stands
		i := max(headerBytes(b), len(b)-len(w))
		if i+8 > len(b) {
			return b
		}
		payload := bytes.Clone(b[headerBytes(b) : len(b)-8])
		if i -= headerBytes(b); c.Bool() {
			payload = slices.Insert(payload, i, w[:8]...)
		} else if i+8 <= len(payload) {
			payload = slices.Delete(payload, i, i+8)
		}
		return withPayload(b, payload)
	case 8:
		b[offsetParamLen] = byte(c.next())
	}
	return b
}

// resize removes some words at the end of the payload of b or adds some.
func (c *Code) resize(b []byte) []byte {
	start := headerBytes(b)
	if start+8 > len(b) {
		return b
	}
	payload := bytes.Clone(b[start : len(b)-8])
	if c.Bool() {
		payload = append(payload, make([]byte, 8+8*c.Intn(20))...)
	} else {
		payload = payload[:8*(c.Intn(1<<16)%(len(payload)/8+1))]
	}
	return withPayload(b, payload)
}

// withPayload returns the frame b with another payload, and its length in the
// header.
func withPayload(b, payload []byte) []byte {
	b = append(bytes.Clone(b[:headerBytes(b)]), payload...)
	binary.LittleEndian.PutUint64(b[offsetPayload:], uint64(len(payload)))
	return append(b, make([]byte, 8)...)
}

// forgeries runs programs on what [Encoded.mutations] decodes. What such a
// structure contains is not known, but nothing may panic, all forms must agree,
// and what is added must be found.
func (s Suite[T]) forgeries(t require.TestingT, c *Code) {
	g := s.mutations(t, c)
	if g == nil {
		return
	}
	remembered := s.Programs.Remembered
	s.Programs = Programs[T]{Deletes: s.Programs.Deletes, forged: true}
	if remembered != nil { // it does not know when to forget
		s.Programs.Remembered = func(*Run[T]) map[string]uint64 { return map[string]uint64{} }
	}
	r := &Run[T]{Code: c, Family: g.family, F: g.f, Counts: map[string]uint64{}, suite: s}
	r.TestingT = traced{t, &r.trace}
	r.Note("decode %x", g.encoded)
	r.resync()
	r.run(16)
}
