//go:build linux || darwin

package point

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

// area returns the memory that records what is reached. It is shared with the
// file, so that it is there even if the process crashes.
func area(file string) *[Size]byte {
	if file == "" {
		return new([Size]byte)
	}
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	b, err := syscall.Mmap(int(f.Fd()), 0, Size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		panic(err)
	}
	return (*[Size]byte)(b)
}

// watch ends the process when it has taken limit milliseconds of processor
// time, or too much memory: a mutant may loop forever. Processor time, not the
// time of day, because other programs may be busy.
func watch(limit int) {
	var use syscall.Rusage
	unit := int64(1 << 10) // of Maxrss
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	for {
		time.Sleep(20 * time.Millisecond)
		if syscall.Getrusage(syscall.RUSAGE_SELF, &use) != nil {
			return
		}
		if (use.Utime.Nano()+use.Stime.Nano())/1e6 > int64(limit) {
			os.Exit(ExitCPU)
		}
		if int64(use.Maxrss)*unit > maxMemory {
			os.Exit(ExitMemory)
		}
	}
}
