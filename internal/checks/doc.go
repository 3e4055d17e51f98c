// Package checks provides checks for the tests of several packages: measured
// false-positive rates, sizes for a memory limit, zero values, and long tests.
package checks
