//go:build !amd64 || purego

package hashfam

// setLanes does nothing in this build, which hashes one key after the other.
func setLanes(avx2, avx512 bool) (restore func()) { return func() {} }
