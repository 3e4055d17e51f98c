package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// A View opens views of encoded structures, see [Viewer].
type View[S any] func([]byte, hashfam.Family) (*opened[S], error)

// An opened view has the questions that it can answer.
type opened[S any] struct {
	viewer[S]
	questions [][]Form
	reads     func() []any // of a valid view
	shown     []any        // the view and its value
}

type viewer[S any] interface {
	Verify() error
	Decode() (S, error)
}

// Viewer returns a View. The view answers questions and reads like the
// structure, in the same order.
func Viewer[S, E any, V interface {
	*E
	viewer[S]
}](open func([]byte, hashfam.Family) (V, error), reads func(V) []any, questions ...func(V) []Form) View[S] {
	return func(data []byte, fam hashfam.Family) (*opened[S], error) {
		v, err := open(data, fam)
		if err != nil {
			return nil, err
		}
		return &opened[S]{v, questionsOf(v, questions), func() []any { return reads(v) }, []any{v, *v}}, nil
	}
}

// A Header reads the parameters in an encoded structure and compares them with
// those of the structure, see [HeaderOf].
type Header[S any] func(t rapid.TB, r io.Reader, fam hashfam.Family, of *S) error

// HeaderOf returns a Header for a structure whose parameters params returns.
func HeaderOf[S, P any](read func(io.Reader, hashfam.Family) (P, error), params func(S) P) Header[S] {
	return func(t rapid.TB, r io.Reader, fam hashfam.Family, of *S) error {
		p, err := read(r, fam)
		if err == nil && of != nil {
			require.Equal(t, params(*of), p)
		}
		return err
	}
}

// An Asker answers from an encoded structure without opening it.
type Asker = func(frame []byte, d hashfam.Digest) (bool, error)

// open returns a view of a copy of b at an address that is a multiple of 64,
// like that of mapped memory. It returns no view and no error if this structure
// or this platform has none.
func (s Frames[S]) open(b []byte, fam hashfam.Family) (*opened[S], error) {
	if s.View == nil {
		return nil, nil
	}
	v, err := s.View(aligned(b), fam)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	}
	return v, err
}

// aligned returns a copy of b whose address is a multiple of 64.
func aligned(b []byte) []byte {
	room := make([]byte, len(b)+64)
	var address uint64 // without package unsafe
	fmt.Sscanf(fmt.Sprintf("%p", room), "0x%x", &address)
	skip := -address & 63
	return append(room[skip:skip:len(room)], b...)
}

// views checks that a view, and a frame that is asked as it is, give the
// answers of the structure, about keys and about the whole, and that the
// structure that the view decodes shares no memory with it.
func (s Frames[S]) views(t *rapid.T, f S, keys []string) {
	keys = append(keys, drawSet(t)...)
	b := encode(t, f)
	s.askAny(t, b, f, nil, f.Family().SumAll(nil, bytesOf(keys))...)
	v, err := s.open(b, f.Family())
	require.NoError(t, err)
	if v == nil {
		return
	}
	require.NoError(t, v.Verify())
	own := questionsOf(f, s.Questions)
	Agree(t, v.questions, keys)
	require.Equal(t, len(own), len(v.questions))
	for i := range own {
		same(t, own[i][0], v.questions[i][0], keys)
	}
	require.Equal(t, s.Reads(f), v.reads())
	data := aligned(b)
	v, err = s.View(data, f.Family())
	require.NoError(t, err)
	g, err := v.Decode()
	require.NoError(t, err)
	clear(data)
	must(t, g.Equal(f), "the decoded structure shares memory with the view")
}

// viewAny returns the error of a view of b, which may be anything, or otherwise
// if there are no views. The view answers without a panic.
func (s Frames[S]) viewAny(t rapid.TB, b []byte, fam hashfam.Family, otherwise error) error {
	v, err := s.open(b, fam)
	if v == nil && err == nil {
		return otherwise
	}
	if v != nil {
		for _, forms := range v.questions {
			for _, form := range forms {
				form.do("key", "")
			}
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
func (s Frames[S]) askAny(t rapid.TB, b []byte, f S, invalid error, digests ...hashfam.Digest) {
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
			err := s.Header(t, bytes.NewReader(sealed), f.Family(), nil)
			var field *hashfam.FieldError
			if s.Builders == nil || !errors.As(err, &field) || field.Field != "payload length" { // layers are measured when they are asked
				require.NoError(t, err, "an invalid header was accepted")
			}
		default:
			must(t, got, "an error answers false")
			for _, reason := range []error{hashfam.ErrCorrupt, hashfam.ErrVersion, hashfam.ErrFamily} {
				require.Equal(t, errors.Is(invalid, reason), errors.Is(err, reason), "%v, decoding: %v", err, invalid)
			}
		}
	}
}
