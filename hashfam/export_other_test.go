//go:build !amd64 || purego

package hashfam

// SetLanes does nothing in this build, which hashes one key after the other.
func SetLanes(avx2, avx512 bool) (restore func()) { return func() {} }

// HasAVX2 reports that this build does not use AVX2.
func HasAVX2() bool { return false }

// HasAVX512 reports that this build does not use AVX-512.
func HasAVX512() bool { return false }
