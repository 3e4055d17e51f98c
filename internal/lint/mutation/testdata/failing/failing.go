// Package failing has no test that passes.
package failing

// Sum returns a + b.
func Sum(a, b int) int { return a + b }
