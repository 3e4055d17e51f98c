//go:build !purego

package hashfam

import "unsafe"

// stringBytes returns the bytes of s without copying them. The caller must not
// write to them; SipHash only reads them.
func stringBytes(s string) []byte {
	return unsafe.Slice(unsafe.StringData(s), len(s))
}
