package hashfam

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/checks/machine"
)

// hashers returns f's hashers for small and for large structures.
func hashers(f Family) []Hasher { return []Hasher{f.Hasher(0), f.Hasher(1 << 40)} }

// Keys of all lengths at all alignments, surrounded by other bytes.
func TestHasherMatchesItsFamily(t *testing.T) {
	machine.Matters(t)
	rng := rand.New(rand.NewPCG(60, 61))
	text := make([]byte, 600)
	for i := range text {
		text[i] = byte(rng.Uint32())
	}
	for n := range 300 {
		for from := range 64 {
			var key Key
			copy(key[:], text[rng.IntN(500):])
			f := New(key)
			want := f.Sum(text[from:][:n])
			for _, h := range hashers(f) {
				require.Equal(t, want, h.Sum(text[from:][:n:n]), "%d bytes from %d", n, from)
				require.Equal(t, want, h.SumString(string(text[from:][:n])))
				require.Equal(t, f, h.Family())
			}
		}
	}
}
