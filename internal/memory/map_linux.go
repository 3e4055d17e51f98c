package memory

import (
	"math"
	"syscall"
)

const (
	// arena is the number of addresses that Go's runtime gets from the system
	// at once, on most platforms.
	arena = 64 << 20
	// ownBytes is more than the runtime needs to manage some more arenas.
	ownBytes = 32 << 20
)

// mappable reports whether the system lets this process allocate this number of
// bytes. It allocates them without using them, and frees them again. Unlike
// [Limit], mappable takes into account what the process has already allocated,
// and does not need /proc.
func mappable(bytes uint64) bool {
	size := (bytes+arena-1)/arena*arena + ownBytes
	if size > math.MaxInt {
		return false
	}
	const flags = syscall.MAP_PRIVATE | syscall.MAP_ANON | syscall.MAP_NORESERVE
	mapped, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, flags)
	if err != nil {
		return false
	}
	return syscall.Munmap(mapped) == nil
}
