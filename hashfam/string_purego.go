//go:build purego

package hashfam

// stringBytes returns the bytes of s. It is the plain twin of the version in
// string_unsafe.go and copies them.
func stringBytes(s string) []byte { return []byte(s) }
