package checks

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// LeastAllocated returns how many bytes f allocates. Since other goroutines
// also allocate, it calls f several times and returns the minimum.
func LeastAllocated(runs int, f func()) uint64 {
	least := uint64(math.MaxUint64)
	for ; runs > 0 && least > 0; runs-- {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// Long reports whether a test should run in its long form: if FILTERFAM_LONG is
// set and enough memory is available. It prints its arguments, the minutes on a
// single core and the memory. They must be literals, because .ci/long adds up
// the minutes.
func Long(t testing.TB, minutes, gigabytes float64) bool {
	t.Helper()
	if os.Getenv("FILTERFAM_LONG") == "" {
		return false
	}
	fmt.Fprintf(os.Stderr, "long: %s takes about %g minutes of one core and up to %g GB\n", t.Name(), minutes, gigabytes)
	most := memory()
	if gigabytes > most {
		t.Logf("the long form needs %g GB of memory, and %.1f GB are available", gigabytes, most)
	}
	return gigabytes <= most
}

// memory returns the available gigabytes: up to 2 on a 32-bit platform, and any
// number if it is unknown.
func memory() float64 {
	most := math.Inf(1)
	if strconv.IntSize == 32 {
		most = 2
	}
	text, _ := os.ReadFile("/proc/meminfo")
	if _, available, told := strings.Cut(string(text), "\nMemAvailable:"); told {
		var kib float64
		fmt.Sscan(available, &kib)
		most = min(most, kib*1024/1e9)
	}
	return most
}
