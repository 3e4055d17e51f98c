//go:build !purego

package hashfam

import "slices"

// lanes is how many keys sumGroup hashes side by side.
const lanes = 8

// useAVX2 is a variable so that tests can turn it off.
var useAVX2 = hasAVX2()

// sumGroups appends the digests of whole groups of keys, and returns the keys
// that are left over.
func (f Family) sumGroups(dst []Digest, keys [][]byte) ([]Digest, [][]byte) {
	if useAVX2 && len(keys) >= lanes {
		dst, keys = f.sumGroupsAVX2(dst, keys)
	}
	return dst, keys
}

// sumGroupsAVX2 is apart so that sumGroups is inlined, for the sake of few keys.
func (f Family) sumGroupsAVX2(dst []Digest, keys [][]byte) ([]Digest, [][]byte) {
	dst = slices.Grow(dst, len(keys))
	state := f.state()
	for len(keys) >= lanes {
		group := (*[lanes][]byte)(keys)
		n := len(dst)
		dst = dst[:n+lanes]
		if !sumGroup((*[lanes]Digest)(dst[n:]), group, &state) {
			dst = f.sumEach(dst[:n], group[:])
		}
		keys = keys[lanes:]
	}
	return dst, keys
}

// sumGroup sets dst to the digests of keys under the family that starts with
// state. It runs the plain algorithm on each key in a lane of its own, and a
// lane whose key has ended waits for the others. Where that would take longer
// than one key after the other, because few keys are much longer than the rest,
// it does nothing and returns false.
//
//go:noescape
func sumGroup(dst *[lanes]Digest, keys *[lanes][]byte, state *[4]uint64) bool

// state is the state of SipHash before the first word (section 2.1 of the
// paper).
func (f Family) state() [4]uint64 {
	return [4]uint64{
		f.k0 ^ 0x736f6d6570736575,
		f.k1 ^ 0x646f72616e646f6d,
		f.k0 ^ 0x6c7967656e657261,
		f.k1 ^ 0x7465646279746573,
	}
}

// hasAVX2 reports whether the processor has the instructions of sumGroup and
// the operating system saves the registers (Intel 64 and IA-32 Architectures
// Software Developer's Manual, volume 1, chapter 14, and volume 2, CPUID).
func hasAVX2() bool {
	const (
		osxsave = 1 << 27 // leaf 1, ECX
		avx     = 1 << 28
		bmi2    = 1 << 8 // leaf 7, EBX
		avx2    = 1 << 5
		xmm     = 1 << 1 // XCR0
		ymm     = 1 << 2
	)
	if leaves, _, _ := cpuid(0); leaves < 7 {
		return false
	}
	if _, _, ecx := cpuid(1); ecx&osxsave == 0 || ecx&avx == 0 {
		return false
	}
	if saved := xgetbv(); saved&xmm == 0 || saved&ymm == 0 {
		return false
	}
	_, ebx, _ := cpuid(7)
	return ebx&avx2 != 0 && ebx&bmi2 != 0
}

// cpuid returns three results of the instruction CPUID for subleaf 0 of leaf.
func cpuid(leaf uint32) (eax, ebx, ecx uint32)

// xgetbv returns the lower half of XCR0. It needs osxsave.
func xgetbv() (eax uint32)
