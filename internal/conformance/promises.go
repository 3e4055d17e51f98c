package conformance

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

var update = flag.Bool("update", false, "write golden files that do not exist yet")

// allocations checks that no operation on a key of any form and length
// allocates. The exception is the copy of a string in a build with the tag
// purego.
func (s Suite[T]) allocations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := s.Fresh(t, drawFamily(t))
		key := make([]byte, rapid.IntRange(0, 300).Draw(t, "length"))
		text, batch, dst := string(key), [][]byte{key, key}, make([]bool, 0, batchKeys)
		block := slices.Repeat(batch, 20) // hashed in blocks, not one by one
		if s.Insert(f, key) != nil {
			return
		}
		for range 8 {
			s.InsertAll(f, block) // structures with counters of one byte widen them here
		}
		copies := testing.AllocsPerRun(5, func() { hashfam.Family{}.SumString(text) })
		ops := map[string]func(){
			"Insert":       func() { s.Insert(f, key) },
			"InsertString": func() { s.InsertString(f, text) },
			"InsertAll":    func() { s.InsertAll(f, batch) },
			"Has":          func() { s.Has(f, key) },
			"HasString":    func() { s.HasString(f, text) },
			"HasDigest":    func() { s.HasDigest(f, hashfam.Digest(1)) },
			"InsertBlock":  func() { s.InsertAll(f, block) },
			"HasAll":       func() { s.HasAll(f, dst, batch) },
			"HasBlock":     func() { s.HasAll(f, dst, block) },
		}
		if s.InsertDigest != nil {
			ops["InsertDigest"] = func() { s.InsertDigest(f, hashfam.Digest(1)) }
		}
		if s.InsertAllDigests != nil {
			digests := []hashfam.Digest{1, 2}
			ops["InsertAllDigests"] = func() { s.InsertAllDigests(f, digests) }
			ops["HasAllDigests"] = func() { s.HasAllDigests(f, dst, digests) }
		}
		if s.HasOrInsert != nil {
			ops["HasOrInsert"] = func() { s.HasOrInsert(f, key) }
			ops["HasOrInsertString"] = func() { s.HasOrInsertString(f, text) }
			ops["HasOrInsertDigest"] = func() { s.HasOrInsertDigest(f, hashfam.Digest(1)) }
		}
		for name, op := range ops {
			want := 0.0
			if strings.HasSuffix(name, "String") {
				want = copies
			}
			require.Equal(t, want, testing.AllocsPerRun(5, op), name)
		}
	})
}

// everyDamage checks that every truncation and every flipped bit of the golden
// files is detected, and that the receiver keeps its own keys.
func (s Suite[T]) everyDamage(t *testing.T) {
	for _, g := range s.Golden {
		f := g.Build()
		b := encode(t, f)
		f.Reset()
		require.NoError(t, s.Insert(f, []byte("the receiver's own")))
		own := encode(t, f)
		check := func(b []byte) {
			require.ErrorIs(t, f.UnmarshalBinary(b), fault.ErrCorrupt)
			_, err := f.ReadFrom(bytes.NewReader(b))
			require.ErrorIs(t, err, fault.ErrCorrupt)
			if !bytes.Equal(own, encode(t, f)) {
				require.Fail(t, "a failed decode changed the receiver")
			}
		}
		for i := range b {
			check(b[:i])
			for bit := range 8 {
				b[i] ^= 1 << bit
				check(b)
				b[i] ^= 1 << bit
			}
		}
	}
}

// canonical flips each bit of the golden files' parameters and payload, and
// corrects the checksums. If the result can be decoded, it must be encoded to
// the same bytes: decoders ignore no bit of a frame.
func (s Suite[T]) canonical(t *testing.T) {
	for _, g := range s.Golden {
		good := encode(t, g.Build())
		for i := range len(good) - offsetParams - 8 {
			for bit := range 8 {
				b := bytes.Clone(good)
				b[offsetParams+i] ^= 1 << bit
				Reseal(b)
				f := g.Build()
				if f.UnmarshalBinary(b) == nil {
					require.Equal(t, b, encode(t, f), "byte %d, bit %d", offsetParams+i, bit)
				}
			}
		}
	}
}

// golden checks that the files in testdata are decoded to the structures that
// they encode, and that these are still encoded to the same bytes.
func (s Suite[T]) golden(t *testing.T) {
	require.NotEmpty(t, s.Golden)
	for _, g := range s.Golden {
		file := filepath.Join("testdata", g.File)
		want := g.Build()
		b, err := os.ReadFile(file)
		if os.IsNotExist(err) && *update {
			b = encode(t, want)
			err = os.WriteFile(file, b, 0o644)
		}
		require.NoError(t, err)
		f := want.Clone()
		f.Reset()
		require.NoError(t, f.UnmarshalBinary(b), g.File)
		require.True(t, f.Equal(want), g.File)
		require.Equal(t, b, encode(t, f), g.File)
	}
}
