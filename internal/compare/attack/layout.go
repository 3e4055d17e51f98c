package attack

import (
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"math/bits"
	"strconv"

	peer "github.com/bits-and-blooms/bloom/v3"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

// A layout is what everyone knows who has the code of a Bloom filter: how many
// bits it has, and which of them a key sets. Without the key of a secret family
// it is that of the public one.
type layout struct {
	bits uint64
	of   func(dst []uint64, key []byte) []uint64
}

// ourLayout follows docs/format.md.
func ourLayout(f *measure.Filter) layout {
	p := f.Set.(*bloom.Filter).Params()
	lines := p.Bits / lineBits
	of := func(dst []uint64, key []byte) []uint64 {
		x := hashfam.Family{}.Sum(key).Probe()
		if p.Layout == bloom.Blocked {
			line := x.In(lines) * lineBits
			for range p.Hashes {
				x = x.Next()
				dst = append(dst, line+uint64(x)>>55)
			}
			return dst
		}
		for range p.Hashes {
			dst = append(dst, x.In(p.Bits))
			x = x.Next()
		}
		return dst
	}
	return layout{p.Bits, of}
}

const lineBits = 512

func peerLayout(f *measure.Filter) layout {
	p := f.Set.(measure.PeerBloom)
	return layout{uint64(p.Cap()), func(dst []uint64, key []byte) []uint64 {
		for _, x := range peer.Locations(key, p.K()) {
			dst = append(dst, x%uint64(p.Cap()))
		}
		return dst
	}}
}

// boomLayout is double hashing with the halves of the 64-bit FNV-1.
func boomLayout(f *measure.Filter) layout {
	b := f.Set.(measure.BoomBloom)
	m, hash := uint64(b.Capacity()), fnv.New64()
	return layout{m, func(dst []uint64, key []byte) []uint64 {
		hash.Reset()
		hash.Write(key)
		x := hash.Sum64()
		for i := range uint64(b.K()) {
			dst = append(dst, (x&0xFFFFFFFF+x>>32*i)%m)
		}
		return dst
	}}
}

// bbloomLayout is double hashing with the two parts of a SipHash-2-4 under the
// default key.
func bbloomLayout(f *measure.Filter) layout {
	var key hashfam.Key
	binary.LittleEndian.PutUint64(key[:8], 0xdeadbeaf)
	binary.LittleEndian.PutUint64(key[8:], 0xfaebdaed)
	family := hashfam.New(key)
	var export struct{ FilterSet, SetLocs json.RawMessage }
	_ = json.Unmarshal(f.Set.(measure.Bbloom).JSONMarshal(), &export)
	hashes, _ := strconv.Atoi(string(export.SetLocs))
	m := 8 * f.SizeBytes() // a power of two
	low := bits.TrailingZeros64(m)
	return layout{m, func(dst []uint64, key []byte) []uint64 {
		x := uint64(family.Sum(key))
		first, step := x>>(64-low), x<<(64-low)>>(64-low)|1
		for i := range uint64(hashes) {
			dst = append(dst, (first+i*step)%m)
		}
		return dst
	}}
}
