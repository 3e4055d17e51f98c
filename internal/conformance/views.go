package conformance

import (
	"bytes"
	"errors"
	"reflect"
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// open returns a view of a copy of b at an address that is a multiple of 64,
// like that of mapped memory. It returns no view and no error if this structure
// or this platform has none.
func (s Suite[T]) open(b []byte, fam hashfam.Family) (View[T], error) {
	if s.View == nil {
		return nil, nil
	}
	v, err := s.View(aligned(b), fam)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return v, nil
}

// viewOf returns a view of a structure, or nil if there are no views.
func (s Suite[T]) viewOf(t require.TestingT, f T) View[T] {
	v, err := s.open(encode(t, f), f.Family())
	require.NoError(t, err)
	return v
}

// aligned returns a copy of b whose address is a multiple of 64.
func aligned(b []byte) []byte {
	room := make([]byte, len(b)+64)
	skip := -reflect.ValueOf(room).Pointer() & 63
	return append(room[skip:skip:len(room)], b...)
}

// verify returns the error of a view of b, or want if there are no views.
func (s Suite[T]) verify(b []byte, fam hashfam.Family, want error) error {
	switch v, err := s.open(b, fam); {
	case err != nil:
		return err
	case v != nil:
		return v.Verify()
	}
	return want
}

// views checks that a view gives the answers of the structure, about keys and
// about the whole, and that the structure that it decodes shares no memory.
func (s Suite[T]) views(t *rapid.T, f T, keys [][]byte) {
	v := s.viewOf(t, f)
	if v == nil {
		return
	}
	require.NoError(t, v.Verify())
	keys = append(keys, drawKeys(t)...)
	require.Equal(t, s.answers(t, f, f.Family(), keys), s.answers(t, v, v.Family(), keys))
	own := s.reads(f)
	for _, r := range s.reads(v) {
		i := slices.IndexFunc(own, func(of read) bool { return of.name == r.name })
		if i >= 0 && r.name != "String" && r.name != "LogValue" {
			require.Equal(t, own[i].call(), r.call(), "%s of the view", r.name)
		}
	}
	data := aligned(encode(t, f))
	v, err := s.View(data, f.Family())
	require.NoError(t, err)
	g, err := v.Decode()
	require.NoError(t, err)
	clear(data)
	require.True(t, g.Equal(f), "the decoded structure shares memory with the view")
}

// viewAny checks that a view of b, which may be anything, answers without a
// panic, and that it is valid if and only if b can be decoded.
func (s Suite[T]) viewAny(t require.TestingT, b []byte, fam hashfam.Family, valid bool) {
	v, err := s.open(b, fam)
	if v != nil {
		for _, form := range slices.Concat(s.questions(v, fam)...) {
			form.do([]byte("key"), nil)
		}
		err = v.Verify()
		_, decoded := v.Decode()
		require.Equal(t, err == nil, decoded == nil)
	}
	if v != nil || err != nil {
		require.Equal(t, valid, err == nil, "decoding succeeds: %v, the view says %v", valid, err)
	}
}

// readParams checks that ReadParams reads the parameters and no byte after the
// header, and that it rejects damaged headers and those of other structures.
func (s Suite[T]) readParams(t *rapid.T, f T, _ [][]byte) {
	if s.ReadParams == nil {
		return
	}
	good := encode(t, f)
	header := good[:headerBytes(good)]
	stream := bytes.NewBuffer(good)
	got, err := s.ReadParams(stream, f.Family())
	require.NoError(t, err)
	require.Equal(t, parameters(f), got)
	require.Equal(t, len(good)-len(header), stream.Len(), "the header is read, and no byte after it")
	got, err = s.ReadParams(bytes.NewReader(header), f.Family())
	require.NoError(t, err)
	require.Equal(t, parameters(f), got)

	i := rapid.IntRange(0, len(header)-1).Draw(t, "offset")
	damaged, other := bytes.Clone(header), bytes.Clone(good)
	damaged[i] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
	other[offsetKind] = otherKind(other)
	Reseal(other)
	for _, bad := range [][]byte{header[:i], damaged, other} {
		_, err := s.ReadParams(bytes.NewReader(bad), f.Family())
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
	}
	_, err = s.ReadParams(bytes.NewReader(header), f.Family().Derive("another"))
	require.ErrorIs(t, err, hashfam.ErrFamily)
}
