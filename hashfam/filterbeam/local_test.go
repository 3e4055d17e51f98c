package filterbeam

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
)

// Without an engine the frame is the same.
func TestLocalBuildsWhatAJobBuilds(t *testing.T) {
	keys := testKeys(testCapacity)
	pattern := writeKeys(t, t.TempDir(), keys, 5)
	out := filepath.Join(t.TempDir(), "out.bin")
	for _, test := range singles {
		want, err := test.frame(keys)
		require.NoError(t, err)
		p, err := test.plan()
		require.NoError(t, err)
		reports := 0
		sum, err := Local(context.Background(), p, out, func(Summary) { reports++ }, pattern, pattern)
		require.NoError(t, err)
		require.EqualValues(t, len(keys), sum.Keys)
		require.EqualValues(t, 6, sum.Files)
		require.EqualValues(t, len(want), sum.Size)
		require.NotZero(t, reports)
		frame, err := os.ReadFile(out)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, frame), test.name)
	}
	top, err := TopK(countmin.TopKConfig{K: 10})
	require.NoError(t, err)
	sum, err := Local(context.Background(), top, out, nil, pattern)
	require.NoError(t, err)
	require.EqualValues(t, len(keys), sum.Keys)
	p, err := Cuckoo(cuckoo.Config{Capacity: testCapacity, FPRate: 0.01})
	require.NoError(t, err)
	_, err = Local(context.Background(), p, out, nil, pattern)
	require.NoError(t, err)
	frame, err := os.ReadFile(out)
	require.NoError(t, err)
	require.True(t, bytes.Equal(frame, runFiles(t, p, pattern)))
}
