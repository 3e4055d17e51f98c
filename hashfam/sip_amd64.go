//go:build !purego

package hashfam

import (
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/internal/cpu"
)

// The functions in assembly run the plain algorithm on a group of keys, each in
// a lane of its own. With AVX2 a group has 8 keys. With AVX-512 it has up to
// 16, and takes nearly as long if it has fewer. Fewer than leastWide keys are
// left to AVX2, and fewer than leastNarrow, or leastUint64s, are hashed one by
// one.
const (
	wide   = 16
	narrow = 8

	leastWide    = 10
	leastNarrow  = narrow
	leastUint64s = 5
)

// A state is the state of SipHash before the first word.
type state [4]uint64

// state returns the state that f starts with (section 2.1 of the paper).
func (f Family) state() state {
	return state{
		f.k0 ^ 0x736f6d6570736575,
		f.k1 ^ 0x646f72616e646f6d,
		f.k0 ^ 0x6c7967656e657261,
		f.k1 ^ 0x7465646279746573,
	}
}

// sumGroups appends the digests of keys in groups, and returns the keys that
// are left over. It is inlined, for the sake of few keys.
func (f Family) sumGroups(dst []Digest, keys [][]byte) ([]Digest, [][]byte) {
	if len(keys) >= leastNarrow && cpu.AVX2 {
		dst, keys = sumLanes(f, dst, keys)
	}
	return dst, keys
}

// sumStringGroups is sumGroups for strings.
func (f Family) sumStringGroups(dst []Digest, keys []string) ([]Digest, []string) {
	if len(keys) >= leastNarrow && cpu.AVX2 {
		dst, keys = sumLanes(f, dst, keys)
	}
	return dst, keys
}

// ahead is the number of keys that are fetched while as many before them are
// hashed. Keys that lie in memory would be waited for: the assembly reads them
// by gathering, which the processor does not recognize as a stream.
const ahead = 64

// sumLanes is sumGroups for keys of both kinds.
func sumLanes[K bytesOrString](f Family, dst []Digest, keys []K) ([]Digest, []K) {
	dst = slices.Grow(dst, len(keys))
	fetch(keys[:min(ahead, len(keys))])
	for len(keys) > ahead {
		fetch(keys[ahead:min(2*ahead, len(keys))])
		dst, _ = sumBlock(f, dst, keys[:ahead])
		keys = keys[ahead:]
	}
	return sumBlock(f, dst, keys)
}

// fetch asks for the memory of keys, of which there is at least one, and does
// not wait for it.
func fetch[K bytesOrString](keys []K) {
	first, stride := headers(keys)
	prefetchKeys(first, stride, len(keys))
}

// prefetchKeys asks for the memory of n keys, at least one, whose headers begin
// at first and are stride bytes apart, and for that of the headers. It gives no
// answer, and asking for memory that cannot be read does no harm.
//
//go:noescape
func prefetchKeys(first *uintptr, stride uintptr, n int)

// sumBlock is sumLanes for few keys. It leaves fewer than leastNarrow of them.
func sumBlock[K bytesOrString](f Family, dst []Digest, keys []K) ([]Digest, []K) {
	start := f.state()
	for cpu.AVX512 && len(keys) >= leastWide {
		n, end := min(len(keys), wide), len(dst)
		dst = dst[:end+n]
		first, stride := headers(keys)
		rest := sumGroupAVX512(dst[end:], first, stride, &start)
		sumRest(f, dst[end:], keys, rest)
		keys = keys[n:]
	}
	for len(keys) >= leastNarrow {
		end := len(dst)
		dst = dst[:end+narrow]
		first, stride := headers(keys)
		rest := sumGroupAVX2(dst[end:], first, stride, &start)
		sumRest(f, dst[end:], keys, rest)
		keys = keys[narrow:]
	}
	return dst, keys
}

// sumRest sets the digests of the keys whose bits are set in rest.
func sumRest[K bytesOrString](f Family, digests []Digest, keys []K, rest uint32) {
	for ; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest)
		digests[i] = f.Sum(bytesOf(&keys[i]))
	}
}

// sumGroupAVX512 sets dst, which has 1 to 16 elements, to the digests of as
// many keys, the headers of which begin at first and are stride bytes apart. It
// leaves out the keys whose bits are set in rest: up to four that are much
// longer than the others, which are better hashed one by one than with idle
// lanes around.
//
//go:noescape
func sumGroupAVX512(dst []Digest, first *uintptr, stride uintptr, start *state) (rest uint32)

// sumGroupAVX2 is sumGroupAVX512 for 8 keys. All or none of them are in rest.
//
//go:noescape
func sumGroupAVX2(dst []Digest, first *uintptr, stride uintptr, start *state) (rest uint32)

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
