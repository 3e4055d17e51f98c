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

// A View opens a view of data, which may be anything, and returns its error. If
// f is not nil, data encodes it: the view must have the same answers, see
// [Viewer].
type View[S Encoded[S]] func(t rapid.TB, s Frames[S], data []byte, fam hashfam.Family, f *S) error

// Viewer returns a View. The view answers questions and reads like the
// structure, in the same order, and decodes to a copy.
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

// view returns the error of a view of b, or otherwise if there are no views.
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

// A Header reads the parameters in b, which may be anything, see [HeaderOf].
type Header[S any] func(t rapid.TB, b []byte, fam hashfam.Family, f *S) error

// HeaderOf returns a Header. If f is not nil, b encodes it: the parameters must
// be those that params returns. Not a byte after the header is read.
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

// An Asker answers from an encoded structure without opening it.
type Asker = func(frame []byte, d hashfam.Digest) (bool, error)

// ask asks b, which may be anything, at different addresses. If it can be
// decoded, f is the structure. Otherwise the error is the one of decoding, and
// the answer true, or only a checksum is wrong, or the payload.
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

// sealedHeader checks that the header of b is valid, checksums aside.
func (s Frames[S]) sealedHeader(t rapid.TB, b []byte, fam hashfam.Family) {
	b = bytes.Clone(b)
	Reseal(b)
	var field *hashfam.FieldError
	err := s.Header(t, b, fam, nil)
	layers := s.Builders != nil && errors.As(err, &field) && field.Field == "payload length" // is measured later
	require.True(t, err == nil || layers, "an invalid header was accepted: %v", err)
}
