package memory

import "encoding/binary"

// fromSysctl converts a number of 8 bytes that syscall.Sysctl has returned as a
// string. Sysctl removes one zero byte from the end of a string. On 32-bit
// systems, which are all little-endian here, a number can have 4 bytes.
func fromSysctl(value string) uint64 {
	var number [8]byte
	copy(number[:], value)
	bytes := binary.NativeEndian.Uint64(number[:])
	if len(value) > len(number) || bytes == 0 {
		return unknown
	}
	return bytes
}
