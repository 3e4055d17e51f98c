package ribbon

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/fault"
)

var errs = &fault.Maker{Package: "test"}

// payload returns the words in the payload of r.
func payload(r *Ribbon) []uint64 { return slices.Concat(r.parts()...) }

func TestParseRestoresTheRibbon(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, n := range []int{0, 1, 5, 100, 500, 10_000} {
		for _, columns := range []uint32{0, 1, 1 << 15, 1 << 16, percent, seven, MaxColumns} {
			digests := checks.Digests(rng, n)
			r := members(t, columns, digests)
			require.NotContains(t, each(r, nil, digests), false, "n = %d, columns %d", n, columns)
			words := payload(r)
			require.EqualValues(t, 8*len(words), r.PayloadBytes())
			for _, more := range [][]uint64{nil, {1, 2}} {
				got, rest, err := Parse(r.Shape(), append(words, more...), new(Room), errs)
				require.NoError(t, err)
				require.Equal(t, len(more), len(rest))
				require.True(t, r.Equal(&got))
			}
			require.NoError(t, r.Verify(errs))
			for cut := range min(len(words), 20) {
				_, _, err := Parse(r.Shape(), slices.Clip(words[:len(words)-1-cut]), new(Room), errs)
				require.ErrorIs(t, err, hashfam.ErrCorrupt)
			}
		}
	}
}

func TestInvalidShapesAreRejected(t *testing.T) {
	machine.Matters(t)
	words := make([]uint64, 1000)
	for _, c := range []struct {
		keys    uint64
		columns uint32
		layers  int
		field   string // the field in the error that Check returns
	}{
		{MaxKeys, MaxColumns, MaxLayers, ""}, {MaxKeys, 1 << 16, 1, ""}, {1, 1 << 16, 32, ""}, {1, 1, 1, ""},
		{MaxKeys, 0, 0, ""}, {0, MaxColumns, 0, ""},
		{1, MaxColumns + 1, 1, "columns"}, {MaxKeys + 1, 1, 1, "keys"},
		{math.MaxUint64, math.MaxUint32, math.MaxInt, "columns"},
		{1, 1, MaxLayers + 1, "layers"}, {1, 1, 0, "layers"}, {1, 1, -1, "layers"},
		{1, 0, 1, "layers"}, {0, 1, 1, "layers"},
	} {
		shape := Shape{Keys: c.keys, Columns: c.columns, Layers: c.layers}
		err := Check(shape, errs)
		if c.field == "" {
			require.NoError(t, err, "%+v", c)
			_, _, err = Parse(shape, words, new(Room), errs)
			require.True(t, err != nil || c.keys < MaxKeys || c.columns == 0, "%+v", c)
		} else {
			require.ErrorIs(t, err, hashfam.ErrCorrupt)
			require.ErrorContains(t, err, c.field)
		}
		_, ok := ContainsIn(shape, payloadOf(words), 1)
		require.False(t, ok && (c.field != "" || c.layers < MaxLayers), "there are too many words: %+v", c)
	}
	words[0] = 101 // the second layer has more digests than the first
	_, _, err := Parse(Shape{Columns: 1 << 16, Keys: 100, Layers: 2}, words, new(Room), errs)
	require.ErrorIs(t, err, hashfam.ErrCorrupt)
	words[0] = 100
	r, _, err := Parse(Shape{Columns: 1 << 16, Keys: 100, Layers: 2}, words, new(Room), errs)
	require.NoError(t, err)
	r.layers[1].thresholds[0] = 1 << 4 // after the only threshold
	require.ErrorIs(t, r.Verify(errs), hashfam.ErrCorrupt)
}

// Iteration over a payload can stop after any piece.
func TestPayloadStopsEarly(t *testing.T) {
	payload := members(t, percent, checks.Digests(rand.New(rand.NewPCG(1, 1)), 3000)).Payload()
	for stop := range 5 { // two layers, and the number of digests in the second one
		pieces := 0
		payload(func([]byte) bool { pieces++; return pieces <= stop })
		require.Equal(t, stop+1, pieces)
	}
}

// each appends the result of Contains for each digest.
func each(r *Ribbon, dst []bool, digests []hashfam.Digest) []bool {
	for _, d := range digests {
		dst = append(dst, r.Contains(d))
	}
	return dst
}

// payloadOf returns words as bytes at an odd address and without spare
// capacity.
func payloadOf(words []uint64) []byte {
	b := make([]byte, 1, 1+8*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return slices.Clip(b[1:])
}

// ContainsIn must work with any words, columns and layers. Without the last
// word, it must reject the last layer.
func TestContainsInMatchesContains(t *testing.T) {
	machine.Matters(t)
	rng := rand.New(rand.NewPCG(26, 3))
	for columns := uint32(1 << 15); columns <= MaxColumns; columns += 1 << 15 {
		n := 1 + rng.Uint64N(3000)
		counts := []uint64{n / 2, n / 3, n / 4}[:rng.IntN(4)]
		words := slices.Clone(counts)
		for range 1000 + n*uint64(columns>>16+1)/16 {
			words = append(words, rng.Uint64()&rng.Uint64()) // low thresholds
		}
		shape := Shape{Columns: columns, Keys: n, Layers: len(counts) + 1}
		r, rest, err := Parse(shape, words, new(Room), errs)
		if err != nil {
			require.Contains(t, counts, uint64(0))
			continue
		}
		payload := payloadOf(words[:len(words)-len(rest)])
		for _, d := range checks.Digests(rng, 300) {
			found, ok := ContainsIn(shape, payload, d)
			require.True(t, ok)
			require.Equal(t, r.Contains(d), found)
			found, ok = ContainsIn(shape, payload[:len(payload)-8], d)
			require.False(t, ok && (shape.Layers == 1 || found != r.Contains(d)))
		}
	}
}

// The layers must fill the payload exactly. Each layer must have digests, but
// no more than the previous one.
func TestContainsInRejectsWrongLengths(t *testing.T) {
	machine.Matters(t)
	_, ok := ContainsIn(Shape{Keys: 1}, nil, 1)
	require.True(t, ok)
	_, ok = ContainsIn(Shape{Columns: 1 << 16, Keys: 1, Layers: 2}, make([]byte, 7), 1)
	require.False(t, ok, "too short for the numbers of digests")
	for next, want := range map[uint64]bool{0: false, 1: true, 100: true, 101: false} {
		words := []uint64{next, ^uint64(0)} // all buckets bump
		for l := range uint64(2) {
			g := newGeometry(int(l), []uint64{100, next}[l], 1<<16)
			words = append(words, make([]uint64, g.size()-(1-l))...)
		}
		_, ok := ContainsIn(Shape{Columns: 1 << 16, Keys: 100, Layers: 2}, payloadOf(words), hashfam.Digest(1))
		require.Equal(t, want, ok, next)
	}
}
