package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/memory"
)

// Digests are held in memory only while there is room for them.
func TestDigestsAreRefusedBeforeTheyAreAllocated(t *testing.T) {
	batch := make([]hashfam.Digest, 1000)
	check := func(bytes uint64) error {
		if bytes > 240_000 { // three times the digests of ten batches
			return memory.Check(1 << 60)
		}
		return nil
	}
	var all []hashfam.Digest
	var err error
	for err == nil {
		require.LessOrEqual(t, len(all), 30_000)
		all, err = appendDigests(all, batch, check)
	}
	require.Nil(t, all)
	require.ErrorContains(t, err, "000 lines: needs 1152921504606846976 bytes of memory, but only ")
}
