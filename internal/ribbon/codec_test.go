package ribbon

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
)

var errs = &fault.Maker{Package: "test"}

// payload returns the words of r's payload.
func payload(r *Ribbon) []uint64 { return slices.Concat(r.parts()...) }

func TestParse(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, n := range []int{0, 1, 100, 10_000, 70_000} {
		for _, columns := range []uint32{0, 1, percent, MaxColumns} {
			r := members(t, columns, random(rng, n))
			words := payload(r)
			require.EqualValues(t, 8*len(words), r.PayloadBytes())
			got, rest, err := Parse(columns, uint64(n), r.Layers(), append(words, 1, 2), new(Room), errs)
			require.NoError(t, err)
			require.Equal(t, []uint64{1, 2}, rest)
			require.True(t, r.Equal(&got))
			require.NoError(t, r.Verify(errs))
			for cut := range min(len(words), 20) {
				_, _, err := Parse(columns, uint64(n), r.Layers(), words[:len(words)-1-cut], new(Room), errs)
				require.ErrorIs(t, err, hashfam.ErrCorrupt)
			}
		}
	}
}

func TestParseChecksTheNumbers(t *testing.T) {
	words := make([]uint64, 1000)
	for _, c := range []struct {
		columns uint32
		keys    uint64
		layers  int
		field   string // of the error of Check
	}{
		{MaxColumns, MaxKeys, MaxLayers, ""}, {1 << 16, MaxKeys, 1, ""}, {1 << 16, 1, 32, ""}, {1, 1, 1, ""},
		{0, MaxKeys, 0, ""}, {MaxColumns, 0, 0, ""},
		{MaxColumns + 1, 1, 1, "columns"}, {1, MaxKeys + 1, 1, "keys"}, {math.MaxUint32, math.MaxUint64, math.MaxInt, "columns"},
		{1, 1, MaxLayers + 1, "layers"}, {1, 1, 0, "layers"}, {1, 1, -1, "layers"}, {0, 1, 1, "layers"}, {1, 0, 1, "layers"},
	} {
		err := Check(c.columns, c.keys, c.layers, errs)
		if c.field == "" {
			require.NoError(t, err, "%+v", c)
		} else {
			require.ErrorIs(t, err, hashfam.ErrCorrupt)
			require.ErrorContains(t, err, c.field)
		}
		if _, _, err = Parse(c.columns, c.keys, c.layers, words, new(Room), errs); c.field != "" || c.keys == MaxKeys && c.columns > 0 {
			require.ErrorIs(t, err, hashfam.ErrCorrupt, "%+v", c)
		}
	}
	words[0] = 101 // more digests in the second layer than in the first
	_, _, err := Parse(1<<16, 100, 2, words, new(Room), errs)
	require.ErrorIs(t, err, hashfam.ErrCorrupt)
	words[0] = 100
	r, _, err := Parse(1<<16, 100, 2, words, new(Room), errs)
	require.NoError(t, err)
	r.layers[1].thresholds[0] = 1 << 63
	require.ErrorIs(t, r.Verify(errs), hashfam.ErrCorrupt)
}

// Any words are a ribbon: queries of arbitrary ones end, and do not panic.
func FuzzAnyWordsAreARibbon(f *testing.F) {
	f.Add(uint32(percent), uint16(1000), uint8(3), uint64(1))
	f.Fuzz(func(t *testing.T, columns uint32, keys uint16, layers uint8, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 0))
		words := make([]uint64, 100_000)
		for i := range words {
			words[i] = rng.Uint64()
		}
		for i := range int(layers % 33) {
			words[i] = 1 + rng.Uint64N(uint64(keys)+1)
		}
		slices.SortFunc(words[:layers%33], func(a, b uint64) int { return int(b) - int(a) })
		r, rest, err := Parse(columns%(MaxColumns+1), uint64(keys), int(layers%33), words, new(Room), errs)
		payload := payloadOf(words[:len(words)-len(rest)])
		for range 1000 {
			d := hashfam.Digest(rng.Uint64())
			found, ok := ContainsIn(columns%(MaxColumns+1), uint64(keys), int(layers%33), payload, d)
			if err != nil {
				continue
			}
			require.True(t, ok)
			require.Equal(t, r.Contains(d), found)
			r.Value(d)
		}
	})
}

// The words of a payload may end with the last layer, and no earlier. The error
// tells what is lacking.
func TestParseAtTheEndOfTheWords(t *testing.T) {
	whole := slices.Clip([]uint64{50, 40, 0, 1, 2, 0, 3, 4, 0, 5, 6}) // two numbers, three layers of 3 words
	r, rest, err := Parse(1<<16, 100, 3, whole, new(Room), errs)
	require.NoError(t, err)
	require.Empty(t, rest)
	require.EqualValues(t, 8*len(whole), r.PayloadBytes())
	for n, want := range map[int]string{
		0: "at least 2", 1: "at least 2", 2: "at least 3", 4: "at least 3", 5: "at least 3", 8: "at least 3", 10: "at least 3",
	} {
		_, _, err := Parse(1<<16, 100, 3, slices.Clone(whole[:n:n])[:n:n], new(Room), errs)
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
		require.ErrorContains(t, err, want, "%d words", n)
	}
}
