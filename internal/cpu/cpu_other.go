//go:build !amd64 || purego

package cpu

// This build has no functions in assembly.
const (
	AVX2      = false
	AVX512    = false
	VPOPCNTDQ = false
)
