//go:build !purego

package hashfam

import "unsafe"

// stringBytes returns the bytes of s without copying them. They must not be
// written to: SipHash only reads them.
func stringBytes(s string) []byte {
	return unsafe.Slice(unsafe.StringData(s), len(s))
}
