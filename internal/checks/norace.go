//go:build !race

package checks

// Race reports whether the race detector is used.
const Race = false
