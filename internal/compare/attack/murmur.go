package attack

import (
	"encoding/binary"
	"math/bits"
)

// The constants of MurmurHash3_x64_128.
const (
	murmurC1, murmurC2 = 0x87c37b91114253d5, 0x4cf5ad432745937f
	murmurN1, murmurN2 = 0x52dce729, 0x38495ab5
	murmurTimes        = 5
)

// A murmur is the state of MurmurHash3_x64_128 between two blocks of 16 bytes.
// A step is invertible in the state and in the block, so a block can be
// computed that leads from any state to any other (Aumasson and Bernstein,
// INDOCRYPT 2012, on the older MurmurHash3 with any seed).
type murmur struct{ h1, h2 uint64 }

// after returns the state after a block.
func (m murmur) after(k1, k2 uint64) murmur {
	m.h1 ^= bits.RotateLeft64(k1*murmurC1, 31) * murmurC2
	m.h1 = (bits.RotateLeft64(m.h1, 27)+m.h2)*murmurTimes + murmurN1
	m.h2 ^= bits.RotateLeft64(k2*murmurC2, 33) * murmurC1
	m.h2 = (bits.RotateLeft64(m.h2, 31)+m.h1)*murmurTimes + murmurN2
	return m
}

// to returns the block that leads from m to the state t.
func (m murmur) to(t murmur) (k1, k2 uint64) {
	mixed := bits.RotateLeft64((t.h1-murmurN1)*inverse(murmurTimes)-m.h2, -27) ^ m.h1
	k1 = bits.RotateLeft64(mixed*inverse(murmurC2), -31) * inverse(murmurC1)
	mixed = bits.RotateLeft64((t.h2-murmurN2)*inverse(murmurTimes)-t.h1, -31) ^ m.h2
	k2 = bits.RotateLeft64(mixed*inverse(murmurC1), -33) * inverse(murmurC2)
	return k1, k2
}

// inverse returns the inverse of an odd number modulo 2^64, by Newton's method.
func inverse(odd uint64) uint64 {
	x := odd
	for range 5 {
		x *= 2 - odd*x
	}
	return x
}

// murmurTwin returns a key of 32 bytes that begins with first, 16 bytes, and
// has the same MurmurHash3 under seed 0 as key, of 32 bytes. Any end that is
// added to both hashes alike, too.
func murmurTwin(key, first []byte) []byte {
	word := binary.LittleEndian.Uint64
	goal := murmur{}.after(word(key), word(key[8:])).after(word(key[16:]), word(key[24:]))
	k1, k2 := murmur{}.after(word(first), word(first[8:])).to(goal)
	twin := append(make([]byte, 0, 32), first...)
	twin = binary.LittleEndian.AppendUint64(twin, k1)
	return binary.LittleEndian.AppendUint64(twin, k2)
}
