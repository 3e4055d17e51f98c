//go:build !amd64 || purego

package cpu

// This build has no functions in assembly.
const AVX2, AVX512, AVX512NoRace, VPOPCNTDQ = false, false, false, false
