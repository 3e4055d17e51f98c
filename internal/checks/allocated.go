package checks

import (
	"math"
	"runtime"
)

// LeastAllocated returns the number of bytes that f allocates. Since other
// goroutines can allocate at the same time, it calls f up to runs times and
// returns the minimum.
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
