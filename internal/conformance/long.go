package conformance

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// Long reports whether a test runs in its long form: if FILTERFAM_LONG is set
// and the memory is available. The long form takes about that many minutes of
// one core, which Long prints first, and at most that many gigabytes.
//
// .ci/long finds the calls in the source and adds up the minutes, so both are
// written as numbers.
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

var available = regexp.MustCompile(`MemAvailable: +(\d+) kB`)

// memory returns the gigabytes that a program may take: at most 2 on a 32-bit
// platform, and any number if the system does not say.
func memory() float64 {
	most := math.Inf(1)
	if strconv.IntSize == 32 {
		most = 2
	}
	text, _ := os.ReadFile("/proc/meminfo")
	if m := available.FindSubmatch(text); m != nil {
		kib, _ := strconv.ParseFloat(string(m[1]), 64)
		most = min(most, kib*1024/1e9)
	}
	return most
}
