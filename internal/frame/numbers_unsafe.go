//go:build !purego && (386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package frame

import "unsafe"

// bytesOf returns the memory of values as bytes, which these platforms keep in
// the order of the format.
func bytesOf[T number](values []T) ([]byte, bool) {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*sizeOf[T]()), true
}

// numbersIn returns the memory of b as numbers. It returns false if the address
// of b is not a multiple of the size of a number. The length of b must be a
// multiple of this size.
func numbersIn[T number](b []byte) ([]T, bool) {
	start := unsafe.SliceData(b)
	if uintptr(unsafe.Pointer(start))%uintptr(sizeOf[T]()) != 0 {
		return nil, false
	}
	return unsafe.Slice((*T)(unsafe.Pointer(start)), len(b)/sizeOf[T]()), true
}

// viewable reports whether this build supports views.
const viewable = true
