package conformance

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

var update = flag.Bool("update", false, "write golden files that do not exist yet")

// allocations checks that no query of a key of any form and length allocates.
// The exception is the copy of a string in a build with the tag purego.
func (e Encoded[T]) allocations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, _ := e.filled(t, drawFamily(t))
		key := make([]byte, rapid.IntRange(0, 300).Draw(t, "length"))
		text, batch, dst := string(key), [][]byte{key, key}, make([]bool, 0, batchKeys)
		block := slices.Repeat(batch, 20) // hashed in blocks, not one by one
		ops := map[string]func(){
			"Has":       func() { e.Has(f, key) },
			"HasString": func() { e.HasString(f, text) },
			"HasDigest": func() { e.HasDigest(f, hashfam.Digest(1)) },
			"HasAll":    func() { e.HasAll(f, dst, batch) },
			"HasBlock":  func() { e.HasAll(f, dst, block) },
		}
		if e.HasAllDigests != nil {
			digests := slices.Repeat([]hashfam.Digest{1, 2}, 20)
			ops["HasAllDigests"] = func() { e.HasAllDigests(f, dst, digests) }
		}
		requireNoAllocations(t, text, ops)
	})
}

// insertAllocations checks that no insertion allocates. The key is in the
// structure already.
func (s Suite[T]) insertAllocations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := s.Fresh(t, drawFamily(t))
		key := make([]byte, rapid.IntRange(0, 300).Draw(t, "length"))
		if s.Insert(f, key) != nil {
			return
		}
		text, batch := string(key), [][]byte{key, key}
		block := slices.Repeat(batch, 20) // hashed in blocks, not one by one
		for range 8 {
			s.InsertAll(f, block) // structures with counters of one byte widen them here
		}
		ops := map[string]func(){
			"Insert":       func() { s.Insert(f, key) },
			"InsertString": func() { s.InsertString(f, text) },
			"InsertAll":    func() { s.InsertAll(f, batch) },
			"InsertBlock":  func() { s.InsertAll(f, block) },
		}
		if s.InsertDigest != nil {
			ops["InsertDigest"] = func() { s.InsertDigest(f, hashfam.Digest(1)) }
		}
		if s.InsertAllDigests != nil {
			digests := []hashfam.Digest{1, 2}
			ops["InsertAllDigests"] = func() { s.InsertAllDigests(f, digests) }
		}
		if s.HasOrInsert != nil {
			ops["HasOrInsert"] = func() { s.HasOrInsert(f, key) }
			ops["HasOrInsertString"] = func() { s.HasOrInsertString(f, text) }
			ops["HasOrInsertDigest"] = func() { s.HasOrInsertDigest(f, hashfam.Digest(1)) }
		}
		requireNoAllocations(t, text, ops)
	})
}

// requireNoAllocations runs operations on text and other keys. Those on a
// string may allocate what hashing text does.
func requireNoAllocations(t *rapid.T, text string, ops map[string]func()) {
	copies := testing.AllocsPerRun(5, func() { hashfam.Family{}.SumString(text) })
	for name, op := range ops {
		want := 0.0
		if strings.HasSuffix(name, "String") {
			want = copies
		}
		require.Equal(t, want, testing.AllocsPerRun(5, op), name)
	}
}

// golden checks that the files in testdata are decoded to the structures that
// they encode, and that these are still encoded to the same bytes.
func (e Encoded[T]) golden(t *testing.T) {
	require.NotEmpty(t, e.Golden)
	for _, g := range e.Golden {
		file := filepath.Join("testdata", g.File)
		want := g.Build()
		b, err := os.ReadFile(file)
		if os.IsNotExist(err) && *update {
			b = encode(t, want)
			err = os.WriteFile(file, b, 0o644)
		}
		require.NoError(t, err)
		f := e.Receiver(e.family(want))
		require.NoError(t, f.UnmarshalBinary(b), g.File)
		require.True(t, f.Equal(want), g.File)
		require.Equal(t, b, encode(t, f), g.File)
		require.Equal(t, b, encode(t, want), g.File)
	}
}
