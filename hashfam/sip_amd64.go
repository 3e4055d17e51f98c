//go:build !purego && !appengine

package hashfam

import (
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/internal/cpu"
)

// The assembly functions run the unmodified algorithm on a group of keys, using
// one lane for each key. With AVX2, a group has 8 keys. With AVX-512, it has up
// to 16, but smaller groups need nearly the same time, so groups of fewer than
// leastWide keys use AVX2. Fewer than leastNarrow keys, or fewer than
// leastUint64s numbers, are hashed individually.
const (
	wide   = 16
	narrow = 8

	leastWide    = 10
	leastNarrow  = narrow
	leastUint64s = 5
)

// A state is SipHash's state before the first word.
type state [4]uint64

// state returns f's initial state (section 2.1 of the paper).
func (f Family) state() state {
	return state{
		f.k0 ^ 0x736f6d6570736575,
		f.k1 ^ 0x646f72616e646f6d,
		f.k0 ^ 0x6c7967656e657261,
		f.k1 ^ 0x7465646279746573,
	}
}

// sumGroups appends the digests of keys in groups, and returns the remaining
// keys. It is inlined so that short batches do not pay for a call.
func sumGroups[K bytesOrString](f Family, dst []Digest, keys []K) ([]Digest, []K) {
	if len(keys) >= leastNarrow && cpu.AVX2 {
		dst, keys = sumLanes(f, dst, keys)
	}
	return dst, keys
}

// ahead is the number of keys that are prefetched while the same number of
// earlier keys is hashed. Otherwise hashing would wait for memory, because the
// assembly code gathers words from several keys, and the CPU does not recognize
// such accesses as a stream.
const ahead = 64

// sumLanes is like sumGroups for at least leastNarrow keys.
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

// fetch prefetches a nonempty slice of keys without waiting for them.
func fetch[K bytesOrString](keys []K) {
	first, stride := headers(keys)
	prefetchKeys(first, stride, len(keys))
}

// prefetchKeys prefetches n > 0 keys, whose headers start at first and are
// stride bytes apart. If the keys are not contiguous, it prefetches only the
// first cache line of each key or, if the first key is longer than 64 bytes,
// the first two lines and the last one. Prefetching memory that cannot be read
// is harmless.
//
//go:noescape
func prefetchKeys(first *uintptr, stride uintptr, n int)

// sumBlock is like sumLanes for up to ahead keys, for which dst must have room.
// It returns fewer than leastNarrow remaining keys.
func sumBlock[K bytesOrString](f Family, dst []Digest, keys []K) ([]Digest, []K) {
	start := f.state()
	for cpu.AVX512 && len(keys) >= leastWide {
		n := min(len(keys), wide)
		end := len(dst)
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

// sumRest computes the digests of those keys whose bits are set in rest.
func sumRest[K bytesOrString](f Family, digests []Digest, keys []K, rest uint32) {
	for ; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest)
		digests[i] = f.Sum(bytesOf(&keys[i]))
	}
}

// sumGroupAVX512 computes the digests of 1 to 16 keys, one for each element of
// dst. The keys' headers start at first and are stride bytes apart. When no more
// than four keys have bytes left, and one of these has many, most lanes would
// be idle. sumGroupAVX512 then skips these keys and sets their bits in rest, so
// that the caller hashes them individually.
//
//go:noescape
func sumGroupAVX512(dst []Digest, first *uintptr, stride uintptr, start *state) (rest uint32)

// sumGroupAVX2 is like sumGroupAVX512 for 8 keys. It skips either none of the
// keys or all 8.
//
//go:noescape
func sumGroupAVX2(dst []Digest, first *uintptr, stride uintptr, start *state) (rest uint32)

// sumUint64Groups is like sumGroups for numbers.
func (f Family) sumUint64Groups(dst []Digest, keys []uint64) ([]Digest, []uint64) {
	if len(keys) >= leastUint64s && cpu.AVX2 {
		return f.sumUint64Lanes(dst, keys), nil
	}
	return dst, keys
}

// sumUint64Lanes appends the digests of keys. Since the scheduler cannot
// interrupt assembly code, each call of an assembly function processes at most
// 4,096 keys.
func (f Family) sumUint64Lanes(dst []Digest, keys []uint64) []Digest {
	dst = slices.Grow(dst, len(keys))
	start := f.uint64State()
	for len(keys) > 0 {
		n := min(len(keys), 4096)
		end := len(dst)
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

// A uint64State is the part of SipHash's state in the middle of the first round
// that does not depend on the number to be hashed.
type uint64State [5]uint64

// uint64State returns f's state after the steps of the first round that do not
// need the number: v0 += v1, v1 = v1<<<13 ^ v0, and v0 = v0<<<32, where <<<
// rotates to the left. The elements are the new v0 and v1, v1<<<17 for the
// second half of the round, and the initial v2 and v3.
func (f Family) uint64State() uint64State {
	s := f.state()
	sum := s[0] + s[1]
	v1 := bits.RotateLeft64(s[1], 13) ^ sum
	return uint64State{bits.RotateLeft64(sum, 32), v1, bits.RotateLeft64(v1, 17), s[2], s[3]}
}

// sumUint64sAVX512 sets each element of dst, which must not be empty, to the
// digest of a number. The numbers start at keys.
//
//go:noescape
func sumUint64sAVX512(dst []Digest, keys *uint64, start *uint64State)

// sumUint64sAVX2 is like sumUint64sAVX512.
//
//go:noescape
func sumUint64sAVX2(dst []Digest, keys *uint64, start *uint64State)

// fewInstructions reports whether the CPU supports the version of [Hasher] with
// few instructions. It is a variable so that tests can turn it off.
var fewInstructions = cpu.AVX512

// sum is inlined, so a Hasher needs no more calls than a Family.
func (h Hasher) sum(key []byte) Digest {
	return sumKey(h.k0, h.k1, addressOf(key), len(key), h.far)
}

// sumKey returns the SipHash-2-4 of the n bytes at first. If far is 1, it uses
// the version with few instructions (see [Hasher]), which requires AVX-512. If
// far is 0, it jumps to siphash.Hash.
//
//go:noescape
func sumKey(k0, k1 uint64, first *byte, n int, far uint64) Digest
