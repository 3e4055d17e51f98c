// Package conformance is the suite that every structure of filterfam passes:
// what its users rely on, as properties. A structure declares in a [Suite]
// how it is driven and gets, from [Suite.Run], one test for each promise; each
// property can be fuzzed as well.
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

// Structure is what all structures have in common. T is the type itself.
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

// A Suite declares how a structure is driven.
type Suite[T Structure[T]] struct {
	// Fresh draws an empty structure of any small shape, of the given family.
	Fresh func(*rapid.T, hashfam.Family) T
	// Like returns an empty structure with the same parameters.
	Like func(T) T
	// Variants returns empty structures that differ from one in a single
	// parameter each: every one of them, the family included.
	Variants func(T) []T
	// Receiver returns what decodes structures of the family.
	Receiver func(hashfam.Family) T

	// The three key forms and the batch, for insertion and query. An
	// insertion that fails must change nothing. InsertDigest is nil where the
	// structure needs the key itself.
	Insert       func(T, []byte) error
	InsertString func(T, string) error
	InsertDigest func(T, hashfam.Digest) error
	InsertAll    func(T, [][]byte) error
	Has          func(T, []byte) bool
	HasString    func(T, string) bool
	HasDigest    func(T, hashfam.Digest) bool
	HasAll       func(T, []bool, [][]byte) []bool

	// The batches of digests, nil where there is no such thing.
	InsertAllDigests func(T, []hashfam.Digest) error
	HasAllDigests    func(T, []bool, []hashfam.Digest) []bool

	// The batches of strings, of integers and of a sequence, nil where there is
	// no such thing.
	InsertAllStrings func(T, []string) error
	HasAllStrings    func(T, []bool, []string) []bool
	InsertAllUint64  func(T, []uint64) error
	HasAllUint64     func(T, []bool, []uint64) []bool
	InsertSeq        func(T, iter.Seq[[]byte]) error
	// A single integer.
	InsertUint64 func(T, uint64) error
	HasUint64    func(T, uint64) bool

	// Query and insertion in one, in the three key forms; nil where there is
	// no such thing. A key that is found is not inserted again.
	HasOrInsert       func(T, []byte) (bool, error)
	HasOrInsertString func(T, string) (bool, error)
	HasOrInsertDigest func(T, hashfam.Digest) (bool, error)

	// MergeIsAnUpperBound says that a merged structure has all keys of both but
	// need not equal the one built from them.
	MergeIsAnUpperBound bool

	// Delete removes one copy of a key; nil where there is no such thing.
	Delete func(T, []byte) bool

	// MergeReorders says that where a key lies depends on what came before it.
	// A merged structure then need not equal the one built from all the keys,
	// and may be full where that is not. But it has as many copies of each key,
	// and nothing is left when those have been deleted.
	MergeReorders bool
	// Count returns how many copies of a key there are, and of others that
	// cannot be told from it; wanted where MergeReorders is set.
	Count func(T, []byte) uint64

	// Reads calls every other method that must not change the structure.
	Reads func(T)

	// ClaimHuge overwrites the parameters of a frame of the structure so that
	// they describe 2^40 bits, and returns the payload bytes that follow.
	ClaimHuge func(params []byte) (payload uint64)

	// View returns a view of an encoded structure; nil where there is no such
	// thing.
	View func(data []byte, fam hashfam.Family) (Viewed[T], error)

	// ReadParams reads the parameters of an encoded structure, and Params
	// returns those of a structure with its family; both nil or neither.
	ReadParams func(io.Reader, hashfam.Family) (any, error)
	Params     func(T) (any, hashfam.Family)

	// NilErrors are further methods that return ErrParams on a nil receiver.
	NilErrors []func(T) error
	// Shown returns what else holds the family: the parameters, a view.
	Shown func(T) []any

	Golden []Golden[T]
}

// A Golden is a file that must load for ever.
type Golden[T any] struct {
	File  string
	Build func() T // what it holds
}

// A property is one promise.
type property struct {
	name  string
	check func(*rapid.T)
}

func (s Suite[T]) properties() []property {
	return []property{
		{"a key that was added is found after any sequence of operations", s.Membership},
		{"byte, string and digest forms and batches agree", s.KeyForms},
		{"batches of any length and form do what single calls do", s.Batches},
		{"asking and adding in one does what both do", s.HasOrInserts},
		{"the empty key is a key", s.EmptyKey},
		{"merging equals building from all the keys", s.MergeIsJointBuild},
		{"what differs in one parameter is neither equal nor merged", s.Incompatible},
		{"clones are independent and reset empties", s.CloneAndReset},
		{"encoding round-trips and is canonical in all its forms", s.RoundTrip},
		{"damage is found and leaves the receiver unchanged", s.Damage},
		{"a claimed length takes no memory", s.LyingLength},
		{"another family is told apart", s.WrongFamily},
		{"another version and another kind are told apart", s.WrongVersion},
		{"frames follow one another in a stream", s.Streams},
		{"reads are pure and may run together", s.PureReads},
		{"views answer as what they show", s.Views},
		{"parameters are read from the header", s.Parameters},
		{"text is read back, and damaged text is found", s.Texts},
	}
}

// Run runs every property as a subtest, and the tests that are not properties.
func (s Suite[T]) Run(t *testing.T) {
	for _, p := range s.properties() {
		t.Run(p.name, func(t *testing.T) { rapid.Check(t, p.check) })
	}
	t.Run("no operation on a key allocates", s.allocations)
	t.Run("every truncation and every flipped bit is found", s.everyDamage)
	t.Run("nothing in a frame is ignored", s.canonical)
	t.Run("golden files load", s.golden)
	t.Run("nil receivers are errors", s.nilReceivers)
	t.Run("no output shows the key", s.secrets)
}

// public and keyed are the families that properties draw from.
var families = []hashfam.Family{
	{},
	hashfam.New(hashfam.Key{1, 2, 3}),
	hashfam.New(hashfam.Key{1, 2, 3}).Derive("derived"),
}

func drawFamily(t *rapid.T) hashfam.Family {
	return rapid.SampledFrom(families).Draw(t, "family")
}

// drawKeys draws a few keys, empty and long ones and repetitions among them.
func drawKeys(t *rapid.T, label string) [][]byte {
	return rapid.SliceOfN(drawKey(), 0, 40).Draw(t, label)
}

func drawKey() *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "bytes")
		case 1: // long ones that differ at the end
			length := rapid.IntRange(21, 300).Draw(t, "length")
			return fmt.Appendf(nil, "%0*d", length, rapid.IntRange(0, 99).Draw(t, "number"))
		case 2:
			return []byte{}
		}
		return fmt.Append(nil, rapid.IntRange(0, 99).Draw(t, "number"))
	})
}

// filled draws a structure with keys in it, and returns those that went in.
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

func (s Suite[T]) requireAll(t *rapid.T, f T, keys [][]byte) {
	for i, found := range s.hasAll(t, f, keys) {
		require.True(t, found, "lost key %x", keys[i])
		require.True(t, s.Has(f, keys[i]), "lost key %x", keys[i])
	}
}

// hasAll asks for all keys at once, behind an answer that must stay.
func (s Suite[T]) hasAll(t *rapid.T, f T, keys [][]byte) []bool {
	dst := s.HasAll(f, []bool{true, false}, keys)
	require.Len(t, dst, 2+len(keys), "one answer a key")
	require.Equal(t, []bool{true, false}, dst[:2], "answers are appended")
	return dst[2:]
}

// encode returns the encoding, which every valid structure has.
func encode[T Structure[T]](t require.TestingT, f T) []byte {
	b, err := f.MarshalBinary()
	require.NoError(t, err)
	return b
}
