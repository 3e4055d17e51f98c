package main

import (
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"math/bits"
	"strconv"
	"strings"

	peer "github.com/bits-and-blooms/bloom/v3"
	own "github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/ipfs/bbloom"
)

// A layout is what everyone knows who has the code of a Bloom filter: how many
// bits it has, and which of them a key sets. Without the key of a secret family
// it is that of the public one.
type layout struct {
	bits uint64
	of   func(dst []uint64, key []byte) []uint64
}

// The Bloom filters. Peers hash without a key, or with a default one.
var (
	classicTargets = append(bothFamilies(target{build: newBloom(own.Classic), layout: ourLayout, reopen: reopenOurs}),
		target{column: "bits-and-blooms", module: bitsModule, build: newPeerBloom, layout: peerLayout, reopen: reopenPeer},
		target{column: "boom", module: boomModule, build: newBoomBloom, layout: boomLayout, reopen: reopenBoom},
		target{column: "bbloom", module: bbloomModule, build: newDefaultBbloom, layout: bbloomLayout, reopen: reopenBbloom},
	)
	blockedTargets = bothFamilies(target{build: newBloom(own.Blocked), layout: ourLayout})
)

// ourLayout follows docs/format.md.
func ourLayout(f filter) layout {
	p := f.(bloomFilter).Params()
	lines := p.Bits / lineBits
	of := func(dst []uint64, key []byte) []uint64 {
		x := hashfam.Family{}.Sum(key).Probe()
		if p.Layout == own.Blocked {
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

func peerLayout(f filter) layout {
	p := f.(peerBloom)
	return layout{uint64(p.Cap()), func(dst []uint64, key []byte) []uint64 {
		for _, x := range peer.Locations(key, p.K()) {
			dst = append(dst, x%uint64(p.Cap()))
		}
		return dst
	}}
}

// boomLayout is double hashing with the halves of the 64-bit FNV-1.
func boomLayout(f filter) layout {
	b := f.(boomBloom)
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

// newDefaultBbloom makes a filter as bbloom.New does, under its fixed default
// key. bbloom.NewWithKeys takes another one.
func newDefaultBbloom(n uint64, rate float64, _ hashfam.Family) (filter, error) {
	f, err := bbloom.New(float64(n), rate)
	if err != nil {
		return nil, err
	}
	return bbloomFilter{f}, nil
}

// bbloomLayout is double hashing with the two parts of a SipHash-2-4 under the
// default key.
func bbloomLayout(f filter) layout {
	var key hashfam.Key
	binary.LittleEndian.PutUint64(key[:8], 0xdeadbeaf)
	binary.LittleEndian.PutUint64(key[8:], 0xfaebdaed)
	family := hashfam.New(key)
	var export struct{ FilterSet, SetLocs json.RawMessage }
	_ = json.Unmarshal(f.(bbloomFilter).JSONMarshal(), &export)
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

var bloomBattle = battle{"Bloom filters", []attack{
	{name: "pollute", key: stops, on: classicTargets, show: rateText, try: pollute,
		about: "the adversary adds as many keys as the filter is made for, each of which sets only bits that are not set yet; the rate of false positives"},
	{name: "pollute, blocked", key: stops, on: blockedTargets, show: rateText, try: pollute,
		about: "the same in the Blocked layout"},
	{name: "one line", key: stops, on: blockedTargets, show: rateText, try: fillLine,
		about: "400 keys that lie in one cache line of a Blocked filter with 100 times as many keys as the others; the rate for keys of that line"},
	{name: "forge", knows: "members", key: stops, on: classicTargets, show: rateText, try: forge,
		about: "keys that the adversary's own copy of the filter contains; the share that the filter contains, though none was added"},
	{name: "forge by hash", knows: "a member", key: needless, on: classicTargets, show: rateText, try: forgeMurmur,
		about: "keys with the same 128 bits of MurmurHash3 as one member, computed backwards; the share that the filter contains"},
	{name: "read file", knows: "file", key: stops, on: classicTargets, show: rateText, try: readFile,
		about: "the adversary opens a saved filter under the hash functions that the code has, and asks it for members; the share of them found"},
	{name: "read with key", knows: "file, key", key: useless, on: classicTargets, show: rateText, try: readFileWithKey,
		about: "the same by someone who has the key"},
	{name: "ask, repeat", key: useless, on: classicTargets, show: rateText, try: repeat,
		about: "random keys are queried until enough false positives are found; the share of those found again in the same filter, or in another one of the same members and the same key"},
	{name: "ask, new key", key: stops, on: classicTargets, show: rateText, try: repeatRenewed,
		about: "the same after the filter was built again under another key, if it has one"},
}}

func rateText(x float64) string { return strings.Replace(percent(x, 1), ".0%", "%", 1) }

// pollute is the pollution of Gerbet, Kumar and Lauradoux (DSN 2015).
func pollute(d *duel) (honest, outcome float64, err error) {
	fair, err := d.victim(d.members())
	if err != nil {
		return 0, 0, err
	}
	l := d.layout(fair)
	set := make([]bool, l.bits)
	var positions []uint64
	keys, err := d.searchAll(d.n, func(key []byte) bool {
		positions = l.of(positions[:0], key)
		return setAll(set, positions)
	})
	if err != nil {
		return 0, 0, err
	}
	f, err := d.victim(keys)
	if err != nil {
		return 0, 0, err
	}
	return d.falseRate(fair), d.falseRate(f), nil
}

// setAll sets bits, which must not be set and must differ. Otherwise it
// changes nothing and reports false.
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
func fillLine(d *duel) (honest, outcome float64, err error) {
	d.n = d.budget.members * d.budget.crowd
	fair, err := d.victim(d.members())
	if err != nil {
		return 0, 0, err
	}
	l := d.layout(fair)
	positions := l.of(nil, d.random.next())
	line := positions[0] / lineBits
	inLine := func(key []byte) bool {
		positions = l.of(positions[:0], key)
		return positions[0]/lineBits == line
	}
	keys, err := d.searchAll(lineKeys, inLine)
	if err != nil {
		return 0, 0, err
	}
	spent := d.hashes
	probes, err := d.searchAll(d.budget.forged, inLine)
	if err != nil {
		return 0, 0, err
	}
	d.hashes = spent
	honest = shareFound(fair, probes)
	f, err := d.victim(append(keys, d.members()[len(keys):]...))
	if err != nil {
		return 0, 0, err
	}
	return honest, shareFound(f, probes), nil
}

// forge finds false positives offline.
func forge(d *duel) (honest, outcome float64, err error) {
	twin, err := d.twin(d.members())
	if err != nil {
		return 0, 0, err
	}
	keys, err := d.searchAll(d.budget.forged, twin.Contains)
	if err != nil {
		return 0, 0, err
	}
	f, err := d.victim(d.members())
	if err != nil {
		return 0, 0, err
	}
	return d.falseRate(f), shareFound(f, keys), nil
}

// forgeMurmur adds a key of 32 bytes, and asks for others of the same hash.
func forgeMurmur(d *duel) (honest, outcome float64, err error) {
	member := append(d.random.take(1)[0], d.random.take(1)[0]...)
	f, err := d.victim(append(d.members()[1:], member))
	if err != nil {
		return 0, 0, err
	}
	keys := make([][]byte, d.budget.forged)
	for i := range keys {
		keys[i] = murmurTwin(member, d.random.next())
	}
	d.hashes = len(keys)
	return d.falseRate(f), shareFound(f, keys), nil
}

// repeat finds false positives by asking, and asks again.
func repeat(d *duel) (honest, outcome float64, err error) { return d.repeatUnder(d.secret) }

func repeatRenewed(d *duel) (honest, outcome float64, err error) { return d.repeatUnder(d.renew) }

func (d *duel) repeatUnder(family hashfam.Family) (honest, outcome float64, err error) {
	f, err := d.victim(d.members())
	if err != nil {
		return 0, 0, err
	}
	keys, err := d.askFor(f, d.budget.collected)
	if err != nil {
		return 0, 0, err
	}
	again, err := d.filled(family, d.members())
	if err != nil {
		return 0, 0, err
	}
	return d.falseRate(f), shareFound(again, keys), nil
}
