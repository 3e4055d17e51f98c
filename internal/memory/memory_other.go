//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd && (!windows || purego)

package memory

func limit() uint64 { return unknown }
