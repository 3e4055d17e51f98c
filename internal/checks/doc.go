// Package checks contains what the tests of several packages use: checks of
// measured false-positive rates, of sizes for a memory limit, of zero values,
// of allocations and of numbers in documents. It also creates digests, and
// selects the long forms of tests.
package checks
