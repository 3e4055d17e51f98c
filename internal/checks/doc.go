// Package checks provides checks for the tests of several packages: measured
// false-positive rates, sizes for a memory limit, zero values, allocations, and
// long tests. It also computes digests for them.
package checks
