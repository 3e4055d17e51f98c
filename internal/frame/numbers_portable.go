//go:build purego || !(386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package frame

// bytesOf returns the values if they are bytes. It reports false for others:
// they have to be converted.
func bytesOf[T number](values []T) ([]byte, bool) {
	b, ok := any(values).([]byte)
	return b, ok
}

// numbersIn reports false: b has to be converted.
func numbersIn[T number]([]byte) ([]T, bool) { return nil, false }

// viewable reports whether this build supports views.
const viewable = false
