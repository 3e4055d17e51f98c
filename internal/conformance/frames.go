package conformance

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
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

// Test runs all properties of encodings and output as subtests.
func (s Structure) Test(t *testing.T) {
	properties := s.Properties()
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		t.Run(name, func(t *testing.T) { properties[name](t) })
	}
}

func (s Structure) Properties() map[string]func(rapid.TB) {
	drawn := func(property func(*rapid.T, Encoded, []string)) func(rapid.TB) {
		run := func(t *rapid.T) {
			f, keys := s.filled(t, drawFamily(t))
			property(t, f, keys)
		}
		return func(t rapid.TB) { rapid.Check(t, run) }
	}
	properties := map[string]func(rapid.TB){
		"changed frames with correct checksums are decoded or rejected":           func(t rapid.TB) { rapid.Check(t, s.Change) },
		"a claimed length does not allocate memory":                               s.lyingLength,
		"a zero value can decode but cannot be encoded":                           s.zeroValue,
		"structures with different parameters are not equal and cannot be merged": drawn(s.incompatible),
		"another version, kind or family is an error":                             drawn(s.wrongHeader),
		"reads can be concurrent":                                                 drawn(s.pureReads),
		"errors from streams are returned":                                        drawn(s.streams),
		"no output shows the key":                                                 drawn(s.secrets),
		"queries and insertions do not allocate":                                  drawn(s.allocations),
	}
	for file, build := range s.Golden {
		properties[file] = func(t rapid.TB) { s.golden(t, file, build()) }
	}
	return properties
}

// example returns a structure with at least five keys. It is the same in all
// runs.
func (s Structure) example(fam hashfam.Family) Encoded {
	return rapid.Custom(func(t *rapid.T) Encoded {
		f, in := s.filled(t, fam)
		if len(in) < 5 {
			t.Skip()
		}
		return f
	}).Example(1)
}

// incompatible checks that structures with different parameters are not equal
// and cannot be merged, and that the error names the parameter.
func (s Structure) incompatible(t *rapid.T, f Encoded, in []string) {
	if s.Builders != nil {
		return
	}
	empty, valid := s.like(f), s.like(f)
	s.fill(valid, []string{"key"})
	variants := s.variants(empty)
	require.NotEmpty(t, variants)
	for v, field := range variants {
		require.False(t, s.equal(v, empty) || s.equal(empty, v), "another %s", field)
		if s.merge == nil {
			continue
		}
		s.fill(v, in)
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

// decode decodes b, which may be damaged, into f using the given ways. It
// returns true if b is valid. Then f must be encoded to the same bytes, since
// decoders must not ignore any bit. Otherwise the error must be want, if that
// is not nil, and f must not change.
func (s Structure) decode(t rapid.TB, f Encoded, b []byte, want error, ways ...way) bool {
	own, _ := f.MarshalBinary() // fails for a receiver
	whole := f.UnmarshalBinary(b)
	var valid Encoded
	if whole == nil {
		own, valid = b, f
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
func (s Structure) wrongHeader(t *rapid.T, f Encoded, _ []string) {
	used, _ := s.filled(t, f.Family())
	other, _ := s.filled(t, f.Family().Derive("another"))
	b, empty, way := encode(t, f), s.receiver(f.Family()), rapid.SampledFrom(ways).Draw(t, "way")
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

// ways are all ways to decode. Some streams return only a part of what is read,
// or return data and an error at the same time, and some continue after the
// frame.
var ways = []way{
	{"UnmarshalBinary", Encoded.UnmarshalBinary},
	{"UnmarshalText", func(f Encoded, b []byte) error { return f.UnmarshalText(textOf(b)) }},
	{"ReadFrom", stream("", func(r io.Reader) io.Reader { return r })},
	{"ReadFrom of unknown length", stream("", func(r io.Reader) io.Reader { return io.MultiReader(r) })},
	{"ReadFrom with half of what it asks for", stream("the next frame", iotest.HalfReader)},
	{"ReadFrom with data and error at once", stream("the next frame", iotest.DataErrReader)},
}

func textOf(b []byte) []byte { return base64.StdEncoding.AppendEncode(nil, b) }

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

// encodings returns the encoding of f. All methods must return the same bytes.
func encodings(t rapid.TB, f Encoded) []byte {
	b := encode(t, f)
	appended, err := f.AppendBinary([]byte("before"))
	require.NoError(t, err)
	frametest.Equal(t, append([]byte("before"), b...), appended, "AppendBinary does not append the encoding")
	text, err := f.MarshalText()
	require.NoError(t, err)
	frametest.Equal(t, textOf(b), text, "MarshalText does not return the encoding")
	var w bytes.Buffer
	n, err := f.WriteTo(&w)
	require.NoError(t, err)
	require.EqualValues(t, w.Len(), n)
	frametest.Equal(t, b, w.Bytes(), "WriteTo does not write the encoding")
	return b
}

func encode(t rapid.TB, f Encoded) []byte {
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	return b
}

// golden checks that a golden file is decoded to the expected structure, and
// that this structure is still encoded to the same bytes.
func (s Structure) golden(t rapid.TB, file string, built Encoded) {
	b, f := encode(t, built), s.receiver(built.Family())
	frametest.Golden(t, file, b)
	require.True(t, s.decode(t, f, b, nil, ways...))
	require.True(t, s.equal(f, built))
	s.everyDamage(t, b, built.Family())
}

// everyDamage decodes damaged frames. If a frame with a flipped bit has correct
// checksums, it can be valid.
func (s Structure) everyDamage(t rapid.TB, b []byte, fam hashfam.Family) {
	f, n := s.example(fam), 0
	frametest.Damage(b, func(bad []byte) {
		way := ways[n%len(ways)]
		n++
		s.decode(t, f, bad, hashfam.ErrCorrupt, way)
		if len(bad) == len(b) {
			s.decode(t, s.receiver(fam), frametest.Seal(bad), nil, way)
		}
	})
	s.decode(t, f, append(b, 0), hashfam.ErrCorrupt) // a byte after the frame
	require.ErrorIs(t, f.UnmarshalText(append(textOf(b), '?')), hashfam.ErrCorrupt)
}

var errBroken = errors.New("broken cable")

// streams reads from streams that fail or stall, and writes to streams that
// fail. It checks the errors and the returned numbers of bytes.
func (s Structure) streams(t *rapid.T, f Encoded, _ []string) {
	b := encode(t, f)
	room := rapid.IntRange(0, len(b)-1).Draw(t, "room")
	until := func(err error) io.Reader { return io.MultiReader(bytes.NewReader(b[:room]), iotest.ErrReader(err)) }
	used, _ := s.filled(t, f.Family())
	own := encode(t, used)
	for r, want := range map[io.Reader]error{
		until(errBroken):                       errBroken,
		iotest.DataErrReader(until(errBroken)): errBroken,
		until(nil):                             io.ErrNoProgress,
		bytes.NewReader(nil):                   io.EOF,
	} {
		n, err := used.ReadFrom(r)
		ok := errors.Is(err, want) && (want == io.EOF || n == int64(room) && !errors.Is(err, io.EOF) && !errors.Is(err, hashfam.ErrCorrupt))
		must(t, ok, "read %d of %d bytes: %v, want %v", n, room, err, want)
	}
	frametest.Equal(t, own, encode(t, used), "a failed read changed the receiver")
	for failure, want := range map[error]error{errBroken: errBroken, nil: io.ErrShortWrite} {
		w := &writer{room: room, err: failure}
		n, err := f.WriteTo(w)
		must(t, n == int64(room) && errors.Is(err, want), "wrote %d of %d bytes: %v, want %v", n, room, err, want)
		frametest.Equal(t, b[:room], w.got, "other bytes were written")
	}
	frametest.Equal(t, b, encode(t, f), "a failed write changed the structure")
}

// A writer returns err once, after room bytes.
type writer struct {
	got  []byte
	room int
	err  error
}

func (w *writer) Write(b []byte) (int, error) {
	n := min(len(b), w.room)
	w.got = append(w.got, b[:n]...)
	if w.room -= n; n < len(b) {
		w.room = math.MaxInt
		return n, w.err
	}
	return n, nil
}

// lyingLength checks that a frame that claims to have 2^40 bits is rejected,
// and that the decoder does not allocate memory for them.
func (s Structure) lyingLength(t rapid.TB) {
	golden := s.Golden[slices.Min(slices.Collect(maps.Keys(s.Golden)))]()
	lie := encode(t, golden)
	lie = frametest.Set(lie, map[int]uint64{frametest.Payload: s.ClaimHuge(lie[frametest.Params:])})
	require.NoError(t, s.header(t, lie, golden.Family(), nil), "the header is already invalid")
	f := s.example(golden.Family())
	for _, b := range [][]byte{lie, lie[:frametest.Params], append(lie, make([]byte, 4<<20)...)} {
		took := checks.LeastAllocated(1, func() { s.decode(t, f, b, hashfam.ErrCorrupt, ways...) })
		require.LessOrEqual(t, took, uint64(64*len(b)+1<<20))
	}
}

// zeroValue checks that a zero value can decode structures of the public
// family. Neither this value nor a receiver can be encoded.
func (s Structure) zeroValue(t rapid.TB) {
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
	f := s.example(hashfam.Family{})
	for _, way := range ways {
		g := s.zero()
		require.NoError(t, way.decode(g, encode(t, f)))
		require.True(t, s.equal(g, f), way.name)
	}
	require.ErrorIs(t, s.zero().UnmarshalBinary(encode(t, s.example(keyed))), hashfam.ErrFamily)
}
