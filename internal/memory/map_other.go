//go:build !linux

package memory

// mappable reports whether the system gives this process memory. Here, nothing
// is known about limits of a process.
func mappable(uint64) bool { return true }
