//go:build !purego && (386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package frame

import "unsafe"

// bytesOf returns the memory of values. This memory has the byte order of the
// format.
func bytesOf[T number](values []T) ([]byte, bool) {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*sizeOf[T]()), true
}

// numbersIn returns the memory of b as numbers if its address is a multiple of
// their size, as its length must be.
func numbersIn[T number](b []byte) ([]T, bool) {
	start := unsafe.SliceData(b)
	if uintptr(unsafe.Pointer(start))%uintptr(sizeOf[T]()) != 0 {
		return nil, false
	}
	return unsafe.Slice((*T)(unsafe.Pointer(start)), len(b)/sizeOf[T]()), true
}

// viewable reports whether this build supports views.
const viewable = true
