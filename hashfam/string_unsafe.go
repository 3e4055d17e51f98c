//go:build !purego

package hashfam

import "unsafe"

// stringBytes returns the bytes of s without copying them. The caller must not
// write to them; SipHash only reads them.
func stringBytes(s string) []byte {
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// Strings and byte slices are kept as headers that begin with the same two
// words, an address and a length.
type bytesOrString interface{ []byte | string }

// headers returns the first header of keys, of which there is at least one, and
// the number of bytes from each to the next.
func headers[K bytesOrString](keys []K) (first *uintptr, stride uintptr) {
	return (*uintptr)(unsafe.Pointer(&keys[0])), unsafe.Sizeof(keys[0])
}

// bytesOf is stringBytes for both kinds of keys.
func bytesOf[K bytesOrString](key *K) []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(key)), len(*key))
}

// addressOf returns the address of the first byte of key. It is not valid if
// key is empty.
func addressOf(key []byte) *byte { return unsafe.SliceData(key) }
