package conform

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
func (e Encoded[T]) open(b []byte, fam hashfam.Family) (View[T], error) {
	if e.View == nil {
		return nil, nil
	}
	v, err := e.View(aligned(b), fam)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return v, nil
}

// viewOf returns a view of a structure, or nil if there are no views.
func (e Encoded[T]) viewOf(t require.TestingT, f T) View[T] {
	v, err := e.open(encode(t, f), f.Family())
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
func (e Encoded[T]) verify(b []byte, fam hashfam.Family, want error) error {
	switch v, err := e.open(b, fam); {
	case err != nil:
		return err
	case v != nil:
		return v.Verify()
	}
	return want
}

// views checks that a view gives the answers of the structure, about keys and
// about the whole, and that the structure that it decodes shares no memory.
func (e Encoded[T]) views(t *rapid.T) {
	fam := drawFamily(t)
	f, keys := e.fill(t, fam)
	v := e.viewOf(t, f)
	if v == nil {
		return
	}
	require.NoError(t, v.Verify())
	keys = append(keys, drawKeys(t, "queries")...)
	require.Equal(t, e.answers(t, f, fam, keys), e.answers(t, v, fam, keys))
	own := e.reads(f)
	for _, r := range e.reads(v) {
		i := slices.IndexFunc(own, func(of read) bool { return of.name == r.name })
		if i >= 0 && r.name != "String" && r.name != "LogValue" {
			require.Equal(t, own[i].call(), r.call(), "%s of the view", r.name)
		}
	}
	data := aligned(encode(t, f))
	v, err := e.View(data, fam)
	require.NoError(t, err)
	g, err := v.Decode()
	require.NoError(t, err)
	clear(data)
	require.True(t, g.Equal(f), "the decoded structure shares memory with the view")
}

// viewAny checks that a view of b, which may be anything, answers without a
// panic, and that it is valid if and only if b can be decoded.
func (e Encoded[T]) viewAny(t require.TestingT, b []byte, fam hashfam.Family, valid bool) {
	v, err := e.open(b, fam)
	if v != nil {
		for _, q := range e.questions(v) {
			q.bytes([]byte("key"))
			if q.all != nil {
				q.all([]hashfam.Digest{1, 2, 3})
			}
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
func (e Encoded[T]) readParams(t *rapid.T) {
	if e.ReadParams == nil {
		return
	}
	fam := drawFamily(t)
	f, _ := e.fill(t, fam)
	good := encode(t, f)
	header := good[:headerBytes(good)]
	for _, after := range []string{"", "payload"} {
		stream := bytes.NewBuffer(append(bytes.Clone(header), after...))
		got, err := e.ReadParams(stream, fam)
		require.NoError(t, err)
		require.Equal(t, parameters(f), got)
		require.Equal(t, after, stream.String(), "the header is read, and no byte after it")
	}
	i := rapid.IntRange(0, len(header)-1).Draw(t, "offset")
	damaged := bytes.Clone(header)
	damaged[i] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
	for _, bad := range [][]byte{header[:i], damaged} {
		_, err := e.ReadParams(bytes.NewReader(bad), fam)
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
	}
	_, err := e.ReadParams(bytes.NewReader(header), fam.Derive("another"))
	require.ErrorIs(t, err, hashfam.ErrFamily)
	other := bytes.Clone(good)
	other[offsetKind] ^= 7
	_, err = e.ReadParams(bytes.NewReader(forge(other)), fam)
	require.ErrorIs(t, err, hashfam.ErrCorrupt)
	require.ErrorContains(t, err, "kind = ")
}
