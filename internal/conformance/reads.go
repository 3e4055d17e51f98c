package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/frame/frametest"
)

// view opens a view of b and returns the error of opening or verifying it. If f
// is not nil, the view must agree with f. If the structure or the platform has
// no views, view returns its last argument.
func (s Structure) view(t rapid.TB, b []byte, fam hashfam.Family, f Encoded, otherwise error) error {
	if s.View == nil {
		return otherwise
	}
	b = slices.Clip(bytes.Clone(b))
	v, err := s.View(b, fam)
	if errors.Is(err, errors.ErrUnsupported) {
		return otherwise
	}
	if err != nil {
		return err
	}
	for _, form := range slices.Concat(s.questions(v)...) {
		form.do("key", "")
	}
	err = v.(interface{ Verify() error }).Verify()
	if err == nil && f != nil {
		s.agree(t, names, f, v)
	}
	g, decoded := s.copied(t, v, b, fam, err)
	require.Equal(t, err == nil, decoded == nil)
	if err == nil && f != nil {
		clear(b)
		must(t, s.equal(g, f), "the decoded structure shares memory with the view")
		frametest.Equal(t, encode(t, f), encode(t, g), "the decoded structure is still a view")
	}
	return err
}

// copied decodes b, of which v is a view, and returns the result. damaged is
// the error of v's Verify. If v has another type than the structure, copied
// decodes b into a receiver. Otherwise, it checks v, and then decodes b into v.
// If damaged is nil, v must be equal to the decoded structure and be encoded to
// b. If damaged is not nil, encoding v must return this error.
func (s Structure) copied(t rapid.TB, v any, b []byte, fam hashfam.Family, damaged error) (Encoded, error) {
	b = bytes.Clone(b)
	if reflect.TypeOf(v) != reflect.TypeOf(s.zero()) {
		g := s.receiver(fam)
		return g, g.UnmarshalBinary(b)
	}
	view := v.(Encoded)
	if damaged == nil {
		g := s.receiver(fam)
		require.NoError(t, g.UnmarshalBinary(bytes.Clone(b)))
		must(t, s.equal(view, g) && s.equal(g, view), "a view is not equal to its deep copy")
	}
	again, err := view.MarshalBinary()
	text, textErr := view.MarshalText()
	if damaged != nil {
		require.EqualError(t, err, damaged.Error(), "a damaged view is encoded")
		require.EqualError(t, textErr, damaged.Error(), "a damaged view is encoded")
	} else {
		require.NoError(t, errors.Join(err, textErr))
		frametest.Equal(t, b, again, "a view is encoded to other bytes")
		frametest.Equal(t, frametest.Text(b), text, "a view is encoded to another text")
	}
	return view, view.UnmarshalBinary(b)
}

// header reads the parameters in b and returns the error. The bytes after the
// header must not be read, and if f is not nil, the parameters must be those of
// f.
func (s Structure) header(t rapid.TB, b []byte, fam hashfam.Family, f Encoded) error {
	if s.Header == nil {
		return nil
	}
	stream := bytes.NewBuffer(b)
	p, err := s.Header(stream, fam)
	if err == nil {
		must(t, bytes.HasPrefix(frametest.Seal(b), b[:len(b)-stream.Len()]), "a damaged header is accepted")
		require.Equal(t, len(b)-frametest.HeaderLen(b), stream.Len(), "bytes after the header")
	}
	must(t, f == nil || p == s.params(f), "other parameters are read: %v", p)
	return err
}

// ask queries b, which may be damaged, at different addresses. invalid is the
// decoder's error for b. If b is valid, the results must agree with f.
// Otherwise, a query that returns an error must also return true, and the error
// must have the same reason as invalid. A query can also return no error,
// because it computes no checksum and does not check the whole payload. But it
// must find all faults of the header except for a wrong checksum and, in a
// Structure with Builders, a wrong payload length.
func (s Structure) ask(t rapid.TB, b []byte, f Encoded, invalid error) {
	if s.Ask == nil {
		return
	}
	ask := s.Ask(f.Family())
	room := make([]byte, len(b)+8)
	digests := []hashfam.Digest{0, 1 << 62, 2 << 62, 3 << 62}
	if invalid == nil {
		digests = f.Family().SumAllStrings(digests, names)
	}
	for i, d := range digests {
		at := i % 8
		end := at + copy(room[at:], b)
		frame := room[at:end:end]
		got, err := ask(frame, d)
		switch {
		case invalid == nil:
			require.NoError(t, err)
			want := any(f).(interface{ ContainsDigest(hashfam.Digest) bool }).ContainsDigest(d)
			must(t, got == want, "a FrameReader returns %t for a digest, and the decoded structure %t", got, want)
		case err == nil:
			header := s.header(t, frametest.Seal(b), f.Family(), nil)
			var field *hashfam.FieldError
			layers := s.Builders != nil && errors.As(header, &field) && field.Field == "payload length"
			must(t, header == nil || layers, "an invalid header was accepted: %v", header)
		default:
			must(t, got, "a query with an error returns false")
			for _, reason := range []error{hashfam.ErrCorrupt, hashfam.ErrVersion, hashfam.ErrFamily} {
				require.Equal(t, errors.Is(invalid, reason), errors.Is(err, reason), "%v, decoding: %v", err, invalid)
			}
		}
	}
}

// secrets checks that printing, logging or marshaling a structure does not show
// the family's key. Values are printed like pointers, see checks.ZeroValues.
func (s Structure) secrets(t *rapid.T) {
	fam := hashfam.New(hashfam.Key{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	f := s.filled(t, fam)
	p := s.params(f)
	nested := []any{p, map[string]any{"f": f}, struct{ F any }{f}}
	if s.Reads != nil {
		nested = append(nested, s.Reads(f))
	}
	values := []any{f, p}
	if s.View != nil {
		if v, err := s.View(encode(t, f), fam); err == nil {
			nested = append(nested, v)
			values = append(values, v)
		}
	}
	for _, v := range append(values, nested) {
		out := shown(v)
		for _, wrong := range []string{"506097522914230528", "706050403020100", "1084818905618843912", "f0e0d0c0b0a0908",
			"0 1 2 3 4 5 6 7", "0,1,2,3,4,5,6,7", "!ERROR", "!PANIC", "(PANIC"} { // base64 can contain PANIC, but neither ! nor (
			require.NotContains(t, out, wrong, "%T", v)
		}
	}
}

// shown returns v as printed with all verbs, marshaled and logged.
func shown(v any) string {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%v %+v %#v %d %x %s %q\n", v, v, v, v, v, v, v)
	b, err := json.Marshal(v)
	fmt.Fprintf(&out, "%s %v\n", b, err)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("here", "v", v)
	slog.New(slog.NewTextHandler(&out, nil)).Info("here", "v", v)
	return out.String()
}

// concurrentReads reads in several goroutines. The race detector or different
// encodings reveal writes.
func (s Structure) concurrentReads(t *rapid.T, f Encoded) {
	keys := append(drawSet(t), names...)
	before := encode(t, f)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { s.read(f, keys) })
	}
	wg.Wait()
	frametest.Equal(t, before, encode(t, f), "a read changed the structure")
}

// read calls all methods that only read.
func (s Structure) read(f Encoded, keys []string) {
	for _, form := range slices.Concat(s.questions(f)...) {
		form.do(keys...)
	}
	s.reads(f)
	sizeBytes(f)
	if s.Reads != nil {
		s.Reads(f)
	}
	shown(f)
	s.equal(f, f)
	f.WriteTo(io.Discard)
	if s.clone != nil && s.merge != nil {
		s.merge(s.clone(f), f)
	}
}

// allocations checks that queries do not allocate, nor insertions when the key
// is already contained. With the tag purego strings can be copied.
func (s Structure) allocations(t *rapid.T, f Encoded) {
	key := strings.Repeat("k", rapid.IntRange(0, 300).Draw(t, "length"))
	keys := slices.Repeat([]string{key}, 40) // enough to hash them in blocks
	var forms []Form
	if s.Builders == nil {
		f = s.like(f)
		for range 8 {
			s.adds(f)[0].do(keys...) // so that 8-bit counters are widened now
		}
		forms = append(s.adds(f), containsOrAdds(f)...)
	}
	copied := checks.LeastAllocated(5, func() { f.Family().SumString(key) })
	for _, form := range slices.Concat(append(s.questions(f), forms)...) {
		one, two, many := form.keys(keys[:1]), form.keys(keys[:2]), form.keys(keys)
		most := uint64(0)
		if strings.HasSuffix(form.Name, "String") {
			most = copied * 43
		}
		took := checks.LeastAllocated(5, func() { form.call(one); form.call(two); form.call(many) })
		must(t, took <= most, "%s allocates %d bytes for 1, 2 and 40 keys", form.Name, took)
	}
	if s.Ask != nil {
		ask := s.Ask(f.Family())
		b := encode(t, f)
		d := f.Family().SumString(key)
		require.Zero(t, checks.LeastAllocated(5, func() { ask(b, d) }), "querying a frame allocates")
	}
}
