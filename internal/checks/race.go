//go:build race

package checks

// Race reports whether the race detector is used, with which sync.Pool drops
// some of its memory at random.
const Race = true
