package measure

import "runtime"

// The heap of few keys is built several times: what else the program or a
// library allocates meanwhile, once, could be much more.
const (
	smallHeap   = 1 << 20
	smallBuilds = 5
)

// heapGrowth returns by how much the heap grows with what build returns.
func heapGrowth(build func() (any, error)) (least uint64, err error) {
	for range smallBuilds {
		grown, err := heapGrowthOnce(build)
		if err != nil || grown >= smallHeap {
			return grown, err
		}
		if least == 0 || grown > 0 && grown < least {
			least = grown
		}
	}
	return least, nil
}

func heapGrowthOnce(build func() (any, error)) (uint64, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC() // the second frees what pools dropped in the first
	runtime.ReadMemStats(&before)
	built, err := build()
	if err != nil {
		return 0, err
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(built)
	if after.HeapAlloc < before.HeapAlloc {
		return 0, nil
	}
	return after.HeapAlloc - before.HeapAlloc, nil
}
