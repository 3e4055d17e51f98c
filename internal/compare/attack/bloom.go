package attack

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"hash/fnv"
	"math/bits"
	"slices"

	peer "github.com/bits-and-blooms/bloom/v3"
	"github.com/ipfs/bbloom"
	boom "github.com/tylertreat/BoomFilters"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

// The Bloom filters. The other libraries hash without a key or with a default
// key, for example bbloom.New, although bbloom.NewWithKeys can use another.
var (
	classicTargets = ours(target{Structure: measure.Named("bloom"), layout: ourLayout, reopen: reopenOurs},
		target{column: "bits-and-blooms", Structure: measure.Named("bits-and-blooms"), layout: peerLayout, reopen: reopenGob(new(peer.BloomFilter))},
		target{column: "boom", Structure: measure.Named("boom-bloom"), layout: boomLayout, reopen: reopenGob(new(boom.BloomFilter))},
		target{column: "bbloom", layout: bbloomLayout, reopen: reopenBbloom,
			Structure: measure.Structure{Module: measure.Named("bbloom").Module, Build: buildBbloom}},
	)
	blockedTargets = ours(target{Structure: measure.Named("bloom-blocked"), layout: ourLayout})
)

func buildBbloom(n uint64, rate float64, _ hashfam.Family) (*measure.Filter, error) {
	return measure.Bbloom(bbloom.New(float64(n), rate))
}

func reopenBbloom(f *measure.Filter, _ hashfam.Family) question {
	return must(bbloom.JSONUnmarshal(f.Inner.(*bbloom.Bloom).JSONMarshal())).Has
}

var bloomBattle = Battle{"Bloom filters", []Attack{
	{Name: "pollute", Key: stops, on: classicTargets, try: pollute,
		About: "the adversary fills the filter with keys that set only bits that are still zero; the false-positive rate"},
	{Name: "pollute, blocked", Key: stops, on: blockedTargets, try: pollute,
		About: "the same for the Blocked layout"},
	{Name: "one line", Key: stops, on: blockedTargets, try: fillLine,
		About: "400 keys are added to one cache line of a Blocked filter, which is 100 times as large as the others; the rate for keys in that line"},
	{Name: "forge", Knows: "members", Key: stops, on: classicTargets, try: forge,
		About: "the adversary finds false positives in a copy of the filter; the percentage that the filter contains, too"},
	{Name: "forge by hash", Knows: "a member", Key: needless, on: classicTargets, try: forgeMurmur,
		About: "keys are computed that have the same 128-bit MurmurHash3 as a member; the percentage that the filter contains"},
	{Name: "read file", Knows: "file", Key: stops, on: classicTargets, try: func(d *duel) (float64, float64) { return d.readUnder(hashfam.Family{}) },
		About: "the adversary opens a saved filter with the hash functions in the code and looks up its members; the percentage found"},
	{Name: "read with key", Knows: "file, key", Key: useless, on: classicTargets, try: func(d *duel) (float64, float64) { return d.readUnder(d.secret) },
		About: "the same for someone who has the key"},
	{Name: "ask, repeat", Key: useless, on: classicTargets, try: func(d *duel) (float64, float64) { return d.repeatUnder(d.secret) },
		About: "random keys are queried until enough false positives are found; the percentage found again in a filter with the same members and the same key"},
	{Name: "ask, new key", Key: stops, on: classicTargets, try: func(d *duel) (float64, float64) { return d.repeatUnder(d.renew) },
		About: "the same after the filter was rebuilt under another key, if it has one"},
}}

// pollute is the pollution attack of Gerbet, Kumar and Lauradoux (DSN 2015).
func pollute(d *duel) (honest, outcome float64) {
	fair := d.victim(d.members())
	positions, set := d.layout(fair), make(map[uint64]bool)
	keys := d.search(d.n, func(key []byte) bool {
		bits := positions(key)
		for i, bit := range bits {
			if set[bit] || slices.Contains(bits[:i], bit) {
				return false
			}
		}
		for _, bit := range bits {
			set[bit] = true
		}
		return true
	})
	return d.falseRate(fair.Contains), d.falseRate(d.victim(keys).Contains)
}

// fillLine sends keys to the same cache line, which would otherwise receive
// about 50. The other keys are honest.
func fillLine(d *duel) (honest, outcome float64) {
	const lineKeys = 400
	d.n = 100 * d.budget.members
	fair := d.victim(d.members())
	positions := d.layout(fair)
	line := positions(d.random.next())[0] / lineBits
	inLine := func(key []byte) bool { return positions(key)[0]/lineBits == line }
	keys := d.search(lineKeys, inLine)
	spent := d.hashes
	probes := d.search(d.budget.forged, inLine)
	d.hashes = spent
	f := d.victim(append(keys, d.members()[len(keys):]...))
	return share(probes, fair.Contains), share(probes, f.Contains)
}

// forge finds false positives offline, using a twin of the filter.
func forge(d *duel) (honest, outcome float64) {
	twin := d.twin(d.members())
	keys := d.search(d.budget.forged, twin.Contains)
	f := d.victim(d.members())
	return d.falseRate(f.Contains), share(keys, f.Contains)
}

// forgeMurmur adds a 32-byte key and queries others with the same hash.
func forgeMurmur(d *duel) (honest, outcome float64) {
	member := bytes.Join(d.random.take(2), nil)
	f := d.victim(append(d.members()[1:], member))
	keys := make([][]byte, d.budget.forged)
	for i := range keys {
		keys[i] = murmurTwin(member, d.random.next())
	}
	d.hashes = len(keys)
	return d.falseRate(f.Contains), share(keys, f.Contains)
}

// repeatUnder finds false positives by queries, and queries them again in a
// filter with the same members that uses family.
func (d *duel) repeatUnder(family hashfam.Family) (honest, outcome float64) {
	f := d.victim(d.members())
	keys := d.askFor(f, d.budget.collected)
	return d.falseRate(f.Contains), share(keys, d.filled(family, d.members()).Contains)
}

// A layout returns the bits that a key sets in a Bloom filter with the public
// family. The result can be used until the next call.
type layout func(key []byte) []uint64

const lineBits = 512 // of a cache line

// ourLayout follows docs/format.md.
func ourLayout(f *measure.Filter) layout {
	p := f.Inner.(*bloom.Filter).Params()
	bits := make([]uint64, p.Hashes)
	return func(key []byte) []uint64 {
		x := hashfam.Family{}.Sum(key).Probe()
		line := x.In(p.Bits/lineBits) * lineBits
		for i := range bits {
			if p.Layout == bloom.Blocked {
				x = x.Next()
				bits[i] = line + uint64(x)>>55
			} else {
				bits[i] = x.In(p.Bits)
				x = x.Next()
			}
		}
		return bits
	}
}

func peerLayout(f *measure.Filter) layout {
	p := f.Inner.(*peer.BloomFilter)
	return func(key []byte) []uint64 {
		bits := peer.Locations(key, p.K())
		for i := range bits {
			bits[i] %= uint64(p.Cap())
		}
		return bits
	}
}

// boomLayout uses double hashing with the two halves of the 64-bit FNV-1 hash.
func boomLayout(f *measure.Filter) layout {
	b, hash := f.Inner.(*boom.BloomFilter), fnv.New64()
	bits := make([]uint64, b.K())
	return func(key []byte) []uint64 {
		hash.Reset()
		hash.Write(key)
		x := hash.Sum64()
		for i := range bits {
			bits[i] = (x&0xFFFFFFFF + x>>32*uint64(i)) % uint64(b.Capacity())
		}
		return bits
	}
}

// bbloomLayout uses double hashing with parts of SipHash-2-4 and a default key.
func bbloomLayout(f *measure.Filter) layout {
	var key hashfam.Key
	binary.LittleEndian.PutUint64(key[:8], 0xdeadbeaf)
	binary.LittleEndian.PutUint64(key[8:], 0xfaebdaed)
	family := hashfam.New(key)
	var export struct{ SetLocs int }
	_ = json.Unmarshal(f.Inner.(*bbloom.Bloom).JSONMarshal(), &export)
	m := 8 * f.SizeBytes() // a power of two
	low := 64 - bits.Len64(m-1)
	positions := make([]uint64, export.SetLocs)
	return func(key []byte) []uint64 {
		x := uint64(family.Sum(key))
		for i := range positions {
			positions[i] = (x>>low + uint64(i)*(x<<low>>low|1)) % m
		}
		return positions
	}
}

// A reopen function saves a filter and opens the file using family. It returns
// the lookup function of the opened filter.
type reopen func(f *measure.Filter, family hashfam.Family) question

// readUnder opens a saved filter using family and looks up its members.
func (d *duel) readUnder(family hashfam.Family) (honest, outcome float64) {
	contains := d.reopen(d.victim(d.members()), family)
	d.hashes = d.n
	return d.falseRate(contains), share(d.members(), contains)
}

// reopenOurs opens the filter with any family. Since decoding returns an error
// for another family, reopenOurs copies the bits that follow the frame header
// (see docs/format.md) to a new filter.
func reopenOurs(f *measure.Filter, family hashfam.Family) question {
	frame, p := must(f.Inner.(*bloom.Filter).MarshalBinary()), f.Inner.(*bloom.Filter).Params()
	words := make([]uint64, (p.Bits+63)/64)
	must(binary.Decode(frame[64:], binary.LittleEndian, words))
	p.Family = family
	return must(bloom.FromWords(p, words)).Contains
}

// reopenGob opens a file that was encoded with package gob.
func reopenGob[F interface {
	gob.GobEncoder
	gob.GobDecoder
	Test(key []byte) bool
}](opened F) reopen {
	return func(f *measure.Filter, _ hashfam.Family) question {
		must(opened, opened.GobDecode(must(f.Inner.(F).GobEncode())))
		return opened.Test
	}
}

const (
	murmurC1 = 0x87c37b91114253d5
	murmurC2 = 0x4cf5ad432745937f
	murmurN1 = 0x52dce729
	murmurN2 = 0x38495ab5
	// The inverses of murmurC1, murmurC2 and 5 modulo 2^64.
	inverseC1 = 0xa98409e882ce4d7d
	inverseC2 = 0xa81e14edd9de2c7f
	inverse5  = 0xcccccccccccccccd
)

// A murmur is the state of MurmurHash3_x64_128 between two 16-byte blocks. For
// any two states, the block that leads from one to the other can be computed
// (Aumasson and Bernstein, INDOCRYPT 2012, on MurmurHash3 with any seed).
type murmur struct{ h1, h2 uint64 }

func (m murmur) after(k1, k2 uint64) murmur {
	m.h1 ^= bits.RotateLeft64(k1*murmurC1, 31) * murmurC2
	m.h1 = (bits.RotateLeft64(m.h1, 27)+m.h2)*5 + murmurN1
	m.h2 ^= bits.RotateLeft64(k2*murmurC2, 33) * murmurC1
	m.h2 = (bits.RotateLeft64(m.h2, 31)+m.h1)*5 + murmurN2
	return m
}

// to returns the block that leads from m to the state t.
func (m murmur) to(t murmur) (k1, k2 uint64) {
	mixed := bits.RotateLeft64((t.h1-murmurN1)*inverse5-m.h2, -27) ^ m.h1
	k1 = bits.RotateLeft64(mixed*inverseC2, -31) * inverseC1
	mixed = bits.RotateLeft64((t.h2-murmurN2)*inverse5-t.h1, -31) ^ m.h2
	k2 = bits.RotateLeft64(mixed*inverseC1, -33) * inverseC2
	return k1, k2
}

// murmurTwin returns another key with the same MurmurHash3 (with seed 0) as
// key. Both have 32 bytes, and the result begins with the 16 bytes of first.
// The hashes are also equal when the same suffix is appended to both keys.
func murmurTwin(key, first []byte) []byte {
	word := binary.LittleEndian.Uint64
	goal := murmur{}.after(word(key), word(key[8:])).after(word(key[16:]), word(key[24:]))
	k1, k2 := murmur{}.after(word(first), word(first[8:])).to(goal)
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(bytes.Clone(first), k1), k2)
}
