//go:build !purego

package hashfam

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Builds with the tag purego copy strings.
func TestStringsAreNotCopied(t *testing.T) {
	f, keys := New(ascending()), make([]string, 301)
	for n := range keys {
		keys[n] = strings.Repeat("a", n)
		require.Zero(t, testing.AllocsPerRun(10, func() { sink ^= f.SumString(keys[n]) }), "%d bytes", n)
	}
	eachWay(t, func(t *testing.T) {
		dst := make([]Digest, 0, len(keys))
		require.Zero(t, testing.AllocsPerRun(10, func() { sinkAll = f.SumAllStrings(dst, keys) }))
	})
}
