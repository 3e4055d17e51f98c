package checks

import (
	"math"
	"runtime"
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
