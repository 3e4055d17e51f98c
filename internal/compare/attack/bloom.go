package attack

import (
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
	s.Build = measure.NewDefaultBbloom
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
