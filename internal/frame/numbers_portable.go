//go:build purego || !(386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64 || wasm)

package frame

// bytesOf returns values if they are bytes. Other numbers must be converted.
func bytesOf[T number](values []T) ([]byte, bool) {
	b, ok := any(values).([]byte)
	return b, ok
}

func numbersIn[T number]([]byte) ([]T, bool) { return nil, false }

const viewable = false
