package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/memory"
)

// Digests are held in memory only while there is room for them, for the array
// into which all of them are then copied, and for the filter.
func TestDigestsAreRefusedBeforeTheyAreAllocated(t *testing.T) {
	var all collected
	check := func(bytes uint64) error {
		if bytes > 20*3*perArray {
			return memory.Check(1 << 62)
		}
		return nil
	}
	var batches []hashfam.Digest
	var err error
	for n := 1; err == nil; n += 1000 {
		batch := make([]hashfam.Digest, n)
		for i := range batch {
			batch[i] = hashfam.Digest(len(batches) + i)
		}
		err = all.add(batch, check)
		batches = append(batches, batch...)
	}
	require.Equal(t, batches[:3*perArray], slices.Concat(all...))
	require.ErrorContains(t, err, fmt.Sprintf("more than %d lines: needs 4294967296.0 GiB of memory, but only ", 3*perArray))
}
