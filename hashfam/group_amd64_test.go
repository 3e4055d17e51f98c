//go:build !purego

package hashfam_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// TestDetection asks the operating system what the processor has.
func TestDetection(t *testing.T) {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip("no /proc/cpuinfo")
	}
	_, flags, _ := strings.Cut(string(text), "\nflags")
	flags, _, _ = strings.Cut(flags, "\n")
	words := strings.Fields(flags)
	want := slices.Contains(words, "avx2") && slices.Contains(words, "bmi2")
	require.Equal(t, want, hashfam.HasAVX2())
}

// TestGroups holds which groups are hashed as such, so that the tests of SumAll
// see what they are meant to see.
func TestGroups(t *testing.T) {
	if !hashfam.HasAVX2() {
		t.Skip("needs AVX2")
	}
	text := noise(1 << 13)
	f := hashfam.New(ascending())
	for _, c := range []struct {
		lengths []int
		group   bool
	}{
		{[]int{0, 0, 0, 0, 0, 0, 0, 0}, true},
		{[]int{7, 0, 1, 2, 3, 4, 5, 6}, true},
		{[]int{16, 17, 18, 19, 20, 21, 22, 23}, true},
		{[]int{5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000}, true},
		{[]int{1, 2, 3, 4, 5, 6, 7, 8}, true},
		{[]int{3, 9, 4, 5, 12, 2, 3, 7}, true},
		{[]int{64, 0, 8, 16, 24, 32, 40, 48}, true},
		{[]int{500, 400, 300, 200, 300, 400, 500, 510}, true},
		{[]int{0, 0, 0, 32, 0, 0, 0, 0}, true},
		{[]int{0, 0, 0, 33, 0, 0, 0, 0}, false},
		{[]int{100, 0, 0, 0, 0, 0, 0, 0}, false},
		{[]int{5, 5, 5, 5, 5, 5, 5, 5000}, false},
	} {
		keys := make([][]byte, 8)
		for i, n := range c.lengths {
			keys[i] = text[i:][:n]
		}
		var want []hashfam.Digest
		if c.group {
			want = one(f, keys)
		}
		require.Equal(t, want, f.SumGroup(nil, keys), c.lengths)
	}
}
