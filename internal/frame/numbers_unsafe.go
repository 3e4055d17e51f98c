//go:build !purego && (386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package frame

import "unsafe"

// bytesOf returns the memory of the values as bytes. It reports false if their
// order in memory is not that of a frame.
func bytesOf[T number](values []T) ([]byte, bool) {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*sizeOf[T]()), true
}

// numbersIn returns the memory of b, whole numbers, as numbers. It reports
// false if b does not begin at a multiple of their size.
func numbersIn[T number](b []byte) ([]T, bool) {
	start := unsafe.SliceData(b)
	if uintptr(unsafe.Pointer(start))%uintptr(sizeOf[T]()) != 0 {
		return nil, false
	}
	return unsafe.Slice((*T)(unsafe.Pointer(start)), len(b)/sizeOf[T]()), true
}

const viewable = true
