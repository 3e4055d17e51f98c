// Package conformance tests the properties that all structures of filterfam
// share. A structure fills in a [Suite] with functions that call it, and
// [Suite.Run] runs a test for each property. Every property is also a fuzz
// target.
package conformance

import (
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// A Structure has the methods that all structures have in common. T is the type
// itself.
type Structure[T any] interface {
	Reset()
	Clone() T
	Equal(T) bool
	Merge(T) error

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

// A Suite declares how the tests call a structure.
type Suite[T Structure[T]] struct {
	// Fresh draws an empty structure with any parameters of a small structure
	// and the given family.
	Fresh func(*rapid.T, hashfam.Family) T
	// Like returns an empty structure with the same parameters.
	Like func(T) T
	// Variants returns empty structures, each of which differs from the
	// argument in one parameter. There is one for every parameter, including
	// the family.
	Variants func(T) []T
	// Receiver returns a receiver to decode structures of the family into.
	Receiver func(hashfam.Family) T

	// Insertion and query by bytes, string, digest and batch. A failed
	// insertion must change nothing. InsertDigest is nil if the structure needs
	// the key itself.
	Insert       func(T, []byte) error
	InsertString func(T, string) error
	InsertDigest func(T, hashfam.Digest) error
	InsertAll    func(T, [][]byte) error
	Has          func(T, []byte) bool
	HasString    func(T, string) bool
	HasDigest    func(T, hashfam.Digest) bool
	HasAll       func(T, []bool, [][]byte) []bool

	// Insertion and query by batches of digests; nil if there are none.
	InsertAllDigests func(T, []hashfam.Digest) error
	HasAllDigests    func(T, []bool, []hashfam.Digest) []bool

	// Insertion and query by batches of strings and of integers, and insertion
	// of a sequence; nil if there are none.
	InsertAllStrings func(T, []string) error
	HasAllStrings    func(T, []bool, []string) []bool
	InsertAllUint64  func(T, []uint64) error
	HasAllUint64     func(T, []bool, []uint64) []bool
	InsertSeq        func(T, iter.Seq[[]byte]) error
	// Insertion and query of an integer; nil if there are none.
	InsertUint64 func(T, uint64) error
	HasUint64    func(T, uint64) bool

	// Query and insertion in one call, by bytes, string and digest; nil if
	// there is no such method. A key that is found is not inserted again.
	HasOrInsert       func(T, []byte) (bool, error)
	HasOrInsertString func(T, string) (bool, error)
	HasOrInsertDigest func(T, hashfam.Digest) (bool, error)

	// MergeIsAnUpperBound means that a merged structure contains all keys of
	// both but need not equal the one built from them.
	MergeIsAnUpperBound bool

	// Delete removes one copy of a key; nil if there is no such method.
	Delete func(T, []byte) bool

	// MergeReorders means that the place of a key depends on earlier
	// insertions. A merged structure then need not equal the one built from all
	// keys, and may be full although that one is not. But it has the same
	// number of copies of each key, and is empty after all copies are deleted.
	MergeReorders bool
	// Count returns the number of copies of a key, including those of keys that
	// the structure cannot distinguish from it. Required if MergeReorders is
	// set.
	Count func(T, []byte) uint64

	// Reads calls all other methods that must not change the structure.
	Reads func(T)

	// ClaimHuge overwrites the parameters in a frame with those of a structure
	// of 2^40 bits, and returns the length of its payload in bytes.
	ClaimHuge func(params []byte) (payload uint64)

	// View returns a view of an encoded structure; nil if there are no views.
	View func(data []byte, fam hashfam.Family) (Viewed[T], error)

	// ReadParams reads the parameters of an encoded structure. Params returns
	// those of a structure, and its family. Both are nil or neither.
	ReadParams func(io.Reader, hashfam.Family) (any, error)
	Params     func(T) (any, hashfam.Family)

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

func (s Suite[T]) properties() []property {
	return []property{
		{"a key that was added is found after any sequence of operations", s.Membership},
		{"byte, string and digest forms and batches agree", s.KeyForms},
		{"batches of any length and form equal single calls", s.Batches},
		{"query and insertion in one call equal both calls", s.HasOrInserts},
		{"the empty key is a valid key", s.EmptyKey},
		{"merging equals building from all keys", s.MergeIsJointBuild},
		{"structures that differ in one parameter are neither equal nor merged", s.Incompatible},
		{"clones are independent and Reset removes all keys", s.CloneAndReset},
		{"encoding round-trips and is canonical in all forms", s.RoundTrip},
		{"damage is detected and leaves the receiver unchanged", s.Damage},
		{"a claimed length allocates no memory", s.LyingLength},
		{"another family is an error", s.WrongFamily},
		{"another version or kind is an error", s.WrongVersion},
		{"a stream can hold several frames", s.Streams},
		{"reads are pure and may run at the same time", s.PureReads},
		{"views give the answers of the structure", s.Views},
		{"parameters are read from the header", s.Parameters},
		{"text round-trips and damage is detected", s.Texts},
	}
}

// Run runs every property as a subtest, and the tests that need no random
// input.
func (s Suite[T]) Run(t *testing.T) {
	for _, p := range s.properties() {
		t.Run(p.name, func(t *testing.T) { rapid.Check(t, p.check) })
	}
	t.Run("no operation on a key allocates", s.allocations)
	t.Run("every truncation and every flipped bit is detected", s.everyDamage)
	t.Run("no bit of a frame is ignored", s.canonical)
	t.Run("golden files are decoded", s.golden)
	t.Run("nil receivers return errors", s.nilReceivers)
	t.Run("no output shows the key", s.secrets)
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

// filled draws a structure with some keys, and returns the keys that were
// inserted.
func (s Suite[T]) filled(t *rapid.T) (T, [][]byte) {
	f := s.Fresh(t, drawFamily(t))
	var in [][]byte
	for _, key := range drawKeys(t, "keys") {
		if s.Insert(f, key) == nil {
			in = append(in, key)
		}
	}
	return f, in
}

// requireAll checks that all keys are found.
func (s Suite[T]) requireAll(t *rapid.T, f T, keys [][]byte) {
	for i, found := range s.hasAll(t, f, keys) {
		require.True(t, found, "lost key %x", keys[i])
		require.True(t, s.Has(f, keys[i]), "lost key %x", keys[i])
	}
}

// hasAll queries all keys in one batch. It appends to answers that must stay.
func (s Suite[T]) hasAll(t *rapid.T, f T, keys [][]byte) []bool {
	dst := s.HasAll(f, []bool{true, false}, keys)
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
