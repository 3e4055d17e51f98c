//go:build !purego

package hashfam_test

// copiesStrings tells that this build of SumString copies its key.
const copiesStrings = false
