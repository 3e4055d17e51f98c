//go:build purego

package hashfam

// stringBytes returns a copy of the bytes of s. The version in string_unsafe.go
// does not copy them.
func stringBytes(s string) []byte { return []byte(s) }
