//go:build !amd64 || purego || appengine

package hashfam

// setLanes does nothing because this build does not use vector instructions.
func setLanes(avx2, avx512 bool) (restore func()) { return func() {} }
