package input

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzFiles reads any file. It must end without a panic, and a plain file must
// have its own lines.
func FuzzFiles(f *testing.F) {
	for _, compressed := range compressions {
		for _, text := range []string{"ada\ngrace\n", mark + "a,5\r\nb,6", utf16Bytes(mark+"ada\n", true)} {
			if data, made := compressed(f, text); made {
				f.Add([]byte(data), false)
				f.Add([]byte(data[:len(data)/2]), true)
			}
		}
	}
	f.Add([]byte("x^2\n"), false)
	name := filepath.Join(f.TempDir(), "list")
	f.Fuzz(func(t *testing.T, data []byte, nul bool) {
		require.NoError(t, os.WriteFile(name, data, 0o600))
		c := Config{NUL: nul, MaxLine: 1 << 20}
		whole, err := texts(name, c)
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), name+": "), err)
			require.NotContains(t, err.Error(), "EOF")
		}
		key, err2 := NewColumns(",", "1,3")
		require.NoError(t, err2)
		c.Empty = true
		c.Key = key
		c.Fold = true
		some, err2 := texts(name, c)
		if err != nil || err2 != nil {
			require.True(t, err != nil && err2 != nil)
			return
		}
		kept := some[:0]
		for _, l := range some {
			if l != "" {
				kept = append(kept, l)
			}
		}
		require.Equal(t, len(whole), len(kept))
		if want, otherEnds := linesOf(strings.TrimPrefix(string(data), mark), Config{NUL: nul}); !otherEnds && isPlain(data) {
			require.Equal(t, want, whole)
		}
	})
}

// isPlain reports whether all bytes are of a text in ASCII.
func isPlain(data []byte) bool {
	for _, b := range data {
		if b >= 0x80 || b < '\t' {
			return false
		}
	}
	return true
}
