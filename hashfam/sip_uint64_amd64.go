//go:build !purego

package hashfam

import (
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/internal/cpu"
)

// sumUint64Groups is sumGroups for numbers.
func (f Family) sumUint64Groups(dst []Digest, keys []uint64) ([]Digest, []uint64) {
	if len(keys) >= leastUint64s && cpu.AVX2 {
		dst, keys = f.sumUint64Lanes(dst, keys), nil
	}
	return dst, keys
}

// sumUint64Lanes appends the digests of keys. The scheduler cannot interrupt
// assembly, so each call gets 4096 keys, or some 10 microseconds.
func (f Family) sumUint64Lanes(dst []Digest, keys []uint64) []Digest {
	dst = slices.Grow(dst, len(keys))
	start := f.uint64State()
	for len(keys) > 0 {
		n, end := min(len(keys), 4096), len(dst)
		dst = dst[:end+n]
		if cpu.AVX512 {
			sumUint64sAVX512(dst[end:], &keys[0], &start)
		} else {
			sumUint64sAVX2(dst[end:], &keys[0], &start)
		}
		keys = keys[n:]
	}
	return dst
}

// A uint64State is the state of SipHash in the middle of the first round, as
// far as it does not depend on the key.
type uint64State [5]uint64

// uint64State returns the state that f starts with. The lower half of a round
// adds v1 to v0, which needs no word: the first two elements are v0 and v1
// after it, and the third is v1 rotated for the upper half. The other two are
// v2 and v3 as they are at the start.
func (f Family) uint64State() uint64State {
	s := f.state()
	sum := s[0] + s[1]
	v1 := bits.RotateLeft64(s[1], 13) ^ sum
	return uint64State{bits.RotateLeft64(sum, 32), v1, bits.RotateLeft64(v1, 17), s[2], s[3]}
}

// sumUint64sAVX512 sets dst, which is not empty, to the digests of as many
// keys.
//
//go:noescape
func sumUint64sAVX512(dst []Digest, keys *uint64, start *uint64State)

// sumUint64sAVX2 is like sumUint64sAVX512.
//
//go:noescape
func sumUint64sAVX2(dst []Digest, keys *uint64, start *uint64State)
