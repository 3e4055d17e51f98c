//go:build purego

package hashfam_test

// copiesStrings reports whether SumString copies its key in this build.
const copiesStrings = true
