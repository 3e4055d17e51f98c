package conform

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

var update = flag.Bool("update", false, "write golden files that do not exist yet")

// recodings is the number of ways to encode and decode a structure.
const recodings = 8

// recode encodes f and decodes it into g, in one of the ways that there are. It
// returns the decoded structure. With a view it does not use g.
func (e Encoded[T]) recode(t require.TestingT, way int, f, g T) T {
	b := encode(t, f)
	streams := []func(io.Reader) io.Reader{
		func(r io.Reader) io.Reader { return r }, iotest.HalfReader, iotest.DataErrReader,
		func(r io.Reader) io.Reader { return &hesitant{r: r} },
	}
	switch v := e.viewOf(t, f); {
	case way < len(streams):
		n, err := g.ReadFrom(streams[way](bytes.NewReader(b)))
		require.NoError(t, err)
		require.EqualValues(t, len(b), n)
		return g
	case way == 4:
		text, err := f.MarshalText()
		require.NoError(t, err)
		require.NoError(t, g.UnmarshalText(text))
		return g
	case way == 5:
		var w bytes.Buffer
		n, err := f.WriteTo(&w)
		require.NoError(t, err)
		require.EqualValues(t, len(b), n)
		require.Equal(t, b, w.Bytes())
	case way == 6:
		appended, err := f.AppendBinary([]byte("before"))
		require.NoError(t, err)
		require.Equal(t, "before"+string(b), string(appended))
	case v != nil:
		require.NoError(t, v.Verify())
		g, err := v.Decode()
		require.NoError(t, err)
		return g
	}
	require.NoError(t, g.UnmarshalBinary(b))
	return g
}

// equality checks that two structures are equal if and only if their encodings
// are.
func (e Encoded[T]) equality(t *rapid.T) {
	fam := drawFamily(t)
	f, _ := e.fill(t, fam)
	g, _ := e.fill(t, rapid.SampledFrom([]hashfam.Family{fam, fam.Derive("another")}).Draw(t, "other family"))
	same := bytes.Equal(encode(t, f), encode(t, g))
	require.Equal(t, same, f.Equal(g))
	require.Equal(t, same, g.Equal(f))
	require.True(t, f.Equal(f))
}

// lyingLength checks that frames whose headers promise gigabytes and have
// correct checksums are rejected, from slices, from streams that tell their
// length and from those that do not, and that decoding allocates memory only in
// proportion to the bytes that there are.
func (e Encoded[T]) lyingLength(t *testing.T) {
	const most = 4 << 20
	f := e.Golden[0].Build()
	frames := e.lying(encode(t, f))
	if e.ReadParams != nil && sizing.MaxBits >= 1<<40 {
		_, err := e.ReadParams(bytes.NewReader(frames[2]), f.Family())
		require.NoError(t, err, "the promise of the header must be a valid one, or decoding does not rely on it")
	}
	for _, b := range append(frames, frames[0][:offsetParams]) {
		for _, b := range [][]byte{b, append(bytes.Clone(b), make([]byte, most)...)} {
			g := e.Receiver(f.Family())
			for i, decode := range []func() error{
				func() error { return g.UnmarshalBinary(b) },
				func() error { _, err := g.ReadFrom(bytes.NewReader(b)); return err },
				func() error { _, err := g.ReadFrom(io.MultiReader(bytes.NewReader(b))); return err },
			} {
				took := LeastAllocated(1, func() { require.ErrorIs(t, decode(), hashfam.ErrCorrupt) })
				require.LessOrEqual(t, took, uint64(4*len(b)+1<<20), "way %d to decode", i)
			}
		}
	}
}

// lying returns the frame good with headers that claim 2^40 bits and have
// correct checksums: by the length of the payload, by the parameters, and last
// by both, so that they agree.
func (e Encoded[T]) lying(good []byte) [][]byte {
	length, params := bytes.Clone(good), bytes.Clone(good)
	binary.LittleEndian.PutUint64(length[offsetPayload:], 1<<37)
	huge := e.ClaimHuge(params[offsetParams:])
	both := bytes.Clone(params)
	binary.LittleEndian.PutUint64(both[offsetPayload:], huge)
	return [][]byte{forge(length), forge(params), forge(both)}
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

// wrongVersion checks that decoding an intact frame returns ErrVersion if it
// has another version, and ErrCorrupt if it is of another kind.
func (e Encoded[T]) wrongVersion(t *rapid.T) {
	fam := drawFamily(t)
	f, _ := e.fill(t, fam)
	for offset, want := range map[int]error{offsetVersion: hashfam.ErrVersion, offsetKind: hashfam.ErrCorrupt} {
		b := encode(t, f)
		b[offset] += rapid.ByteRange(1, 255).Draw(t, "change")
		Reseal(b)
		g, _ := e.fill(t, fam)
		before := encode(t, g)
		require.ErrorIs(t, g.UnmarshalBinary(b), want)
		_, err := g.ReadFrom(bytes.NewReader(b))
		require.ErrorIs(t, err, want)
		require.Equal(t, before, encode(t, g), "a failed decode changed the receiver")
	}
}

// wrongFamily checks that decoding a structure of another family returns
// ErrFamily.
func (e Encoded[T]) wrongFamily(t *rapid.T) {
	fam := drawFamily(t)
	f, _ := e.fill(t, fam)
	b := encode(t, f)
	other := fam.Derive("another")
	g := e.Receiver(other)
	require.ErrorIs(t, g.UnmarshalBinary(b), hashfam.ErrFamily)
	_, err := g.ReadFrom(bytes.NewReader(b))
	require.ErrorIs(t, err, hashfam.ErrFamily)
	require.NoError(t, g.UnmarshalBinary(encode(t, e.example(other))), "the receiver keeps its family")

	used, _ := e.fill(t, fam) // a structure in use decodes under its own family
	require.NoError(t, used.UnmarshalBinary(b))
	require.Equal(t, b, encode(t, used))
}

// streams checks that ReadFrom reads one frame and no byte after it, and that
// it returns io.EOF at the end of the stream, and any error of the reader.
func (e Encoded[T]) streams(t *rapid.T) {
	fam := drawFamily(t)
	a, _ := e.fill(t, fam)
	b, _ := e.fill(t, fam)
	stream := bytes.NewBuffer(append(encode(t, a), encode(t, b)...))
	for _, want := range []T{a, b} {
		g := e.Receiver(fam)
		_, err := g.ReadFrom(stream)
		require.NoError(t, err)
		require.True(t, g.Equal(want))
	}
	_, err := e.Receiver(fam).ReadFrom(stream)
	require.ErrorIs(t, err, io.EOF)

	good := encode(t, a)
	cut := rapid.IntRange(0, len(good)-1).Draw(t, "cut")
	_, err = e.Receiver(fam).ReadFrom(io.MultiReader(bytes.NewReader(good[:cut]), iotest.ErrReader(errBroken)))
	require.ErrorIs(t, err, errBroken)
	require.NotErrorIs(t, err, hashfam.ErrCorrupt)
}

// zeroValue checks that a zero value decodes structures of the public family,
// and that it cannot be encoded.
func (e Encoded[T]) zeroValue(t *testing.T) {
	zero := func() T { return reflect.New(reflect.TypeFor[T]().Elem()).Interface().(T) }
	for _, none := range []T{zero(), e.Receiver(families[1])} {
		_, err := none.AppendBinary(nil)
		require.ErrorIs(t, err, hashfam.ErrParams)
		_, err = none.MarshalBinary()
		require.ErrorIs(t, err, hashfam.ErrParams)
		_, err = none.MarshalText()
		require.ErrorIs(t, err, hashfam.ErrParams)
		n, err := none.WriteTo(io.Discard)
		require.ErrorIs(t, err, hashfam.ErrParams)
		require.Zero(t, n)
	}
	f := e.example(hashfam.Family{})
	for way := range recodings {
		require.True(t, e.recode(t, way, f, zero()).Equal(f), "way %d", way)
	}
	require.ErrorIs(t, zero().UnmarshalBinary(encode(t, e.example(families[1]))), hashfam.ErrFamily)
}

// golden checks that the files in testdata are decoded to the structures that
// they encode, and that these are still encoded to the same bytes.
func (e Encoded[T]) golden(t *testing.T) {
	require.NotEmpty(t, e.Golden)
	for _, g := range e.Golden {
		file := filepath.Join("testdata", g.File)
		want := g.Build()
		b, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) && *update {
			b = encode(t, want)
			err = os.WriteFile(file, b, 0o644)
		}
		require.NoError(t, err)
		f := e.Receiver(want.Family())
		require.NoError(t, f.UnmarshalBinary(b), g.File)
		require.True(t, f.Equal(want), g.File)
		require.Equal(t, b, encode(t, f), g.File)
		require.Equal(t, b, encode(t, want), g.File)
	}
}
