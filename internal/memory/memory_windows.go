//go:build !purego

package memory

import (
	"syscall"
	"unsafe"
)

// A memoryStatus is the struct MEMORYSTATUSEX of Windows.
type memoryStatus struct {
	length     uint32 // of the struct in bytes
	load       uint32
	totalPhys  uint64
	availPhys  uint64
	totalPage  uint64
	availPage  uint64
	totalAddr  uint64
	availAddr  uint64
	availExtra uint64
}

// Package syscall loads kernel32.dll only from the system folder.
var globalMemoryStatusEx = syscall.NewLazyDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

func limit() uint64 {
	if err := globalMemoryStatusEx.Find(); err != nil {
		return unknown
	}
	status := memoryStatus{length: uint32(unsafe.Sizeof(memoryStatus{}))}
	done, _, _ := globalMemoryStatusEx.Call(uintptr(unsafe.Pointer(&status)))
	if done == 0 || status.totalPhys == 0 {
		return unknown
	}
	return status.totalPhys
}
