//go:build !amd64 || purego

package cpu

// This build has no functions in assembly.
const AVX2, AVX512, VPOPCNTDQ = false, false, false
