//go:build !purego

package hashfam

import "unsafe"

// stringBytes returns the bytes of s without copying them. The caller must not
// write to the result.
func stringBytes(s string) []byte {
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// headers returns the address of the first header in keys, which must not be
// empty, and the distance in bytes from each header to the next.
func headers[K bytesOrString](keys []K) (first *uintptr, stride uintptr) {
	return (*uintptr)(unsafe.Pointer(&keys[0])), unsafe.Sizeof(keys[0])
}

// bytesOf is like stringBytes for both kinds of keys.
func bytesOf[K bytesOrString](key *K) []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(key)), len(*key))
}

// addressOf returns the address of key's first byte. The address is invalid if
// key is empty.
func addressOf(key []byte) *byte { return unsafe.SliceData(key) }
