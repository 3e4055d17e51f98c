package attack

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
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

// deleteVictims uses a twin of all members. For each victim it finds a key
// whose deletion removes the victim.
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

// deleteTwins finds a key for each victim that has the same fingerprint and
// buckets: a filter that contains only the victim contains this key, too.
func deleteTwins(d *duel) (honest, outcome float64) {
	return d.deleteWith(func(victim []byte) question { return d.twin([][]byte{victim}).Contains })
}

// deleteWith finds and deletes a key for each victim. It returns the fraction
// of victims that are lost.
func (d *duel) deleteWith(removing func(victim []byte) question) (honest, outcome float64) {
	members := d.most()
	victims := members[:d.budget.victims]
	lost := number(victims, func(victim []byte) bool {
		key := d.search(1, removing(victim))[0]
		f := d.victim(members)
		f.Delete(key)
		d.queries++
		return !f.Contains(victim)
	})
	d.hashes /= len(victims)
	d.queries /= len(victims)
	return 0, float64(lost) / float64(len(victims))
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

// crowd adds nine keys that have the same fingerprint and buckets with the
// public family.
func crowd(d *duel) (honest, outcome float64) {
	first := d.random.take(1)[0]
	keys := d.search(8, d.twin([][]byte{first}).Contains)
	return d.room(nil), d.room(append(keys, first))
}

// room returns the number of keys that an empty filter accepts before an Add
// fails. It adds the given keys first and then random keys.
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

// gather builds filters from keys whose hashes begin with the same bits when
// the public family is used.
func gather(d *duel) (honest, outcome float64) {
	d.n = 1000
	keys := d.search(d.n, func(key []byte) bool { return hashfam.Family{}.Sum(key).Probe().In(1<<10) == 0 })
	bits := func(keys [][]byte) float64 { return 8 * float64(d.victim(keys).SizeBytes()) / float64(d.n) }
	return bits(d.members()), bits(keys)
}
