//go:build purego

package hashfam

// stringBytes returns a copy of the bytes of s. It replaces the function in
// string_unsafe.go, which does not copy.
func stringBytes(s string) []byte { return []byte(s) }
