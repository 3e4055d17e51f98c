package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/frame/frametest"
)

// Test runs all properties of encodings and output as subtests. Meanwhile,
// garbage is collected less often: this makes the tests faster, and they need
// little memory at a time.
func (s Structure) Test(t *testing.T) {
	runtime.GC() // otherwise, the percentage would include the garbage of earlier tests
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	for name, check := range s.Properties() {
		t.Run(name, func(t *testing.T) { check(t) })
	}
}

// Properties returns the properties that Test runs, by their names.
func (s Structure) Properties() map[string]func(rapid.TB) {
	drawn := func(property func(*rapid.T, Encoded)) func(rapid.TB) {
		return func(t rapid.TB) {
			rapid.Check(t, func(t *rapid.T) { property(t, s.filled(t, drawFamily(t))) })
		}
	}
	properties := map[string]func(rapid.TB){
		"changed frames with correct checksums are decoded or rejected":           func(t rapid.TB) { rapid.Check(t, s.Change) },
		"a claimed length does not allocate memory":                               s.lyingLength,
		"a zero value can decode but cannot be encoded":                           drawn(s.zeroValue),
		"structures with different parameters are not equal and cannot be merged": drawn(s.incompatible),
		"another version, kind or family is an error":                             drawn(s.wrongHeader),
		"reads can be concurrent":                                                 drawn(s.concurrentReads),
		"errors from streams are returned":                                        drawn(s.streams),
		"no output shows the key":                                                 func(t rapid.TB) { rapid.Check(t, s.secrets) },
		"queries and insertions do not allocate":                                  drawn(s.allocations),
	}
	for file, build := range s.Golden {
		properties[file] = func(t rapid.TB) { s.golden(t, file, build()) }
	}
	return properties
}

// example returns a structure that is not empty. It is the same in all runs.
func (s Structure) example(fam hashfam.Family) Encoded {
	return rapid.Custom(func(t *rapid.T) Encoded {
		f := s.filled(t, fam)
		if n, _ := s.questions(f)[0][0].do(names...); n == 0 {
			t.Skip()
		}
		return f
	}).Example(1)
}

// incompatible checks that structures with different parameters are not equal
// and cannot be merged, and that the error names the parameter.
func (s Structure) incompatible(t *rapid.T, f Encoded) {
	if s.Builders != nil {
		return
	}
	empty, valid := s.like(f), s.like(f)
	s.addKeys(valid, []string{"key"})
	variants := s.variants(empty)
	require.NotEmpty(t, variants)
	for v, field := range variants {
		require.False(t, s.equal(v, empty) || s.equal(empty, v), "another %s", field)
		if s.merge == nil {
			continue
		}
		s.addKeys(v, names)
		own, other := encode(t, f), encode(t, v)
		for _, others := range [][]Encoded{{v}, {valid, v, valid}} {
			err := s.merge(f, others...)
			require.ErrorIs(t, err, hashfam.ErrIncompatible, "another %s", field)
			require.ErrorContains(t, err, field)
			require.Equal(t, len(others) > 1, strings.Contains(err.Error(), "others[1]"), err)
		}
		frametest.Equal(t, own, encode(t, f), "a failed merge changed the structure")
		frametest.Equal(t, other, encode(t, v), "a failed merge changed the argument")
	}
}

// decode decodes b, which may be damaged, into f using UnmarshalBinary and the
// given ways, and reports whether b is valid. If b is valid, f must be encoded
// to the same bytes afterwards, since decoders must not ignore any bit. If b is
// not valid, f must not change. If want is not nil, all ways must return this
// error. decode also checks that views, headers and FrameReaders agree about b.
func (s Structure) decode(t rapid.TB, f Encoded, b []byte, want error, ways ...way) bool {
	own, _ := f.MarshalBinary() // fails for a receiver
	whole := f.UnmarshalBinary(b)
	var valid Encoded
	if whole == nil {
		own = b
		valid = f
	}
	same := func(name string, err error) {
		if (whole == nil) != (err == nil) || !errors.Is(err, want) && want != nil {
			t.Fatalf("ways to decode differ: %s: %v, but UnmarshalBinary: %v, want %v", name, err, whole, want)
		}
	}
	for _, way := range ways {
		same(way.name, way.decode(f, b))
	}
	again, _ := f.MarshalBinary()
	frametest.Equal(t, own, again, "a decoder ignored bytes, or changed its receiver after an error")
	same("a view", s.view(t, b, f.Family(), valid, whole))
	err := s.header(t, b, f.Family(), valid)
	ignored := s.Header != nil && err == nil && want != nil && want != hashfam.ErrCorrupt
	must(t, !ignored, "the header has no error, want %v", want)
	s.ask(t, b, f, whole)
	return whole == nil
}

// wrongHeader checks the errors for another version, kind or family, and that
// the receiver's family does not change.
func (s Structure) wrongHeader(t *rapid.T, f Encoded) {
	used := s.filled(t, f.Family())
	other := s.filled(t, f.Family().Derive("another"))
	empty := s.receiver(f.Family())
	way := rapid.SampledFrom(ways).Draw(t, "way")
	b := encode(t, f)
	for _, wrong := range []struct {
		offset int
		value  byte
		err    error
	}{
		{frametest.Version, b[frametest.Version] + rapid.ByteRange(1, 255).Draw(t, "change"), hashfam.ErrVersion},
		{frametest.Kind, rapid.ByteRange(200, 255).Draw(t, "kind"), hashfam.ErrVersion},
		{frametest.Kind, b[frametest.Kind]%2 + 1, hashfam.ErrCorrupt},
	} {
		b := bytes.Clone(b)
		b[wrong.offset] = wrong.value
		b = frametest.Seal(b)
		s.decode(t, used, b, wrong.err, way)
		require.True(t, s.Header == nil || s.header(t, b, f.Family(), nil) != nil, "a wrong header is accepted")
	}
	for _, g := range []Encoded{empty, used} {
		s.decode(t, g, encode(t, other), hashfam.ErrFamily, way)
		must(t, s.decode(t, g, b, nil, way), "a valid frame is rejected")
	}
}

// A way decodes b, which may be damaged, into f.
type way struct {
	name   string
	decode func(f Encoded, b []byte) error
}

// GoString is called by rapid.
func (w way) GoString() string { return strconv.Quote(w.name) }

// ways contains all ways to decode. Some of their streams return only a part of
// the bytes that are requested, or data and an error at the same time, and some
// continue after the frame.
var ways = []way{
	{"UnmarshalBinary", Encoded.UnmarshalBinary},
	{"UnmarshalText", func(f Encoded, b []byte) error { return f.UnmarshalText(frametest.Text(b)) }},
	{"ReadFrom", stream("", func(r io.Reader) io.Reader { return r })},
	{"ReadFrom of unknown length", stream("", func(r io.Reader) io.Reader { return io.MultiReader(r) })},
	{"ReadFrom with half of what it asks for", stream("the next frame", iotest.HalfReader)},
	{"ReadFrom with data and error at once", stream("the next frame", iotest.DataErrReader)},
}

// stream returns a way to read from a stream that continues after b.
func stream(after string, wrap func(io.Reader) io.Reader) func(Encoded, []byte) error {
	return func(f Encoded, b []byte) error {
		r := wrap(bytes.NewReader(append(bytes.Clone(b), after...)))
		n, err := f.ReadFrom(r)
		if err != nil {
			return err
		}
		if rest, _ := io.ReadAll(r); n != int64(len(b)) || string(rest) != after {
			return fmt.Errorf("read %d bytes and left %q, want %d and %q", n, rest, len(b), after)
		}
		return nil
	}
}

func encode(t rapid.TB, f Encoded) []byte {
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	return b
}

// golden checks that a golden file is decoded to the expected structure, which
// is still encoded to the same bytes, and that damaged files are rejected. A
// file with a flipped bit may be accepted after its checksums are corrected.
func (s Structure) golden(t rapid.TB, file string, built Encoded) {
	b := encode(t, built)
	f := s.receiver(built.Family())
	frametest.Golden(t, file, b)
	require.True(t, s.decode(t, f, b, nil, ways...))
	require.True(t, s.equal(f, built))
	used := s.example(f.Family())
	n := 0
	frametest.Damage(b, func(bad []byte) {
		way := ways[n%len(ways)]
		n++
		s.decode(t, used, bad, hashfam.ErrCorrupt, way)
		if len(bad) == len(b) {
			s.decode(t, s.receiver(f.Family()), frametest.Seal(bad), nil, way)
		}
	})
	s.decode(t, used, append(b, 0), hashfam.ErrCorrupt) // a byte after the frame
	require.ErrorIs(t, used.UnmarshalText(append(frametest.Text(b), '?')), hashfam.ErrCorrupt)
}

// streams checks that failed reads and writes, including those with a nil
// reader or writer, do not change a structure.
func (s Structure) streams(t *rapid.T, f Encoded) {
	used := s.filled(t, f.Family())
	own, b := encode(t, used), encode(t, f)
	frametest.Streams(t, used, f, b)
	s.missing(t, used)
	frametest.Equal(t, own, encode(t, used), "a failed read changed the receiver")
	frametest.Equal(t, b, encode(t, f), "a failed write changed the structure")
}

// missing checks that a nil reader and a nil writer are errors that name them,
// and that nothing changes.
func (s Structure) missing(t rapid.TB, f Encoded) {
	read, fromNil := f.ReadFrom(nil)
	written, toNil := f.WriteTo(nil)
	require.Zero(t, read)
	require.Zero(t, written)
	fromNone := fromNil
	if s.Header != nil {
		_, fromNone = s.Header(nil, f.Family())
	}
	for i, err := range []error{fromNil, fromNone, toNil} {
		require.ErrorIs(t, err, hashfam.ErrParams)
		var field *hashfam.FieldError
		require.ErrorAs(t, err, &field)
		require.Equal(t, []string{"r", "r", "w"}[i], field.Field)
	}
}

// lyingLength checks that a frame whose header claims 2^40 bits is rejected,
// and that the decoder does not allocate memory for them.
func (s Structure) lyingLength(t rapid.TB) {
	golden := s.Golden[slices.Min(slices.Collect(maps.Keys(s.Golden)))]()
	lie := encode(t, golden)
	lie = frametest.Set(lie, map[int]uint64{frametest.Payload: s.ClaimHuge(lie[frametest.Params:])})
	require.NoError(t, s.header(t, lie, golden.Family(), nil), "the header is already invalid")
	f := s.example(golden.Family())
	for _, b := range [][]byte{lie, lie[:frametest.Params:frametest.Params], append(lie, make([]byte, 1<<20)...)} {
		s.decodeAny(t, f, b, hashfam.ErrCorrupt)
	}
}

// zeroValue checks that a zero value can decode structures of the public
// family. Neither this value nor a receiver can be encoded.
func (s Structure) zeroValue(t *rapid.T, f Encoded) {
	for _, none := range []Encoded{s.zero(), s.receiver(keyed)} {
		_, marshaled := none.MarshalBinary()
		_, text := none.MarshalText()
		n, written := none.WriteTo(io.Discard)
		for _, err := range []error{marshaled, text, written} {
			require.ErrorIs(t, err, hashfam.ErrParams)
		}
		require.Zero(t, n)
	}
	require.False(t, s.equal(s.zero(), s.receiver(keyed)), "another family")
	require.False(t, s.equal(f, nil), "nil")
	var want error
	if f.Family() != (hashfam.Family{}) {
		want = hashfam.ErrFamily
	}
	g := s.zero()
	require.ErrorIs(t, rapid.SampledFrom(ways).Draw(t, "way").decode(g, encode(t, f)), want)
	require.Equal(t, want == nil, s.equal(g, f))
}

// Change is the property that a changed frame with correct checksums is
// rejected, or decoded to a structure that can be used. This structure may
// contain any keys, but no method may panic or run forever, all forms must
// agree, and keys that are added must be found.
func (s Structure) Change(t *rapid.T) {
	fam := drawFamily(t)
	f := s.filled(t, fam)
	b, another := encode(t, f), encode(t, s.filled(t, fam))
	for range 5 { // most frames are rejected quickly
		g := f
		changed := frametest.Change(t, b, another)
		if rapid.Bool().Draw(t, "into a receiver") {
			g = s.receiver(fam)
		}
		if s.decodeAny(t, g, changed, nil) {
			if s.Large != nil && s.Large(g) {
				return
			}
			m := &Machine{T: t, Family: fam, F: g, Counts: map[string]uint64{}, s: s}
			m.s.Actions = nil
			m.s.Invariant = nil
			if s.Remembered != nil { // it can have forgotten any key
				m.s.Remembered = func(*Machine) map[string]uint64 { return map[string]uint64{} }
			}
			m.Resync()
			m.repeat()
			return
		}
	}
}

// decodeAny decodes b in all ways and reports whether it is valid. The error
// must be want, if that is not nil. All ways together must not allocate more
// than 4 MiB plus 64 bytes for each byte of b.
func (s Structure) decodeAny(t rapid.TB, f Encoded, b []byte, want error) (valid bool) {
	took := checks.LeastAllocated(1, func() { valid = s.decode(t, f, b, want, ways...) })
	require.LessOrEqual(t, took, uint64(64*len(b)+4<<20), "allocated bytes for a frame of %d", len(b))
	if valid {
		s.read(f, names)
		s.agree(t, names, f)
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
		for _, b := range [][]byte{slices.Clip(b[:frametest.Len(b)]), frametest.Seal(b)} { // see golden for bytes after the frame
			for _, fam := range families {
				s.decodeAny(t, s.receiver(fam), b, nil)
			}
		}
	})
}
