//go:build race

package checks

// Race reports whether the race detector is used. It makes sync.Pool drop some
// of its memory.
const Race = true
