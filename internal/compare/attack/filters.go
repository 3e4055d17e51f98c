package attack

import (
	"slices"
	"sort"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

// The filters with a Delete method.
var (
	countingTargets = ours(named("", "counting"), named("boom", "boom-counting"))
	cuckooTargets   = ours(named("", "cuckoo"), named("seiflotfy", "seiflotfy-cuckoo"), named("boom", "boom-cuckoo"))
)

const (
	aboutDelete = "the adversary deletes a key that was never added, chosen so that a certain member is lost; the percentage of these members lost"
	aboutAsk    = "random keys are queried until enough false positives are found, which are then deleted; members lost per delete"
)

var countingBattle = Battle{"Counting filters", []Attack{
	{Name: "delete a member", Knows: "members", Key: stops, on: countingTargets, try: deleteVictims, About: aboutDelete},
	{Name: "ask, delete", Key: useless, on: countingTargets, Unit: Tenths, try: deleteFound, About: aboutAsk},
	{Name: "saturate", Key: needless, on: countingTargets, try: func(d *duel) (float64, float64) { return 0, 1 - d.addAndDelete(20, 15) },
		About: "a key is added 20 times and deleted 15 times; the percentage of such keys lost"},
	{Name: "stick", Key: useless, on: countingTargets, try: func(d *duel) (float64, float64) { return d.addAndDelete(1, 1), d.addAndDelete(15, 15) },
		About: "a key is added 15 times and deleted 15 times; the percentage of such keys still found"},
}}

var cuckooBattle = Battle{"Cuckoo filters", []Attack{
	{Name: "delete a member", Knows: "a member", Key: stops, on: cuckooTargets, try: deleteTwins, About: aboutDelete},
	{Name: "ask, delete", Key: useless, on: cuckooTargets, Unit: Tenths, try: deleteFound, About: aboutAsk},
	{Name: "crowd", Key: stops, on: cuckooTargets, Unit: Whole, try: crowd,
		About: "keys with the same fingerprint and buckets are added, then random keys; the number of keys before an Add fails"},
	{Name: "copies", Key: useless, on: cuckooTargets, Unit: Whole, try: func(d *duel) (float64, float64) { return d.room(nil), d.room(slices.Repeat(d.members()[:1], 100)) },
		About: "the same key is added repeatedly; the number of copies before an Add fails"},
	{Name: "overfill", Key: needless, on: cuckooTargets, Unit: Hundredths, try: overfill,
		About: "random keys are added until many Adds have failed; the number of added keys that are lost per failed Add"},
}}

// most returns 90% of the members, because seiflotfy may refuse keys when it is
// nearly full.
func (d *duel) most() [][]byte { return d.members()[:d.n*9/10] }

// deleteVictims finds, for each victim, a key whose deletion removes the victim
// from a twin.
func deleteVictims(d *duel) (honest, outcome float64) {
	twin := d.twin(d.most())
	return d.deleteWith(func(victim []byte) question {
		return func(key []byte) bool {
			if !twin.Contains(key) || !twin.Delete(key) {
				return false
			}
			gone := !twin.Contains(victim)
			return twin.Add(key) == nil && gone // the twin is unchanged
		}
	})
}

// deleteTwins finds a key with each victim's fingerprint and buckets: a filter
// that contains only the victim contains this key, too.
func deleteTwins(d *duel) (honest, outcome float64) {
	return d.deleteWith(func(victim []byte) question { return d.twin([][]byte{victim}).Contains })
}

// deleteWith deletes a key for each victim. It returns the fraction of victims
// that are lost.
func (d *duel) deleteWith(removing func(victim []byte) question) (honest, outcome float64) {
	members := d.most()
	victims := members[:d.budget.victims]
	lost := share(victims, func(victim []byte) bool {
		key := d.search(1, removing(victim))[0]
		f := d.victim(members)
		f.Delete(key)
		return !f.Contains(victim)
	})
	d.hashes /= len(victims)
	d.queries = 1 // for each victim
	return 0, lost
}

// deleteFound deletes false positives that were found by queries.
func deleteFound(d *duel) (honest, outcome float64) {
	d.n *= 10 // few members should be lost twice
	members := d.most()
	f := d.victim(members)
	keys := d.askFor(f, d.budget.collected)
	d.queries += len(keys)
	deleted := number(keys, f.Delete)
	lost := number(members, func(key []byte) bool { return !f.Contains(key) })
	return 0, float64(lost) / float64(deleted)
}

// addAndDelete adds and deletes each key in an empty filter. It returns the
// fraction of keys that are still found.
func (d *duel) addAndDelete(adds, deletes int) float64 {
	f := d.victim(nil)
	keys := newKeySource(victimSeed).take(d.budget.victims)
	for _, key := range keys {
		for range adds {
			must(0, f.Add(key))
		}
		for range deletes {
			f.Delete(key)
		}
	}
	return share(keys, f.Contains)
}

// crowd adds nine keys with the same public fingerprint and buckets.
func crowd(d *duel) (honest, outcome float64) {
	first := d.random.take(1)[0]
	keys := d.search(8, d.twin([][]byte{first}).Contains)
	return d.room(nil), d.room(append(keys, first))
}

// room returns the number of keys that an empty filter accepts before an Add
// fails: the given keys first, and then random keys.
func (d *duel) room(keys [][]byte) float64 {
	f, others := d.victim(nil), newKeySource(absentSeed)
	for n := 0; ; n++ {
		key := others.next()
		if n < len(keys) {
			key = keys[n]
		}
		if f.Add(key) != nil {
			return float64(n)
		}
	}
}

// overfill adds keys until a number of Adds have failed.
func overfill(d *duel) (honest, outcome float64) {
	f := d.victim(nil)
	var taken [][]byte
	for failed := 0; failed < d.budget.collected; d.queries++ {
		if key := d.random.take(1)[0]; f.Add(key) == nil {
			taken = append(taken, key)
		} else {
			failed++
		}
	}
	lost := number(taken, func(key []byte) bool { return !f.Contains(key) })
	return 0, float64(lost) / float64(d.budget.collected)
}

const aboutGather = "the adversary chooses all keys so that their hashes lie in 1/1024 of the range; bits per key"

var staticBattle = Battle{"Static filters", []Attack{
	{Name: "gather, static", Key: stops, on: ours(named("", "static")), Unit: Tenths, try: gather, About: aboutGather},
	{Name: "gather, perfect", Key: stops, on: ours(named("", "perfect")), Unit: Tenths, try: gather,
		About: "the same for a perfect.Filter"},
}}

// gather builds filters from keys whose public hashes begin with the same bits.
func gather(d *duel) (honest, outcome float64) {
	d.n = 1000
	keys := d.search(d.n, func(key []byte) bool { return hashfam.Family{}.Sum(key).Probe().In(1<<10) == 0 })
	bits := func(keys [][]byte) float64 { return 8 * float64(d.victim(keys).SizeBytes()) / float64(d.n) }
	return bits(d.members()), bits(keys)
}

// The targets that count. Our top-k uses the same memory as boom's counters.
var (
	boomLibrary   = measure.Structure{Module: measure.Named("boom-bloom").Module}
	sketchTargets = ours(target{tally: measure.NewSketch(false)},
		target{column: "boom", Structure: boomLibrary, tally: measure.NewBoomSketch})
	topTargets = ours(target{tally: measure.NewTop(floodTop, int(measure.BoomBytes(floodError)))},
		target{column: "boom", Structure: boomLibrary, tally: measure.NewBoomTop(floodError, floodTop)})
)

var countBattle = Battle{"Counts", []Attack{
	{Name: "inflate", Key: stops, on: sketchTargets, try: inflate,
		About: "half of the added keys share counters with a victim; the estimate for the victim, which was never added, as a percentage of the total"},
	{Name: "ask, inflate", Key: useless, on: sketchTargets, try: inflateByAsking,
		About: "the adversary adds ten times as many keys as all others, and repeats the keys that raise the victim's estimate; the same percentage"},
	{Name: "flood", Key: needless, on: topTargets, try: flood(50_000, 16, 1, false),
		About: "50,000 keys are added once each; the percentage of 20 keys, added 50 times each, that a top-20 does not report"},
	{Name: "flood, long keys", Key: useless, on: topTargets, try: flood(600, 2000, floodEach-1, false),
		About: "600 keys of 2,000 bytes are added 49 times each; the same percentage"},
	{Name: "unnoticed", Key: needless, on: topTargets, try: flood(600, 2000, floodEach-1, true),
		About: "the same percentage, ignoring losses that the structure reports"},
}}

const (
	honestTotal = 10_000 // keys added by honest users
	askedTotal  = 10 * honestTotal
	victimsHit  = 3
)

// counting builds the target and adds the keys of honest users.
func (d *duel) counting() measure.Counter {
	c, members := must(d.tally(nil, d.secret)), d.members()
	for i := range honestTotal {
		c.Add(members[i%len(members)])
	}
	return c
}

// inflate finds keys that cover a victim's counters, and adds them as often as
// honest users add theirs.
func inflate(d *duel) (honest, outcome float64) {
	for _, victim := range newKeySource(victimSeed).take(victimsHit) {
		cover := d.cover(victim)
		c := d.counting()
		honest += float64(c.Count(victim)) / honestTotal / victimsHit
		for i := range honestTotal {
			c.Add(cover[i%len(cover)])
		}
		outcome += float64(c.Count(victim)) / (2 * honestTotal) / victimsHit
	}
	d.hashes /= victimsHit
	return honest, outcome
}

// cover returns a few keys that together raise the victim's estimate in a twin,
// the adversary's copy of the structure, because in each row, one of these keys
// changes the victim's counter. cover first draws a pool of random keys that
// raises the estimate. Then it searches for the shortest prefix of the pool
// that raises the estimate together with the keys selected so far, and selects
// the last key of this prefix. It repeats this until the selected keys raise
// the estimate alone.
func (d *duel) cover(victim []byte) [][]byte {
	raises := func(keys [][]byte) bool {
		d.hashes += len(keys)
		c := must(d.tally(nil, hashfam.Family{}))
		for _, key := range keys {
			c.Add(key)
		}
		return c.Count(victim) > 0
	}
	pool := d.random.take(1 << 10)
	for !raises(pool) {
		pool = append(pool, d.random.take(len(pool))...)
	}
	var cover [][]byte
	for !raises(cover) {
		n := sort.Search(len(pool), func(n int) bool { return raises(slices.Concat(cover, pool[:n])) })
		cover = append(cover, pool[n-1])
		pool = pool[:n-1]
	}
	return cover
}

// inflateByAsking adds random keys to the target. Keys that raise the victim's
// estimate are added again as long as they do.
func inflateByAsking(d *duel) (honest, outcome float64) {
	victim := newKeySource(victimSeed).take(1)[0]
	c := d.counting()
	honest = float64(c.Count(victim)) / honestTotal
	raises := func(key []byte) bool {
		before := c.Count(victim)
		c.Add(key)
		d.queries += 2
		return c.Count(victim) > before
	}
	var known [][]byte
	for d.queries < 2*askedTotal {
		if slices.ContainsFunc(known, raises) {
			continue
		}
		for d.queries < 2*askedTotal {
			if key := d.random.take(1)[0]; raises(key) {
				known = append(known, key)
				break
			}
		}
	}
	return honest, float64(c.Count(victim)) / (honestTotal + askedTotal)
}

// The number of keys that a top-k should report, the number of times that each
// is added, and the error with which boom is configured.
const (
	floodTop   = 20
	floodEach  = 50
	floodError = 0.01
)

// flood returns an attack that adds frequent keys and then a number of other
// keys with the given size, each of them several times. The attack returns the
// fraction of frequent keys that are not reported, before and after the other
// keys are added. If unnoticed is set, the second fraction is 0 if the
// structure reports that keys may be missing.
func flood(number, size, each int, unnoticed bool) func(d *duel) (before, after float64) {
	return func(d *duel) (before, after float64) {
		c := must(d.tally(nil, d.secret))
		frequent := d.members()[:floodTop]
		count := func(keys [][]byte, each int) (missing float64) {
			for range each {
				for _, key := range keys {
					c.Add(key)
				}
			}
			reported := c.Report()
			return share(frequent, func(key []byte) bool { return !slices.Contains(reported, string(key)) })
		}
		before = count(frequent, floodEach)
		keys := d.random.take(number)
		for i := range keys {
			keys[i] = append(keys[i], make([]byte, size-len(keys[i]))...)
		}
		after = count(keys, each)
		d.queries += number * each
		if unnoticed && c.Complete != nil && !c.Complete() {
			after = 0
		}
		return before, after
	}
}
