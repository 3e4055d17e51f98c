// Package checks has checks for the tests of several packages that need no
// machine: measured false-positive rates, sizes for a memory, zero values, and
// the long forms of tests. Package conformance tests sequences of actions and
// encodings.
package checks
