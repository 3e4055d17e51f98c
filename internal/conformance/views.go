package conformance

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// A View is an open view of a frame.
type View struct {
	pointer, value any
	verify         func() error
	decode         func() (Encoded, error)
}

// Viewer converts the function that opens views. The view must return the same
// as the structure for Questions and Reads.
func Viewer[E any, V interface {
	*E
	Verify() error
	Decode() (S, error)
}, S Encoded](open func([]byte, hashfam.Family) (V, error)) func([]byte, hashfam.Family) (*View, error) {
	return func(data []byte, fam hashfam.Family) (*View, error) {
		v, err := open(data, fam)
		if err != nil {
			return nil, err
		}
		return &View{v, *v, v.Verify, func() (Encoded, error) { return v.Decode() }}, nil
	}
}

// view opens a view of b and returns its error, or otherwise if there are no
// views. If f is not nil, the view must agree with f.
func (s Structure) view(t rapid.TB, b []byte, fam hashfam.Family, f Encoded, otherwise error) error {
	if s.View == nil {
		return otherwise
	}
	b = bytes.Clone(b)
	v, err := s.View(b, fam)
	if errors.Is(err, errors.ErrUnsupported) {
		return otherwise
	}
	if err != nil {
		return err
	}
	questions := s.questions(v.pointer)
	for _, form := range slices.Concat(questions...) {
		form.do("key", "")
	}
	err = v.verify()
	g, decoded := v.decode()
	require.Equal(t, err == nil, decoded == nil)
	if err == nil && f != nil {
		own := s.questions(f)
		require.Len(t, questions, len(own))
		Agree(t, joined(own, questions), names)
		require.Equal(t, s.reads(f), s.reads(v.pointer))
		clear(b)
		must(t, s.equal(g, f), "the decoded structure shares memory with the view")
	}
	return err
}

// HeaderOf converts the function that reads parameters.
func HeaderOf[P any](read func(io.Reader, hashfam.Family) (P, error)) func(io.Reader, hashfam.Family) (any, error) {
	return func(r io.Reader, fam hashfam.Family) (any, error) { return read(r, fam) }
}

// header reads the parameters in b and returns the error. If f is not nil, they
// must be the parameters of f. The bytes after the header must not be read.
func (s Structure) header(t rapid.TB, b []byte, fam hashfam.Family, f Encoded) error {
	if s.Header == nil {
		return nil
	}
	stream := bytes.NewBuffer(b)
	p, err := s.Header(stream, fam)
	if err == nil {
		must(t, intact(b), "a damaged header is accepted")
		require.Equal(t, len(b)-headerBytes(b), stream.Len(), "bytes after the header")
	}
	must(t, f == nil || p == s.params(f), "other parameters are read: %v", p)
	return err
}

// An Asker queries a frame without creating a view.
type Asker = func(frame []byte, d hashfam.Digest) (bool, error)

// ask queries b, which may be damaged, at different addresses. If b is valid,
// the results must agree with f. Otherwise true must be returned with the error
// of the decoder, unless the damage is only in a checksum or in the payload.
func (s Structure) ask(t rapid.TB, b []byte, f Encoded, invalid error) {
	if s.Ask == nil {
		return
	}
	ask, room, digests := s.Ask(f.Family()), make([]byte, len(b)+8), []hashfam.Digest{0, 1 << 62, 2 << 62, 3 << 62}
	if invalid == nil {
		digests = f.Family().SumAll(digests, bytesOf(names))
	}
	for i, d := range digests {
		frame := room[i%8:][:copy(room[i%8:], b)]
		got, err := ask(frame, d)
		switch {
		case invalid == nil:
			require.NoError(t, err)
			require.Equal(t, any(f).(interface{ ContainsDigest(hashfam.Digest) bool }).ContainsDigest(d), got)
		case err == nil:
			s.sealedHeader(t, b, f.Family())
		default:
			must(t, got, "a query with an error returns false")
			for _, reason := range []error{hashfam.ErrCorrupt, hashfam.ErrVersion, hashfam.ErrFamily} {
				require.Equal(t, errors.Is(invalid, reason), errors.Is(err, reason), "%v, decoding: %v", err, invalid)
			}
		}
	}
}

// sealedHeader checks that the header of b is valid except for its checksum.
func (s Structure) sealedHeader(t rapid.TB, b []byte, fam hashfam.Family) {
	b = bytes.Clone(b)
	Reseal(b)
	var field *hashfam.FieldError
	err := s.header(t, b, fam, nil)
	layers := s.Builders != nil && errors.As(err, &field) && field.Field == "payload length" // which is computed later
	require.True(t, err == nil || layers, "an invalid header was accepted: %v", err)
}
