//go:build !amd64 || purego

package hashfam

// SetGroups does nothing in this build, which hashes one key after the other.
func SetGroups(bool) (was bool) { return false }
