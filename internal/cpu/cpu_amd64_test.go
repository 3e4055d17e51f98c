//go:build !purego

package cpu

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/internal/checks/machine"
)

// The results must match the flags that the operating system reports.
func TestDetection(t *testing.T) {
	machine.Matters(t)
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip("no /proc/cpuinfo")
	}
	_, flags, _ := strings.Cut(string(text), "\nflags")
	flags, _, _ = strings.Cut(flags, "\n")
	have := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(strings.Fields(flags), name) })
	}
	require.Equal(t, have("avx2", "bmi2"), hasAVX2())
	require.Equal(t, have("avx512f", "avx512dq", "avx512bw", "avx512vl", "bmi2", "popcnt"), hasAVX512())
	require.Equal(t, have("avx512_vpopcntdq"), has(zmmState, 0, vpopcntdq))
}

func TestTurnedOff(t *testing.T) {
	machine.Matters(t)
	for godebug, want := range map[string]bool{
		"":                                      false,
		"cpu.avx2=off":                          true,
		"gctrace=1,cpu.avx2=off,madvdontneed=1": true,
		"avx2=off":                              false,
		"cpu.all=off,cpu.avx2=on":               false,
		"cpu.avx2=off,cpu.avx2=on":              false,
		"cpu.avx2=on,cpu.all=off":               true,
	} {
		require.Equal(t, want, turnedOff(godebug, "avx2"), godebug)
	}
}

// The test runs itself again with other settings.
func TestGODEBUG(t *testing.T) {
	machine.Matters(t)
	const child = "CPU_TEST_CHILD"
	if os.Getenv(child) != "" {
		t.Logf("AVX2 %v, AVX-512 %v", AVX2, AVX512)
		return
	}
	self, err := os.Executable()
	require.NoError(t, err)
	for _, c := range []struct {
		godebug      string
		avx2, avx512 bool
	}{
		{"", true, true},
		{"cpu.avx512f=off", true, false},
		{"cpu.avx2=off", false, false},
		{"cpu.all=off", false, false},
	} {
		cmd := exec.Command(self, "-test.run=^TestGODEBUG$", "-test.v")
		cmd.Env = append(os.Environ(), "GODEBUG="+c.godebug, child+"=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		want := fmt.Sprintf("AVX2 %v, AVX-512 %v", c.avx2 && hasAVX2(), c.avx512 && hasAVX512())
		require.Contains(t, string(out), want, c.godebug)
	}
}
