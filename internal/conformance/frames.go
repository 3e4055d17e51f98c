package conformance

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

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
		s.decodeAny(t, hashfam.Family{}, c.rest)
		Reseal(c.rest) // else almost nothing gets past the checksums
		s.decodeAny(t, hashfam.Family{}, c.rest)
	})
}

// decodeAny decodes b, which may be anything, without a panic and without
// allocating much more than the bytes take. It returns nil if b is not valid.
func (s Suite[T]) decodeAny(t require.TestingT, fam hashfam.Family, b []byte) (f *T) {
	took := LeastAllocated(1, func() { f = s.decodeChanged(t, fam, b) })
	require.LessOrEqual(t, took, uint64(16*len(b)+4<<20))
	h := s.Receiver(fam)
	n, err := h.ReadFrom(bytes.NewReader(b))
	require.LessOrEqual(t, n, int64(len(b)))
	require.True(t, f == nil || err == nil, "a stream is not decoded: %v", err)
	if err == nil {
		require.Equal(t, b[:n], encode(t, h))
	}
	return f
}

// decodeChanged decodes a frame that may be changed. What can be decoded must
// be encoded to the same bytes: decoders ignore no bit of a frame. And a view
// must accept what the decoder accepts. It returns nil if b is not valid.
func (s Suite[T]) decodeChanged(t require.TestingT, fam hashfam.Family, b []byte) *T {
	g := s.Receiver(fam)
	err := g.UnmarshalBinary(b)
	s.viewAny(t, b, fam, err == nil)
	if err != nil {
		s.askAny(t, b, fam, nil, err)
		return nil
	}
	s.askAny(t, b, fam, &g, nil)
	if own := encode(t, g); !bytes.Equal(b, own) {
		require.Equal(t, b, own)
	}
	return &g
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
	b := c.changes(drawn(c.Intn(1<<16), draw), drawn(c.Intn(256), draw))
	f := s.decodeAny(t, fam, b)
	if f == nil {
		return
	}
	require.True(t, (*f).Equal(*f))
	for _, read := range s.reads(*f) {
		read.call()
	}
	require.Equal(t, b, encode(t, *f), "a read changed the structure")
	s.forged, s.Canonical, s.More, s.Check = true, nil, nil, nil
	if s.Remembered != nil { // it does not know when to forget
		s.Remembered = func(*Run[T]) map[string]uint64 { return map[string]uint64{} }
	}
	r := &Run[T]{Code: c, Family: fam, F: *f, Counts: map[string]uint64{}, suite: s}
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
