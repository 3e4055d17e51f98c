package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Sizes have no exponents.
func TestSizesHaveAtMostFourDigits(t *testing.T) {
	for bytes, want := range map[uint64]string{
		1: "1 B", 999: "999 B", 1000: "1000 B", 1023: "1023 B", 1024: "1 KiB",
		1023 << 10: "1023 KiB", 1<<20 - 1: "1 MiB", 1_047_192: "1023 KiB", 1_255_128: "1.2 MiB", 2000 << 40: "2000 TiB",
	} {
		require.Equal(t, want, size(bytes), bytes)
	}
}
