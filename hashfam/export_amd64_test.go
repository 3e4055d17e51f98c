//go:build !purego

package hashfam

import "github.com/filterfam/filterfam/internal/cpu"

// SetLanes makes SumAll use AVX-512 only if wanted, and AVX2 only if wanted. It
// returns a function that restores what was.
func SetLanes(avx2, avx512 bool) (restore func()) {
	was2, was512 := cpu.AVX2, cpu.AVX512
	cpu.AVX2, cpu.AVX512 = avx2, avx512
	return func() { cpu.AVX2, cpu.AVX512 = was2, was512 }
}

// HasAVX2 and HasAVX512 report what SumAll may use.
func HasAVX2() bool   { return cpu.AVX2 }
func HasAVX512() bool { return cpu.AVX512 }

// SumGroupAVX2 returns the digests of 8 keys, and the mask of those left out.
func (f Family) SumGroupAVX2(keys [][]byte) (digests []Digest, rest uint32) {
	start := f.state()
	digests = make([]Digest, len(keys))
	first, stride := headers(keys)
	rest = sumGroupAVX2(digests, first, stride, &start)
	return digests, rest
}

// SumGroupAVX512 is SumGroupAVX2 for 1 to 16 keys.
func (f Family) SumGroupAVX512(keys [][]byte) (digests []Digest, rest uint32) {
	start := f.state()
	digests = make([]Digest, len(keys))
	first, stride := headers(keys)
	rest = sumGroupAVX512(digests, first, stride, &start)
	return digests, rest
}
