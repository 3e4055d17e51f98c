//go:build !purego

package hashfam

// copiesStrings reports whether SumString copies its key in this build.
const copiesStrings = false
