package conformance

import (
	"iter"
	"testing"

	"github.com/filterfam/filterfam/hashfam"
)

// A Suite declares how the tests call a structure to which keys are added. It
// requires Insert of the [Encoded].
type Suite[T Structure[T]] struct {
	Encoded[T]

	// Like returns an empty structure with the same parameters.
	Like func(T) T
	// Variants returns empty structures, each of which differs from the
	// argument in one parameter. There is one for every parameter, including
	// the family.
	Variants func(T) []T

	// Operations on the whole structure; nil if there is no such method.
	Reset func(T)
	Clone func(T) T
	Merge func(T, T) error

	// Insertion by string, digest and batch. InsertDigest is nil if the
	// structure needs the key itself.
	InsertString func(T, string) error
	InsertDigest func(T, hashfam.Digest) error
	InsertAll    func(T, [][]byte) error
	// Insertion of batches of digests, strings and integers, of a sequence, and
	// of an integer; nil if there is no such method.
	InsertAllDigests func(T, []hashfam.Digest) error
	InsertAllStrings func(T, []string) error
	InsertAllUint64  func(T, []uint64) error
	InsertSeq        func(T, iter.Seq[[]byte]) error
	InsertUint64     func(T, uint64) error

	// Query and insertion in one call, by bytes, string, integer and digest;
	// nil if there is no such method. A key that is found is not inserted
	// again.
	HasOrInsert       func(T, []byte) (bool, error)
	HasOrInsertString func(T, string) (bool, error)
	HasOrInsertUint64 func(T, uint64) (bool, error)
	HasOrInsertDigest func(T, hashfam.Digest) (bool, error)
	// HasOrInsertAlways means that they insert a key that is found, too.
	HasOrInsertAlways bool

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

	// Programs declares what random programs do.
	Programs Programs[T]
}

// Run runs every property as a subtest, and the tests that need no random
// input.
func (s Suite[T]) Run(t *testing.T) {
	run(t,
		property{"any program does what it does to a multiset", s.Program},
		property{"byte, string and digest forms and batches agree", s.KeyForms},
		property{"batches of any length and form equal single calls", s.Batches},
		property{"query and insertion in one call equal both calls", s.HasOrInserts},
		property{"the empty key is a valid key", s.EmptyKey},
		property{"merging equals building from all keys", s.MergeIsJointBuild},
		property{"structures that differ in one parameter are neither equal nor merged", s.Incompatible},
		property{"clones are independent and Reset removes all keys", s.CloneAndReset},
		property{"a changed frame with correct checksums is decoded or rejected", s.Forgeries},
		property{"a structure can be merged and cloned while it is read", s.PureReads},
	)
	t.Run("no insertion allocates", s.insertAllocations)
	t.Run("nil receivers and arguments of Merge return errors", s.nilMerges)
	t.Run("zero receivers and arguments of Merge are named", s.zeroMerges)
	t.Run("every method is declared", s.declared)
	s.Encoded.run(t)
}
