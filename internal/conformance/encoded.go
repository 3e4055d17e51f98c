package conformance

import (
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// A Structure has the methods that all structures have in common. T is the type
// itself.
type Structure[T any] interface {
	Equal(T) bool

	encoding.BinaryAppender
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
	io.WriterTo
	io.ReaderFrom

	encoding.TextAppender
	encoding.TextMarshaler
	encoding.TextUnmarshaler
	json.Marshaler

	slog.LogValuer
}

// An Encoded declares how the tests query, encode and decode a structure of any
// kind.
type Encoded[T Structure[T]] struct {
	// Fresh draws a small structure of the given family with any parameters. It
	// is empty if keys can be added to it. Insert adds a key; a failed
	// insertion changes nothing. Insert is nil if the structure cannot change.
	Fresh  func(*rapid.T, hashfam.Family) T
	Insert func(T, []byte) error
	// Receiver returns a receiver to decode structures of the family into.
	Receiver func(hashfam.Family) T

	// Query by bytes, string, digest and batch.
	Has       func(T, []byte) bool
	HasString func(T, string) bool
	HasDigest func(T, hashfam.Digest) bool
	HasAll    func(T, []bool, [][]byte) []bool
	// Query by batches of digests, strings and integers, and by an integer; nil
	// if there is no such method.
	HasAllDigests func(T, []bool, []hashfam.Digest) []bool
	HasAllStrings func(T, []bool, []string) []bool
	HasAllUint64  func(T, []bool, []uint64) []bool
	HasUint64     func(T, uint64) bool

	// Reads calls all other methods that must not change the structure.
	Reads func(T)

	// ClaimHuge overwrites the parameters in a frame with those of a structure
	// of 2^40 bits, and returns the length of its payload in bytes.
	ClaimHuge func(params []byte) (payload uint64)

	// View returns a view of an encoded structure; nil if there are no views.
	View func(data []byte, fam hashfam.Family) (Viewed[T], error)

	// Params returns the parameters of a structure, and its family. ReadParams
	// reads them from an encoded structure; nil if there is no such function.
	Params     func(T) (any, hashfam.Family)
	ReadParams func(io.Reader, hashfam.Family) (any, error)

	// NilErrors calls further methods that return ErrParams on a nil receiver.
	NilErrors []func(T) error
	// Shown returns other values that contain the family: parameters, a view.
	Shown func(T) []any

	Golden []Golden[T]
}

// A Golden is a file that all later versions must decode.
type Golden[T any] struct {
	File  string
	Build func() T // the structure that the file encodes
}

// A property is a named check.
type property struct {
	name  string
	check func(*rapid.T)
}

func run(t *testing.T, properties ...property) {
	for _, p := range properties {
		t.Run(p.name, func(t *testing.T) { rapid.Check(t, p.check) })
	}
}

// run runs the properties of all structures as subtests, and the tests that
// need no random input.
func (e Encoded[T]) run(t *testing.T) {
	run(t,
		property{"all forms of query give the same answer", e.Queries},
		property{"encoding round-trips and is canonical in all forms", e.RoundTrip},
		property{"structures are equal if their encodings are", e.Equality},
		property{"damage is detected and leaves the receiver unchanged", e.Damage},
		property{"a claimed length allocates no memory", e.LyingLength},
		property{"another family is an error", e.WrongFamily},
		property{"another version or kind is an error", e.WrongVersion},
		property{"a stream can hold several frames", e.Streams},
		property{"reads are pure and may run at the same time", e.PureReads},
		property{"views give the answers of the structure", e.Views},
		property{"parameters are read from the header", e.Parameters},
		property{"text round-trips and damage is detected", e.Texts},
	)
	t.Run("no query allocates", e.allocations)
	t.Run("every truncation and every flipped bit is detected", e.everyDamage)
	t.Run("no bit of a frame is ignored", e.canonical)
	t.Run("golden files are decoded", e.golden)
	t.Run("a read that fails at any byte leaves the receiver unchanged", e.failingReaders)
	t.Run("streams may return a byte at a time", e.oddReaders)
	t.Run("a write that fails at any byte tells how much was written", e.failingWriters)
	t.Run("hostile frames take no more memory than their bytes", e.hostileMemory)
	t.Run("nil receivers return errors", e.nilReceivers)
	t.Run("no output shows the key", e.secrets)
}

// families are the families that properties draw from: public, keyed, derived.
var families = []hashfam.Family{
	{},
	hashfam.New(hashfam.Key{1, 2, 3}),
	hashfam.New(hashfam.Key{1, 2, 3}).Derive("derived"),
}

func drawFamily(t *rapid.T) hashfam.Family {
	return rapid.SampledFrom(families).Draw(t, "family")
}

// drawKeys draws a few keys, with empty and long ones and repetitions.
func drawKeys(t *rapid.T, label string) [][]byte {
	return rapid.SliceOfN(drawKey(), 0, 40).Draw(t, label)
}

func drawKey() *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "bytes")
		case 1: // long keys that differ at the end
			length := rapid.IntRange(21, 300).Draw(t, "length")
			return fmt.Appendf(nil, "%0*d", length, rapid.IntRange(0, 99).Draw(t, "number"))
		case 2:
			return []byte{}
		}
		return fmt.Append(nil, rapid.IntRange(0, 99).Draw(t, "number"))
	})
}

// filled draws a structure of the family with some keys. It returns the keys
// that it inserted: none if the structure cannot change.
func (e Encoded[T]) filled(t *rapid.T, fam hashfam.Family) (T, [][]byte) {
	f := e.Fresh(t, fam)
	if e.Insert == nil {
		return f, nil
	}
	var in [][]byte
	for _, key := range drawKeys(t, "keys") {
		if e.Insert(f, key) == nil {
			in = append(in, key)
		}
	}
	return f, in
}

// example returns a structure of the family, always the same.
func (e Encoded[T]) example(fam hashfam.Family) T {
	return rapid.Custom(func(t *rapid.T) T {
		f, _ := e.filled(t, fam)
		return f
	}).Example(1)
}

// family returns the family of f, which is the public one if there is no
// Params.
func (e Encoded[T]) family(f T) hashfam.Family {
	if e.Params == nil {
		return hashfam.Family{}
	}
	_, fam := e.Params(f)
	return fam
}

// requireAll checks that all keys are found.
func (e Encoded[T]) requireAll(t require.TestingT, f T, keys [][]byte) {
	for i, found := range e.hasAll(t, f, keys) {
		require.True(t, found, "lost key %x", keys[i])
		require.True(t, e.Has(f, keys[i]), "lost key %x", keys[i])
	}
}

// hasAll queries all keys in one batch. It appends to answers that must stay.
func (e Encoded[T]) hasAll(t require.TestingT, f T, keys [][]byte) []bool {
	dst := e.HasAll(f, []bool{true, false}, keys)
	require.Len(t, dst, 2+len(keys), "one answer per key")
	require.Equal(t, []bool{true, false}, dst[:2], "answers are appended")
	return dst[2:]
}

// encode returns the encoding of a valid structure.
func encode[T Structure[T]](t require.TestingT, f T) []byte {
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	return b
}
