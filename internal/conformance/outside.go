package conformance

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// A Viewed is a read-only view of an encoded structure.
type Viewed[T any] struct {
	Has       func([]byte) bool
	HasString func(string) bool
	HasDigest func(hashfam.Digest) bool
	HasUint64 func(uint64) bool
	HasAll    func([]bool, [][]byte) []bool

	HasAllStrings func([]bool, []string) []bool
	HasAllUint64  func([]bool, []uint64) []bool
	HasAllDigests func([]bool, []hashfam.Digest) []bool

	Verify func() error
	Decode func() (T, error)
	JSON   func() ([]byte, error)
}

// A view is what the views of filters have in common.
type view[T any] interface {
	Contains([]byte) bool
	ContainsString(string) bool
	ContainsUint64(uint64) bool
	ContainsDigest(hashfam.Digest) bool
	ContainsAll([]bool, [][]byte) []bool
	ContainsAllStrings([]bool, []string) []bool
	ContainsAllUint64([]bool, []uint64) []bool
	ContainsAllDigests([]bool, []hashfam.Digest) []bool
	Verify() error
	Decode() (T, error)
	MarshalJSON() ([]byte, error)
}

// ViewOf returns what a suite needs of v, a filter's view, and err.
func ViewOf[T any](v view[T], err error) (Viewed[T], error) {
	if err != nil {
		return Viewed[T]{}, err
	}
	return Viewed[T]{
		Has: v.Contains, HasString: v.ContainsString, HasUint64: v.ContainsUint64, HasDigest: v.ContainsDigest,
		HasAll: v.ContainsAll, HasAllStrings: v.ContainsAllStrings,
		HasAllUint64: v.ContainsAllUint64, HasAllDigests: v.ContainsAllDigests,
		Verify: v.Verify, Decode: v.Decode, JSON: v.MarshalJSON,
	}, nil
}

// Views checks that a view gives the answers of the structure, that Verify and
// Decode detect the damage that decoding detects, and that NewView rejects
// anything else.
func (e Encoded[T]) Views(t *rapid.T) {
	if e.View == nil {
		return
	}
	fam := drawFamily(t)
	f, keys := e.filled(t, fam)
	good := encode(t, f)
	data := aligned(good)
	v, err := e.View(data, fam)
	if errors.Is(err, errors.ErrUnsupported) {
		return
	}
	require.NoError(t, err)
	require.NoError(t, v.Verify())
	queries := append(drawKeys(t, "queries"), keys...)
	e.requireSameAnswers(t, f, v, fam, queries)
	g, err := v.Decode()
	require.NoError(t, err)
	require.True(t, g.Equal(f))
	viewed, err := v.JSON()
	require.NoError(t, err)
	direct, err := f.MarshalJSON()
	require.NoError(t, err)
	require.Equal(t, direct, viewed)
	clear(data)
	require.True(t, g.Equal(f), "the decoded structure shares memory with the view")

	_, err = e.View(aligned(good), fam.Derive("another"))
	require.ErrorIs(t, err, hashfam.ErrFamily)
	_, err = e.View(aligned(good[:len(good)-1]), fam)
	require.ErrorIs(t, err, hashfam.ErrCorrupt)
	_, err = e.View(aligned(append(bytes.Clone(good), 0)), fam)
	require.ErrorIs(t, err, hashfam.ErrCorrupt)
	for range 24 {
		e.viewDamaged(t, good, fam, queries)
	}
}

// requireSameAnswers fails if a form of query of v answers another way than f.
func (e Encoded[T]) requireSameAnswers(t *rapid.T, f T, v Viewed[T], fam hashfam.Family, keys [][]byte) {
	texts, digests, integers := make([]string, len(keys)), make([]hashfam.Digest, len(keys)), make([]uint64, len(keys))
	want, wantIntegers := make([]bool, len(keys)), make([]bool, len(keys))
	for i, k := range keys {
		texts[i], digests[i], integers[i] = string(k), fam.Sum(k), uint64(len(k)*i)
		want[i], wantIntegers[i] = e.Has(f, k), v.HasDigest(fam.SumUint64(integers[i]))
		require.Equal(t, want[i], v.Has(k))
		require.Equal(t, want[i], v.HasString(texts[i]))
		require.Equal(t, want[i], v.HasDigest(digests[i]))
		require.Equal(t, wantIntegers[i], v.HasUint64(integers[i]))
	}
	first := []bool{true} // kept in front of the answers
	require.Equal(t, append(first, want...), v.HasAll(first, keys))
	require.Equal(t, append(first, want...), v.HasAllStrings(first, texts))
	require.Equal(t, append(first, want...), v.HasAllDigests(first, digests))
	require.Equal(t, append(first, wantIntegers...), v.HasAllUint64(first, integers))
}

// viewDamaged flips a bit. A view whose header is intact must answer every
// query without a panic, and Verify must detect the damage. With correct
// checksums, Verify must agree with the decoder.
func (e Encoded[T]) viewDamaged(t *rapid.T, good []byte, fam hashfam.Family, keys [][]byte) {
	b := aligned(good)
	b[rapid.IntRange(0, len(good)-1).Draw(t, "offset")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
	for _, sealed := range []bool{false, true} {
		if sealed {
			Reseal(b)
		}
		want := e.Receiver(fam).UnmarshalBinary(b)
		v, err := e.View(b, fam)
		if err == nil {
			v.HasAll(nil, keys)
			err = v.Verify()
			_, decoded := v.Decode()
			require.Equal(t, err == nil, decoded == nil)
		}
		require.Equal(t, want == nil, err == nil, "sealed %v: decoding returns %v, the view %v", sealed, want, err)
	}
}

// Parameters checks that ReadParams reads the parameters and no byte after the
// header, and that it rejects damaged headers and those of other structures.
func (e Encoded[T]) Parameters(t *rapid.T) {
	if e.ReadParams == nil {
		return
	}
	f, _ := e.filled(t, drawFamily(t))
	want, fam := e.Params(f)
	good := encode(t, f)
	header := good[:headerBytes(good)]
	stream := bytes.NewBuffer(bytes.Clone(header))
	got, err := e.ReadParams(stream, fam)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Zero(t, stream.Len(), "the whole header is read")
	stream = bytes.NewBuffer(append(bytes.Clone(header), "payload"...))
	_, err = e.ReadParams(stream, fam)
	require.NoError(t, err)
	require.Equal(t, "payload", stream.String(), "no byte after it is read")

	i := rapid.IntRange(0, len(header)-1).Draw(t, "offset")
	damaged := bytes.Clone(header)
	damaged[i] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
	for _, bad := range [][]byte{header[:i], damaged} {
		_, err = e.ReadParams(bytes.NewReader(bad), fam)
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
	}
	_, err = e.ReadParams(bytes.NewReader(header), fam.Derive("another"))
	require.ErrorIs(t, err, hashfam.ErrFamily)
	other := bytes.Clone(good)
	other[offsetKind] ^= 7
	_, err = e.ReadParams(bytes.NewReader(forge(other)), fam)
	require.ErrorIs(t, err, hashfam.ErrCorrupt)
	require.ErrorContains(t, err, "kind = ")
}

// aligned returns a copy of b whose address is a multiple of 64, like that of
// mapped memory.
func aligned(b []byte) []byte {
	room := make([]byte, len(b)+64)
	skip := -reflect.ValueOf(room).Pointer() & 63
	return append(room[skip:skip:len(room)], b...)
}

// Texts checks that a structure round-trips as text, alone and inside of JSON
// and XML, and that damaged text is detected.
func (e Encoded[T]) Texts(t *rapid.T) {
	fam := drawFamily(t)
	f, _ := e.filled(t, fam)
	text, err := f.MarshalText()
	require.NoError(t, err)
	appended, err := f.AppendText([]byte("before "))
	require.NoError(t, err)
	require.Equal(t, "before "+string(text), string(appended))

	type document struct{ Filter T }
	g := e.Receiver(fam)
	require.NoError(t, g.UnmarshalText(text))
	require.True(t, g.Equal(f))
	b, err := json.Marshal(document{f})
	require.NoError(t, err)
	d := document{e.Receiver(fam)}
	require.NoError(t, json.Unmarshal(b, &d))
	require.True(t, d.Filter.Equal(f), "JSON")
	value, err := json.Marshal(reflect.ValueOf(f).Elem().Interface())
	require.NoError(t, err)
	require.Equal(t, `"`+string(text)+`"`, string(value), "JSON of a value")
	b, err = xml.Marshal(document{f})
	require.NoError(t, err)
	d = document{e.Receiver(fam)}
	require.NoError(t, xml.Unmarshal(b, &d))
	require.True(t, d.Filter.Equal(f), "XML")

	require.ErrorIs(t, e.Receiver(fam.Derive("another")).UnmarshalText(text), hashfam.ErrFamily)
	before := encode(t, g)
	i := rapid.IntRange(0, len(text)-1).Draw(t, "offset")
	damaged := bytes.Clone(text)
	damaged[i] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
	for _, bad := range [][]byte{nil, text[:i], damaged, []byte("{}")} {
		if damaged[i] == '\n' || damaged[i] == '\r' {
			continue // base64 skips them
		}
		require.ErrorIs(t, g.UnmarshalText(bad), hashfam.ErrCorrupt)
	}
	require.Equal(t, before, encode(t, g), "a failed decode changed the receiver")
}

// nilReceivers checks that methods that return an error return one for a nil
// receiver and for a nil argument, and do not panic.
func (e Encoded[T]) nilReceivers(t *testing.T) {
	var none T
	f := e.Golden[0].Build()
	before := encode(t, f)
	require.False(t, f.Equal(none))
	for name, call := range map[string]func() error{
		"AppendBinary":    func() error { _, err := none.AppendBinary(nil); return err },
		"MarshalBinary":   func() error { _, err := none.MarshalBinary(); return err },
		"WriteTo":         func() error { _, err := none.WriteTo(io.Discard); return err },
		"UnmarshalBinary": func() error { return none.UnmarshalBinary(before) },
		"ReadFrom":        func() error { _, err := none.ReadFrom(bytes.NewReader(before)); return err },
		"AppendText":      func() error { _, err := none.AppendText(nil); return err },
		"MarshalText":     func() error { _, err := none.MarshalText(); return err },
		"UnmarshalText":   func() error { return none.UnmarshalText(nil) },
	} {
		require.Error(t, call(), name)
	}
	for i, call := range e.NilErrors {
		require.ErrorIs(t, call(none), hashfam.ErrParams, "call %d on a nil receiver", i)
	}
	require.Equal(t, before, encode(t, f))
}

// nilMerges checks that merging with nil returns an error and changes nothing.
func (s Suite[T]) nilMerges(t *testing.T) {
	if s.Merge == nil {
		t.Skip("there is no Merge")
	}
	var none T
	f := s.Golden[0].Build()
	before := encode(t, f)
	require.ErrorIs(t, s.Merge(f, none), hashfam.ErrIncompatible)
	require.ErrorIs(t, s.Merge(none, f), hashfam.ErrParams)
	require.ErrorIs(t, s.Merge(none, none), hashfam.ErrParams)
	require.Equal(t, before, encode(t, f))
}

// zeroMerges checks that merging a zero structure with another one returns an
// error that says which one is zero, and changes neither. Merging nothing, or
// another zero structure, into a zero one is no error.
func (s Suite[T]) zeroMerges(t *testing.T) {
	if s.Merge == nil {
		t.Skip("there is no Merge")
	}
	f := s.Golden[0].Build()
	before := encode(t, f)
	for _, fam := range families {
		zero, none := s.Receiver(fam), s.Receiver(fam)
		requireText(t, s.Merge(zero, f), hashfam.ErrParams, ": receiver = a zero ", ", want one made by New")
		requireText(t, s.Merge(f, zero), hashfam.ErrIncompatible, ": other = a zero ", ", want one made by New")
		require.NoError(t, s.Merge(zero, none))
		if m, can := any(f).(interface{ MergeAll(...T) error }); can {
			requireText(t, m.MergeAll(f, zero), hashfam.ErrIncompatible, ": others[1] = a zero ", ", want one made by New")
			z := any(zero).(interface{ MergeAll(...T) error })
			requireText(t, z.MergeAll(none, f), hashfam.ErrParams, ": receiver = a zero ", ", want one made by New")
			require.NoError(t, z.MergeAll())
			require.NoError(t, z.MergeAll(none, zero))
		}
		require.True(t, zero.Equal(none), "a failed merge changed a zero structure")
	}
	require.Equal(t, before, encode(t, f), "a failed merge changed the structure")
}

// requireText checks the reason of an error and parts of its text.
func requireText(t *testing.T, err, reason error, parts ...string) {
	require.ErrorIs(t, err, reason)
	for _, part := range parts {
		require.ErrorContains(t, err, part)
	}
}

// secrets checks that no way of printing, logging or marshaling a structure or
// its parameters shows the family's key.
func (e Encoded[T]) secrets(t *testing.T) {
	fam := hashfam.New(hashfam.Key{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	secrets := []uint64{0x0706050403020100, 0x0f0e0d0c0b0a0908}
	rapid.Check(t, func(t *rapid.T) {
		f, _ := e.filled(t, fam)
		values := []any{f, reflect.ValueOf(f).Elem().Interface(), []T{f}, map[string]T{"f": f}}
		if e.Shown != nil {
			values = append(values, e.Shown(f)...)
		}
		for _, v := range values {
			var out bytes.Buffer
			for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%x", "%s", "%q"} {
				fmt.Fprintf(&out, verb+"\n", v)
			}
			b, err := json.Marshal(v)
			if !errors.Is(err, errors.ErrUnsupported) {
				require.NoError(t, err)
			}
			fmt.Fprintf(&out, "%s %v\n", b, err)
			slog.New(slog.NewJSONHandler(&out, nil)).Info("here", "v", v)
			slog.New(slog.NewTextHandler(&out, nil)).Info("here", "v", v)
			for _, secret := range secrets {
				require.NotContains(t, out.String(), fmt.Sprint(secret), "%T", v)
				require.NotContains(t, out.String(), fmt.Sprintf("%x", secret), "%T", v)
			}
			require.NotContains(t, out.String(), "0 1 2 3 4 5 6 7", "%T", v)
			require.NotContains(t, out.String(), "0,1,2,3,4,5,6,7", "%T", v)
			require.NotContains(t, out.String(), "!ERROR", "%T", v)
			require.NotContains(t, out.String(), "PANIC", "%T", v)
		}
	})
}
