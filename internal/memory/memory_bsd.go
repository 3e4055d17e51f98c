//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package memory

import (
	"runtime"
	"syscall"
)

func limit() uint64 {
	name := "hw.physmem"
	switch runtime.GOOS {
	case "darwin", "ios":
		name = "hw.memsize" // hw.physmem has only 32 bits
	case "netbsd":
		name = "hw.physmem64" // so has hw.physmem
	}
	value, err := syscall.Sysctl(name)
	if err != nil {
		return unknown
	}
	return fromSysctl(value)
}
