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

// A View opens a view of data and returns its error. If f is not nil, the view
// must agree with f.
type View[S Encoded[S]] func(t rapid.TB, s Frames[S], data []byte, fam hashfam.Family, f *S) error

// Viewer returns a View. reads and questions must be in the same order as in
// Frames.
func Viewer[S Encoded[S], E any, V interface {
	*E
	Verify() error
	Decode() (S, error)
}](open func([]byte, hashfam.Family) (V, error), reads func(V) []any, questions ...func(V) []Form) View[S] {
	return func(t rapid.TB, s Frames[S], data []byte, fam hashfam.Family, f *S) error {
		v, err := open(data, fam)
		if err != nil {
			return err
		}
		for _, form := range slices.Concat(questionsOf(v, questions)...) {
			form.do("key", "")
		}
		err = v.Verify()
		g, decoded := v.Decode()
		require.Equal(t, err == nil, decoded == nil)
		if err == nil && f != nil {
			require.Len(t, questions, len(s.Questions))
			Agree(t, joined(questionsOf(*f, s.Questions), questionsOf(v, questions)), names)
			require.Equal(t, s.Reads(*f), reads(v))
			requireNoKey(t, v, *v)
			clear(data)
			must(t, g.Equal(*f), "the decoded structure shares memory with the view")
		}
		return err
	}
}

// view opens a view of b and returns its error, or otherwise if there are no
// views.
func (s Frames[S]) view(t rapid.TB, b []byte, fam hashfam.Family, f *S, otherwise error) error {
	if s.View == nil {
		return otherwise
	}
	err := s.View(t, s, bytes.Clone(b), fam, f)
	if errors.Is(err, errors.ErrUnsupported) {
		return otherwise
	}
	return err
}

// A Header reads the parameters in b and returns the error. If f is not nil,
// they must be the parameters of f.
type Header[S any] func(t rapid.TB, b []byte, fam hashfam.Family, f *S) error

// HeaderOf returns a Header. It checks that the bytes after the header are not
// read.
func HeaderOf[S any, P comparable](read func(io.Reader, hashfam.Family) (P, error), params func(S) P) Header[S] {
	return func(t rapid.TB, b []byte, fam hashfam.Family, f *S) error {
		stream := bytes.NewBuffer(b)
		p, err := read(stream, fam)
		if err == nil {
			must(t, intact(b), "a damaged header is accepted")
			require.Equal(t, len(b)-headerBytes(b), stream.Len(), "bytes after the header")
		}
		must(t, f == nil || p == params(*f), "other parameters are read: %v", p)
		return err
	}
}

// An Asker queries a frame.
type Asker = func(frame []byte, d hashfam.Digest) (bool, error)

// ask queries b, which may be damaged, at different addresses. If b is valid,
// the results must agree with f. Otherwise true must be returned with the error
// of the decoder, unless the damage is only in a checksum or in the payload.
func (s Frames[S]) ask(t rapid.TB, b []byte, f S, invalid error) {
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
			must(t, got, "an error answers false")
			for _, reason := range []error{hashfam.ErrCorrupt, hashfam.ErrVersion, hashfam.ErrFamily} {
				require.Equal(t, errors.Is(invalid, reason), errors.Is(err, reason), "%v, decoding: %v", err, invalid)
			}
		}
	}
}

// sealedHeader checks that the header of b is valid except for its checksum.
func (s Frames[S]) sealedHeader(t rapid.TB, b []byte, fam hashfam.Family) {
	b = bytes.Clone(b)
	Reseal(b)
	var field *hashfam.FieldError
	err := s.Header(t, b, fam, nil)
	layers := s.Builders != nil && errors.As(err, &field) && field.Field == "payload length" // which is computed later
	require.True(t, err == nil || layers, "an invalid header was accepted: %v", err)
}
