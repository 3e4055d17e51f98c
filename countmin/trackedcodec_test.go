package countmin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin/internal/streams"
	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// headWords is how many words of the payload come before the counters.
const headWords = 5

// keyWords returns how many words a key of n bytes takes (docs/format.md).
func keyWords(n int) int {
	if n < 255 {
		return (n + 8) / 8
	}
	return 2 + (n+7)/8
}

// Each of these frames has valid checksums, and one field that cannot be.
func TestForgedTrackersAreCorrupt(t *testing.T) {
	h := must(NewHeavyHitters(HeavyConfig{Phi: 0.1, MemoryBytes: 2048}))
	h.AddN([]byte("one"), 100)
	h.AddN([]byte(strings.Repeat("x", 300)), 50)
	words := int(binary.LittleEndian.Uint32(word(must(h.MarshalBinary()), 3)))
	first := headWords + words // the first record
	good := must(h.MarshalBinary())
	short, long := first, first
	if word(good, first+2)[0] == 255 {
		short += 2 + keyWords(300)
	} else {
		long += 2 + keyWords(3)
	}
	set := func(at int, v uint64) func([]byte) {
		return func(b []byte) { binary.LittleEndian.PutUint64(word(b, at), v) }
	}
	for name, forge := range map[string]func([]byte){
		"total below a count":         set(0, 99),
		"floor above missed":          set(1, 1),
		"missed above the total":      set(2, 151),
		"a tail of another size":      set(3, uint64(words-2)|2<<32),
		"a tail of no width":          set(3, uint64(words)),
		"a tail of 128 bits":          set(3, uint64(words)|7<<32),
		"a tail beyond the payload":   set(3, 1<<31|2<<32),
		"a record too many":           set(4, 3),
		"a record too few":            set(4, 1),
		"2^63 records":                set(4, 1<<63),
		"a count of nothing":          set(short, 0),
		"an estimate above the count": set(short+1, 101),
		"an estimate of 33 bits":      set(short+1, 1<<32),
		"an estimate above the tail":  set(short+1, 50),
		"a longer key":                set(short+2, 200),
		"bytes behind the key":        set(short+2, 3|'o'<<8|'n'<<16|'e'<<24|'!'<<32),
		"a long key that is short":    set(long+3, 254),
		"a key of 2^64-1 bytes":       set(long+3, math.MaxUint64),
		"a key of 2^61 bytes":         set(long+3, 1<<61),
		"a length with bytes in it":   set(long+2, 255|1<<8),
		"a phi of nothing":            func(b []byte) { binary.LittleEndian.PutUint64(b[24:], 0) },
		"a phi that is no number":     func(b []byte) { binary.LittleEndian.PutUint64(b[24:], math.Float64bits(math.NaN())) },
		"a budget too small":          func(b []byte) { binary.LittleEndian.PutUint64(b[32:], 1) },
		"a budget of 2^63":            func(b []byte) { binary.LittleEndian.PutUint64(b[32:], 1<<63) },
		"records in another order": func(b []byte) {
			a, z := headerBytes+8*first, len(b)-8
			n := 8 * (2 + keyWords(3))
			if short != first {
				n = 8 * (2 + keyWords(300))
			}
			swapped := append(append([]byte(nil), b[a+n:z]...), b[a:a+n]...)
			copy(b[a:], swapped)
		},
	} {
		b := append([]byte(nil), good...)
		forge(b)
		conformance.Reseal(b)
		g := h.Clone()
		require.ErrorIs(t, g.UnmarshalBinary(b), ErrCorrupt, name)
		require.True(t, g.Equal(h), name)
	}
	require.NoError(t, h.UnmarshalBinary(good))

	k := must(NewTopK(TopKConfig{K: 1, MemoryBytes: tracker.MinMemory}))
	for _, n := range []uint64{0, tracker.MaxK + 1, math.MaxUint64} {
		b := must(k.MarshalBinary())
		binary.LittleEndian.PutUint64(b[24:], n)
		conformance.Reseal(b)
		require.ErrorIs(t, k.UnmarshalBinary(b), ErrCorrupt)
	}
}

// A counter cannot exceed the total. A frame that says so is refused, or what
// comes of it would write, after the next Add, what it would not read again.
func TestACounterAboveTheTotalIsCorrupt(t *testing.T) {
	for _, memory := range []int{0, tracker.MinMemory} {
		h := must(NewHeavyHitters(HeavyConfig{Phi: 0.1, MemoryBytes: memory}))
		empty := must(h.MarshalBinary())
		for i := range int(binary.LittleEndian.Uint32(word(empty, 3))) {
			b := slices.Clone(empty)
			binary.LittleEndian.PutUint64(word(b, headWords+i), 1<<(i%16*4))
			conformance.Reseal(b)
			requireField(t, h.UnmarshalBinary(b), ErrCorrupt, "counter")
			binary.LittleEndian.PutUint64(word(b, 0), 1) // the total
			conformance.Reseal(b)
			g := h.Clone()
			require.NoError(t, g.UnmarshalBinary(b))
			g.AddString("key")
			require.NoError(t, g.UnmarshalBinary(must(g.MarshalBinary())))
		}
	}
}

// A budget that a frame names, up to the largest, leads to an error or to a
// structure, on every platform.
func TestAFrameOfALargeBudgetDoesNotPanic(t *testing.T) {
	h := must(NewHeavyHitters(HeavyConfig{Phi: 0.1, MemoryBytes: tracker.MinMemory}))
	k := must(NewTopK(TopKConfig{K: 1, MemoryBytes: tracker.MinMemory}))
	for _, budget := range []uint64{330_382_104, 1 << 29, 1<<30 - 1, 1 << 30, 1 << 34, 1<<34 + 1, 1 << 63} {
		for _, good := range [][]byte{must(h.MarshalBinary()), must(k.MarshalBinary())} {
			b := append(slices.Clone(good[:48+8*headWords]), make([]byte, 8)...)
			binary.LittleEndian.PutUint64(b[16:], 8*headWords)
			binary.LittleEndian.PutUint64(b[32:], budget)
			binary.LittleEndian.PutUint64(word(b, 3), 2<<32)
			conformance.Reseal(b)
			require.Len(t, b, 96)
			if err := h.UnmarshalBinary(b); !errors.Is(err, ErrCorrupt) {
				t.Fatal(err)
			}
			if err := k.UnmarshalBinary(b); !errors.Is(err, ErrCorrupt) {
				t.Fatal(err)
			}
		}
	}
}

func TestADecodedOneGoesOnAsTheOriginal(t *testing.T) {
	s := streams.MobyDick()
	for _, memory := range []int{2000, 16 << 10} {
		h := must(NewHeavyHitters(HeavyConfig{Phi: 0.001, MemoryBytes: memory}))
		for _, id := range s.IDs[:100_000] {
			h.Add(s.Keys[id])
		}
		g := NewHeavyReceiver(hashfam.Family{})
		_, err := g.ReadFrom(bytes.NewReader(must(h.MarshalBinary())))
		require.NoError(t, err)
		for _, id := range s.IDs[100_000:] {
			h.Add(s.Keys[id])
			g.Add(s.Keys[id])
		}
		require.True(t, g.Equal(h))
		require.Equal(t, h.SizeBytes(), g.SizeBytes())
	}
}
