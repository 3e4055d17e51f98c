package static

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
	"github.com/filterfam/filterfam/internal/sizing"
)

// most is the largest number of keys.
const most = min(ribbon.MaxKeys, sizing.MaxBits)

// The last value that is allowed, and the first that is not.
func TestConfigsAtTheirLimits(t *testing.T) {
	for _, c := range []struct {
		rate float64
		keys uint64
		want string // the text of the error, or empty
	}{
		{0, 1, "above 0 and below 1"}, {1, 1, "above 0 and below 1"},
		{math.Nextafter(1, 0), 0, ""}, {0.99, most, ""},
		{0.99, most + 1, fmt.Sprint("at most ", uint64(most))},
		{math.Ldexp(1, -33), 0, "a fingerprint has 32 bits"},
	} {
		_, err := Config{FPRate: c.rate}.columns(c.keys)
		if c.want == "" {
			require.NoError(t, err, "%+v", c)
			continue
		}
		require.ErrorIs(t, err, ErrParams)
		require.ErrorContains(t, err, c.want, "%+v", c)
	}
}

// The keys at rate 1/2 whose filter is estimated at exactly 2^48 bits, and one
// more.
func TestTheLargestFilter(t *testing.T) {
	if sizing.MaxBits < 1<<48 {
		t.Skip("the limit is that of the address space")
	}
	const keys = 275_796_753_588_658
	c := Config{FPRate: 0.5}
	columns, err := c.columns(keys)
	require.NoError(t, err)
	require.Equal(t, uint64(1<<48/8), ribbon.EstimateBytes(columns, keys))
	_, err = c.columns(keys + 1)
	require.ErrorIs(t, err, ErrParams)
	require.ErrorContains(t, err, "a number that fits in")
}

// Keys are hashed and filtered in blocks of 16,384.
func TestBlocksOfKeys(t *testing.T) {
	b := ribbon.Build{Workers: 1}
	for _, n := range []int{0, 1, hashBlock - 1, hashBlock, hashBlock + 1, 2*hashBlock - 1} {
		keys := make([][]byte, n)
		var want []hashfam.Digest
		for i := range keys {
			keys[i] = binary.LittleEndian.AppendUint32(nil, uint32(i))
			want = append(want, hashfam.Family{}.Sum(keys[i]))
		}
		digests, err := hash(t.Context(), b, hashfam.Family{}, keys)
		require.NoError(t, err)
		require.Equal(t, append([]hashfam.Digest{}, want...), digests)
		passed, err := passing(t.Context(), b, new(ribbon.Ribbon), digests)
		require.NoError(t, err)
		require.Equal(t, append([]hashfam.Digest{}, want...), passed, "every digest passes an empty filter")
	}
}

// The error tells how long the payload should be.
func TestWordsAfterThePayload(t *testing.T) {
	words := make([]uint64, 3+2) // a ribbon of one column and one segment with starts takes 3
	_, err := parse(Params{Keys: 1, Columns: 1 << 16, Layers: 1, Bytes: 8 * 5}, words)
	require.ErrorIs(t, err, ErrCorrupt)
	require.ErrorContains(t, err, "payload length = 40, want 24")
	s := exactShape{ExactParams: ExactParams{Members: 1, Others: 2, Bytes: 8 * 8}, passed: 2, filterLayers: 1, classLayers: 1}
	_, err = s.levels(make([]uint64, 3+3+2))
	require.ErrorIs(t, err, ErrCorrupt)
	require.ErrorContains(t, err, "payload length = 64, want 48")
}

func TestTheMostOtherKeys(t *testing.T) {
	s := exactShape{ExactParams: ExactParams{Members: 1, Others: ribbon.MaxKeys}, passed: 1, filterLayers: 1, classLayers: 1}
	filter, _ := ribbon.Bounds(filterColumns(1, ribbon.MaxKeys), 1, 1)
	class, _ := ribbon.Bounds(classColumns, 1, 1)
	s.Bytes = filter + class
	require.NoError(t, s.check())
	s.Others++
	require.ErrorIs(t, s.check(), ErrCorrupt)
	require.ErrorContains(t, s.check(), "keys = 281474976710657, want at most 2^48")
}
