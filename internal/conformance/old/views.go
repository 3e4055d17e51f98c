package old

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
func (s Suite[T]) open(b []byte, fam hashfam.Family) (*opened[T], error) {
	if s.View == nil {
		return nil, nil
	}
	v, err := s.View(aligned(b), fam)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	}
	return v, err
}

// viewOf returns a view of a structure, or nil if there are no views.
func (s Suite[T]) viewOf(t require.TestingT, f T) *opened[T] {
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

// views checks that a view, and a frame that is asked as it is, give the
// answers of the structure, about keys and about the whole, and that the
// structure that the view decodes shares no memory.
func (s Suite[T]) views(t *rapid.T, f T, keys [][]byte) {
	keys = append(keys, drawKeys(t)...)
	b := encode(t, f)
	s.askAny(t, b, f, nil, f.Family().SumAll(nil, keys)...)
	v := s.viewOf(t, f)
	if v == nil {
		return
	}
	require.NoError(t, v.Verify())
	require.Equal(t, ask(t, s.questions(f), keys), ask(t, v.questions(), keys))
	own := s.reads(f)
	for _, r := range s.reads(v.View) {
		i := slices.IndexFunc(own, func(of read) bool { return of.name == r.name })
		if i >= 0 && r.name != "String" && r.name != "LogValue" {
			require.Equal(t, own[i].call(), r.call(), "%s of the view", r.name)
		}
	}
	data := aligned(b)
	v, err := s.View(data, f.Family())
	require.NoError(t, err)
	g, err := v.Decode()
	require.NoError(t, err)
	clear(data)
	require.True(t, g.Equal(f), "the decoded structure shares memory with the view")
}

// viewAny returns the error of a view of b, which may be anything, or otherwise
// if there are no views. The view answers without a panic.
func (s Suite[T]) viewAny(t require.TestingT, b []byte, fam hashfam.Family, otherwise error) error {
	v, err := s.open(b, fam)
	if v == nil && err == nil {
		return otherwise
	}
	if v != nil {
		for _, form := range slices.Concat(v.questions()...) {
			form.do([]byte("key"), nil)
		}
		err = v.Verify()
		_, decoded := v.Decode()
		require.Equal(t, err == nil, decoded == nil)
	}
	return err
}

// askAny asks b, which may be anything, at different addresses. If it can be
// decoded, f is the structure. Otherwise the error is the one of decoding, and
// the answer true, or only a checksum is wrong, or the payload.
func (s Suite[T]) askAny(t require.TestingT, b []byte, f T, invalid error, digests ...hashfam.Digest) {
	if s.Ask == nil {
		return
	}
	ask, room := s.Ask(f.Family()), make([]byte, len(b)+8)
	for i, d := range append(digests, 0, 1<<62, 2<<62, 3<<62) {
		frame := room[i%8:][:copy(room[i%8:], b)]
		got, err := ask(frame, d)
		switch {
		case invalid == nil:
			require.NoError(t, err)
			require.Equal(t, any(f).(interface{ ContainsDigest(hashfam.Digest) bool }).ContainsDigest(d), got)
		case err == nil:
			sealed := bytes.Clone(b)
			Reseal(sealed)
			_, err := s.ReadParams(bytes.NewReader(sealed), f.Family())
			var field *hashfam.FieldError
			if s.Builders == nil || !errors.As(err, &field) || field.Field != "payload length" { // layers are measured when they are asked
				require.NoError(t, err, "an invalid header was accepted")
			}
		default:
			require.True(t, got, "an error answers false")
			for _, reason := range []error{hashfam.ErrCorrupt, hashfam.ErrVersion, hashfam.ErrFamily} {
				require.Equal(t, errors.Is(invalid, reason), errors.Is(err, reason), "%v, decoding: %v", err, invalid)
			}
		}
	}
}
