package memory

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/checks/machine"
)

// Sysctl removes one zero at the end, wherever it comes from.
func TestNumbersFromSysctl(t *testing.T) {
	machine.Matters(t)
	for _, bytes := range []uint64{1, 255, 1 << 20, 1 << 32, 24<<30 - 4096, 1<<56 - 1, 1 << 56, 0x8000000000000001} {
		value := string(binary.NativeEndian.AppendUint64(nil, bytes))
		if last := len(value) - 1; value[last] == 0 {
			value = value[:last]
		}
		require.Equal(t, bytes, fromSysctl(value))
	}
	for _, value := range []string{"", "\x00", "\x00\x00\x00\x00\x00\x00\x00", "more than 8 bytes"} {
		require.EqualValues(t, uint64(unknown), fromSysctl(value), "%q", value)
	}
}
