package attack

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"hash/fnv"
	"math/bits"
	"strconv"

	peer "github.com/bits-and-blooms/bloom/v3"
	"github.com/ipfs/bbloom"
	boom "github.com/tylertreat/BoomFilters"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

// The Bloom filters. Peers hash without a key, or with a default one.
var (
	classicTargets = append(bothFamilies(target{Structure: measure.Named("bloom"), layout: ourLayout, reopen: reopenOurs}),
		target{column: "bits-and-blooms", Structure: measure.Named("bits-and-blooms"), layout: peerLayout, reopen: reopenPeer},
		target{column: "boom", Structure: measure.Named("boom-bloom"), layout: boomLayout, reopen: reopenBoom},
		target{column: "bbloom", Structure: defaultBbloom(), layout: bbloomLayout, reopen: reopenBbloom},
	)
	blockedTargets = bothFamilies(target{Structure: measure.Named("bloom-blocked"), layout: ourLayout})
)

// defaultBbloom is bbloom under its fixed default key, as bbloom.New makes it.
// bbloom.NewWithKeys takes another one.
func defaultBbloom() measure.Structure {
	s := measure.Named("bbloom")
	s.Build = func(n uint64, rate float64, _ hashfam.Family) (*measure.Filter, error) {
		f, err := bbloom.New(float64(n), rate)
		return measure.Adapt(measure.Bbloom{Bloom: f}, err)
	}
	return s
}

var bloomBattle = Battle{"Bloom filters", []Attack{
	{Name: "pollute", Key: stops, on: classicTargets, try: pollute,
		About: "the adversary adds as many keys as the filter is made for, each of which sets only bits that are not set yet; the rate of false positives"},
	{Name: "pollute, blocked", Key: stops, on: blockedTargets, try: pollute,
		About: "the same in the Blocked layout"},
	{Name: "one line", Key: stops, on: blockedTargets, try: fillLine,
		About: "400 keys that lie in one cache line of a Blocked filter with 100 times as many keys as the others; the rate for keys of that line"},
	{Name: "forge", Knows: "members", Key: stops, on: classicTargets, try: forge,
		About: "keys that the adversary's own copy of the filter contains; the share that the filter contains, though none was added"},
	{Name: "forge by hash", Knows: "a member", Key: needless, on: classicTargets, try: forgeMurmur,
		About: "keys with the same 128 bits of MurmurHash3 as one member, computed backwards; the share that the filter contains"},
	{Name: "read file", Knows: "file", Key: stops, on: classicTargets, try: readFile,
		About: "the adversary opens a saved filter under the hash functions that the code has, and asks it for members; the share of them found"},
	{Name: "read with key", Knows: "file, key", Key: useless, on: classicTargets, try: readFileWithKey,
		About: "the same by someone who has the key"},
	{Name: "ask, repeat", Key: useless, on: classicTargets, try: repeat,
		About: "random keys are queried until enough false positives are found; the share of those found again in the same filter, or in another one of the same members and the same key"},
	{Name: "ask, new key", Key: stops, on: classicTargets, try: repeatRenewed,
		About: "the same after the filter was built again under another key, if it has one"},
}}

// pollute is the pollution of Gerbet, Kumar and Lauradoux (DSN 2015).
func pollute(d *duel) (honest, outcome float64) {
	fair := d.victim(d.members())
	l := d.layout(fair)
	set := make([]bool, l.bits)
	var positions []uint64
	keys := d.search(d.n, func(key []byte) bool {
		positions = l.of(positions[:0], key)
		return setAll(set, positions)
	})
	return d.falseRate(fair.Contains), d.falseRate(d.victim(keys).Contains)
}

// setAll sets bits, which must not be set and must differ. Otherwise it changes
// nothing and reports false.
func setAll(set []bool, positions []uint64) bool {
	for i, bit := range positions {
		if set[bit] {
			for _, undo := range positions[:i] {
				set[undo] = false
			}
			return false
		}
		set[bit] = true
	}
	return true
}

// lineKeys is how many keys an adversary sends to one line. An honest line has
// about 50.
const lineKeys = 400

// fillLine sends keys to the line of one key. The others are honest.
func fillLine(d *duel) (honest, outcome float64) {
	d.n = d.budget.members * d.budget.crowd
	fair := d.victim(d.members())
	l := d.layout(fair)
	positions := l.of(nil, d.random.next())
	line := positions[0] / lineBits
	inLine := func(key []byte) bool {
		positions = l.of(positions[:0], key)
		return positions[0]/lineBits == line
	}
	keys := d.search(lineKeys, inLine)
	spent := d.hashes
	probes := d.search(d.budget.forged, inLine)
	d.hashes = spent
	f := d.victim(append(keys, d.members()[len(keys):]...))
	return share(probes, fair.Contains), share(probes, f.Contains)
}

// forge finds false positives offline.
func forge(d *duel) (honest, outcome float64) {
	twin := d.twin(d.members())
	keys := d.search(d.budget.forged, twin.Contains)
	f := d.victim(d.members())
	return d.falseRate(f.Contains), share(keys, f.Contains)
}

// forgeMurmur adds a key of 32 bytes, and asks for others of the same hash.
func forgeMurmur(d *duel) (honest, outcome float64) {
	member := append(d.random.take(1)[0], d.random.take(1)[0]...)
	f := d.victim(append(d.members()[1:], member))
	keys := make([][]byte, d.budget.forged)
	for i := range keys {
		keys[i] = murmurTwin(member, d.random.next())
	}
	d.hashes = len(keys)
	return d.falseRate(f.Contains), share(keys, f.Contains)
}

// repeat finds false positives by asking, and asks again.
func repeat(d *duel) (honest, outcome float64) { return d.repeatUnder(d.secret) }

func repeatRenewed(d *duel) (honest, outcome float64) { return d.repeatUnder(d.renew) }

func (d *duel) repeatUnder(family hashfam.Family) (honest, outcome float64) {
	f := d.victim(d.members())
	keys := d.askFor(f, d.budget.collected)
	return d.falseRate(f.Contains), share(keys, d.filled(family, d.members()).Contains)
}

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

// A reopen saves a filter and opens the file as someone does who has family. It
// returns how to ask what was opened.
type reopen func(f *measure.Filter, family hashfam.Family) question

// readFile opens the file without the key.
func readFile(d *duel) (honest, outcome float64) { return d.readUnder(hashfam.Family{}) }

// readFileWithKey opens the file with the key.
func readFileWithKey(d *duel) (honest, outcome float64) { return d.readUnder(d.secret) }

func (d *duel) readUnder(family hashfam.Family) (honest, outcome float64) {
	contains := d.reopen(d.victim(d.members()), family)
	d.hashes = d.n
	return d.falseRate(contains), share(d.members(), contains)
}

// reopenOurs names family in the header of the frame, which otherwise could not
// be decoded under it. See docs/format.md.
func reopenOurs(f *measure.Filter, family hashfam.Family) question {
	frame := must(f.Set.(*bloom.Filter).MarshalBinary())
	const header = 64
	checksum := func(end int) uint32 { return crc32.Checksum(frame[:end], crc32.MakeTable(crc32.Castagnoli)) }
	binary.LittleEndian.PutUint64(frame[8:], family.CheckValue())
	binary.LittleEndian.PutUint32(frame[header-8:], checksum(header-8))
	binary.LittleEndian.PutUint32(frame[len(frame)-8:], checksum(len(frame)-8))
	opened := bloom.NewReceiver(family)
	must(opened, opened.UnmarshalBinary(frame))
	return opened.Contains
}

func reopenPeer(f *measure.Filter, _ hashfam.Family) question {
	opened := new(peer.BloomFilter)
	must(opened, opened.UnmarshalBinary(must(f.Set.(measure.PeerBloom).MarshalBinary())))
	return opened.Test
}

func reopenBoom(f *measure.Filter, _ hashfam.Family) question {
	var file bytes.Buffer
	must(f.Set.(measure.BoomBloom).WriteTo(&file))
	opened := new(boom.BloomFilter)
	must(opened.ReadFrom(&file))
	return opened.Test
}

func reopenBbloom(f *measure.Filter, _ hashfam.Family) question {
	return must(bbloom.JSONUnmarshal(f.Set.(measure.Bbloom).JSONMarshal())).Has
}
