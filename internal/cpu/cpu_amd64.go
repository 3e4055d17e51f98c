//go:build !purego

package cpu

import (
	"os"
	"runtime"
	"strings"
)

// These variables report which instructions can be used: the processor has
// them, the operating system supports them, and GODEBUG does not turn them off.
// AVX2 also requires BMI2. AVX512 requires AVX2 and the AVX-512 extensions F,
// CD, DQ, BW and VL. VPOPCNTDQ requires AVX512 and the extension that counts
// bits in vectors. Tests set the variables to false.
var (
	AVX2      = hasAVX2() && !turnedOff(os.Getenv("GODEBUG"), "avx2")
	AVX512    = AVX2 && hasAVX512() && !turnedOff(os.Getenv("GODEBUG"), "avx512f")
	VPOPCNTDQ = AVX512 && has(zmmState, avx512, vpopcntdq)
)

// turnedOff reports whether godebug, the value of the environment variable
// GODEBUG, contains cpu.feature=off or cpu.all=off. When there are several
// settings, the last one is used, as in package runtime.
func turnedOff(godebug, feature string) (off bool) {
	for setting := range strings.SplitSeq(godebug, ",") {
		name, value, _ := strings.Cut(setting, "=")
		if name == "cpu."+feature || name == "cpu.all" {
			off = value == "off"
		}
	}
	return off
}

// These are bits that CPUID returns, and bits in XCR0 (Intel 64 and IA-32
// Architectures Software Developer's Manual, volume 1, chapters 13 to 15, and
// volume 2, CPUID).
const (
	avx       = 1<<23 | 1<<27 | 1<<28                        // leaf 1, ECX: POPCNT, OSXSAVE, AVX
	avx2      = 1<<5 | 1<<8                                  // leaf 7, EBX: AVX2, BMI2
	avx512    = avx2 | 1<<16 | 1<<17 | 1<<28 | 1<<30 | 1<<31 // leaf 7, EBX: F, DQ, CD, BW, VL
	vpopcntdq = 1 << 14                                      // leaf 7, ECX
	ymmState  = 1<<1 | 1<<2                                  // XCR0: XMM, upper halves of YMM
	zmmState  = ymmState | 1<<5 | 1<<6 | 1<<7                // XCR0: masks, upper halves of ZMM, Z16 to Z31
)

// hasAVX512 reports whether AVX-512 can be used. It returns false on macOS,
// because some versions lose mask registers when a signal arrives (Go issue
// 49233).
func hasAVX512() bool { return runtime.GOOS != "darwin" && has(zmmState, avx512, 0) }

func hasAVX2() bool { return has(ymmState, avx2, 0) }

// has reports whether the operating system saves the registers in state, and
// the processor has AVX and the given bits of leaf 7 in EBX and ECX.
func has(state, ebx7, ecx7 uint32) bool {
	leaves, _, _ := cpuid(0)
	if _, _, ecx := cpuid(1); leaves < 7 || ecx&avx != avx {
		return false
	}
	_, ebx, ecx := cpuid(7)
	return ebx&ebx7 == ebx7 && ecx&ecx7 == ecx7 && xgetbv()&state == state
}

// cpuid returns three registers using the CPUID instruction for subleaf 0 of
// leaf.
func cpuid(leaf uint32) (eax, ebx, ecx uint32)

// xgetbv returns the lower half of XCR0. It must only be called if the
// processor has OSXSAVE.
func xgetbv() (eax uint32)
