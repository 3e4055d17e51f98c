package conformance

import (
	"iter"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// A method is a name and the type of the last argument.
type method struct {
	name string
	last reflect.Type
}

// requireDeclared fails if T has a method that its suite does not declare.
// Methods of the same name with another last argument are other methods.
func requireDeclared[T any](t *testing.T, declared map[method]bool) {
	for m, is := range declared {
		found, has := reflect.TypeFor[T]().MethodByName(m.name)
		if has && !is {
			last := found.Type.In(found.Type.NumIn() - 1)
			require.NotEqual(t, m.last, last, "the suite does not declare %s", m.name)
		}
	}
}

// declared checks that no form of query is left out.
func (e Encoded[T]) declared(t *testing.T) {
	requireDeclared[T](t, map[method]bool{
		{"ContainsAllDigests", reflect.TypeFor[[]hashfam.Digest]()}: e.HasAllDigests != nil,
		{"ContainsAllStrings", reflect.TypeFor[[]string]()}:         e.HasAllStrings != nil,
		{"ContainsAllUint64", reflect.TypeFor[[]uint64]()}:          e.HasAllUint64 != nil,
		{"ContainsUint64", reflect.TypeFor[uint64]()}:               e.HasUint64 != nil,
	})
}

// declared checks that no operation is left out.
func (s Suite[T]) declared(t *testing.T) {
	s.Encoded.declared(t)
	self := reflect.TypeFor[T]()
	requireDeclared[T](t, map[method]bool{
		{"Reset", self}:                                        s.Reset != nil,
		{"Clone", self}:                                        s.Clone != nil,
		{"Merge", self}:                                        s.Merge != nil,
		{"Delete", reflect.TypeFor[[]byte]()}:                  s.Delete != nil,
		{"ContainsOrAdd", reflect.TypeFor[[]byte]()}:           s.HasOrInsert != nil,
		{"ContainsOrAddUint64", reflect.TypeFor[uint64]()}:     s.HasOrInsertUint64 != nil,
		{"AddDigest", reflect.TypeFor[hashfam.Digest]()}:       s.InsertDigest != nil,
		{"AddUint64", reflect.TypeFor[uint64]()}:               s.InsertUint64 != nil,
		{"AddSeq", reflect.TypeFor[iter.Seq[[]byte]]()}:        s.InsertSeq != nil,
		{"AddAllDigests", reflect.TypeFor[[]hashfam.Digest]()}: s.InsertAllDigests != nil,
		{"AddAllStrings", reflect.TypeFor[[]string]()}:         s.InsertAllStrings != nil,
		{"AddAllUint64", reflect.TypeFor[[]uint64]()}:          s.InsertAllUint64 != nil,
	})
}
