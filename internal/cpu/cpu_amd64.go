//go:build !purego

// Package cpu detects the vector instructions that functions in assembly may
// use. The environment variable GODEBUG can turn them off with the settings
// cpu.avx2=off, cpu.avx512f=off and cpu.all=off.
//
// The race detector does not see which memory functions in assembly use.
// Package hashfam may use them for keys in every build, but structures must not
// use them for their memory in a build with the tag race.
package cpu

import (
	"os"
	"runtime"
	"strings"
)

// These variables report which instructions the processor has, the operating
// system supports, and GODEBUG does not turn off. AVX2 includes BMI2. AVX512
// includes AVX2 and the extensions F, CD, DQ, BW and VL. VPOPCNTDQ also
// includes the extension that counts bits. Tests set them to false.
var (
	AVX2      = hasAVX2() && !turnedOff(os.Getenv("GODEBUG"), "avx2")
	AVX512    = AVX2 && hasAVX512() && !turnedOff(os.Getenv("GODEBUG"), "avx512f")
	VPOPCNTDQ = AVX512 && hasVPOPCNTDQ()
)

// turnedOff reports whether godebug, a value of the environment variable
// GODEBUG, has cpu.feature=off or cpu.all=off. As in package runtime, the last
// of several settings counts.
func turnedOff(godebug, feature string) (off bool) {
	for setting := range strings.SplitSeq(godebug, ",") {
		name, value, _ := strings.Cut(setting, "=")
		if name == "cpu."+feature || name == "cpu.all" {
			off = value == "off"
		}
	}
	return off
}

// Bits of the results of CPUID and of XCR0 (Intel 64 and IA-32 Architectures
// Software Developer's Manual, volume 1, chapters 13 to 15, and volume 2,
// CPUID).
const (
	popcnt  = 1 << 23 // leaf 1, ECX
	osxsave = 1 << 27
	avx     = 1 << 28

	avx2     = 1 << 5 // leaf 7, EBX
	bmi2     = 1 << 8
	avx512f  = 1 << 16
	avx512dq = 1 << 17
	avx512cd = 1 << 28
	avx512bw = 1 << 30
	avx512vl = 1 << 31

	vpopcntdq = 1 << 14 // leaf 7, ECX

	ymmState = 1<<1 | 1<<2                   // XCR0: XMM, upper halves of YMM
	zmmState = ymmState | 1<<5 | 1<<6 | 1<<7 // masks, upper halves of ZMM, Z16 to Z31
)

// hasAVX2 reports whether the processor has AVX2 and BMI2 and the operating
// system saves the registers.
func hasAVX2() bool { return has(ymmState, osxsave|avx, avx2|bmi2) }

// hasAVX512 is hasAVX2 for AVX-512. It is not used on macOS, some versions of
// which lose mask registers when a signal arrives (Go issue 49233).
func hasAVX512() bool {
	return runtime.GOOS != "darwin" && has(zmmState, osxsave|avx|popcnt, avx2|avx512f|avx512cd|avx512dq|avx512bw|avx512vl)
}

// hasVPOPCNTDQ reports whether the processor has VPOPCNTDQ. It needs leaf 7.
func hasVPOPCNTDQ() bool {
	_, _, ecx := cpuid(7)
	return ecx&vpopcntdq != 0
}

// has reports whether all given bits are set: of XCR0, of leaf 1 in ECX, and of
// leaf 7 in EBX.
func has(state, leaf1, leaf7 uint32) bool {
	if leaves, _, _ := cpuid(0); leaves < 7 {
		return false
	}
	if _, _, ecx := cpuid(1); ecx&leaf1 != leaf1 { // with osxsave, which xgetbv needs
		return false
	}
	_, ebx, _ := cpuid(7)
	return ebx&leaf7 == leaf7 && xgetbv()&state == state
}

// cpuid returns three results of the instruction CPUID for subleaf 0 of leaf.
func cpuid(leaf uint32) (eax, ebx, ecx uint32)

// xgetbv returns the lower half of XCR0. It needs osxsave.
func xgetbv() (eax uint32)
