package attack

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

// The filters that can delete.
var (
	countingTargets = append(bothFamilies(target{Structure: measure.Named("counting")}),
		target{column: "boom", Structure: measure.Named("boom-counting")})
	cuckooTargets = append(bothFamilies(target{Structure: measure.Named("cuckoo")}),
		target{column: "seiflotfy", Structure: measure.Named("seiflotfy-cuckoo")},
		target{column: "boom", Structure: measure.Named("boom-cuckoo")})
)

const (
	aboutDelete = "the adversary deletes a key that was never added, made so that one chosen member disappears; the share of members chosen that is lost"
	aboutAsk    = "random keys are queried until enough false positives are found, and these are deleted; members lost for each delete"
)

var countingBattle = Battle{"Counting filters", []Attack{
	{Name: "delete a member", Knows: "members", Key: stops, on: countingTargets, try: deleteVictims, About: aboutDelete},
	{Name: "ask, delete", Key: useless, on: countingTargets, Unit: Tenths, try: deleteFound, About: aboutAsk},
	{Name: "saturate", Key: needless, on: countingTargets, try: saturate,
		About: "a key is added 20 times and deleted 15 times; the share of such keys that is lost"},
	{Name: "stick", Key: useless, on: countingTargets, try: stick,
		About: "a key is added 15 times and deleted 15 times; the share of such keys still found"},
}}

var cuckooBattle = Battle{"Cuckoo filters", []Attack{
	{Name: "delete a member", Knows: "a member", Key: stops, on: cuckooTargets, try: deleteTwins, About: aboutDelete},
	{Name: "ask, delete", Key: useless, on: cuckooTargets, Unit: Tenths, try: deleteFound, About: aboutAsk},
	{Name: "crowd", Key: stops, on: cuckooTargets, Unit: Whole, try: crowd,
		About: "different keys with one fingerprint and one pair of buckets are added, and then random ones; the keys taken before an Add fails"},
	{Name: "copies", Key: useless, on: cuckooTargets, Unit: Whole, try: copies,
		About: "one key is added again and again; the copies taken before an Add fails"},
	{Name: "overfill", Key: needless, on: cuckooTargets, Unit: Hundredths, try: overfill,
		About: "random keys are added until many Adds have failed; the keys lost that an Add had taken, for each Add that failed"},
}}

// most returns nine tenths of the members: seiflotfy does not always take all
// that it is made for.
func (d *duel) most() [][]byte { return d.members()[:d.n*9/10] }

// deleteVictims finds for each victim a key that removes it from a twin of all
// members.
func deleteVictims(d *duel) (honest, outcome float64) {
	twin := d.twin(d.most())
	return d.deleteWith(func(victim []byte) question {
		return func(key []byte) bool { return removes(twin, key, victim) }
	})
}

// removes reports whether deleting key removes victim. Then it adds the key, as
// otherwise, so that nothing has changed.
func removes(f *measure.Filter, key, victim []byte) bool {
	if !f.Contains(key) || !f.Delete(key) {
		return false
	}
	gone := !f.Contains(victim)
	return f.Add(key) == nil && gone
}

// deleteTwins finds for each victim a key that a filter of that victim alone
// contains: it has the same fingerprint and the same buckets.
func deleteTwins(d *duel) (honest, outcome float64) {
	return d.deleteWith(func(victim []byte) question { return d.twin([][]byte{victim}).Contains })
}

// deleteWith searches a key for each of some victims, deletes it, and returns
// the share of victims that is lost.
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

// deleteFound deletes false positives found by asking.
func deleteFound(d *duel) (honest, outcome float64) {
	d.n *= 10 // so that few members are lost twice
	members := d.most()
	f := d.victim(members)
	keys := d.askFor(f, d.budget.collected)
	d.queries += len(keys)
	deleted := number(keys, f.Delete)
	lost := number(members, func(key []byte) bool { return !f.Contains(key) })
	return 0, float64(lost) / float64(deleted)
}

// saturate returns the share of keys lost that were added more often than
// deleted.
func saturate(d *duel) (honest, outcome float64) { return 0, 1 - d.addAndDelete(20, 15) }

// stick returns the share of keys still found that were deleted as often as
// added.
func stick(d *duel) (honest, outcome float64) { return d.addAndDelete(1, 1), d.addAndDelete(15, 15) }

// addAndDelete adds and deletes each of some keys and returns the share of them
// still found. Nothing else is in the filter.
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

// crowd adds nine keys that are one to the public hash functions.
func crowd(d *duel) (honest, outcome float64) {
	first := d.random.take(1)[0]
	keys := d.search(8, d.twin([][]byte{first}).Contains)
	return d.takes(nil), d.takes(append(keys, first))
}

// copies adds one key until an Add fails.
func copies(d *duel) (honest, outcome float64) {
	return d.takes(nil), d.takes(slices.Repeat(d.members()[:1], 100))
}

// takes returns how many keys an empty filter takes before an Add fails: the
// given ones and then random ones.
func (d *duel) takes(keys [][]byte) float64 {
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

// overfill adds keys until some Adds have failed.
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

const aboutGather = "the adversary chooses all keys, so that their hashes lie in a thousandth of the range; bits for each key"

var staticBattle = Battle{"Static filters", []Attack{
	{Name: "gather, static", Key: stops, on: bothFamilies(target{Structure: measure.Named("static")}), Unit: Tenths, try: gather, About: aboutGather},
	{Name: "gather, perfect", Key: stops, on: bothFamilies(target{Structure: measure.Named("perfect")}), Unit: Tenths, try: gather,
		About: "the same for a perfect.Filter"},
}}

const (
	gathered     = 1 << 10 // the parts of the range, one of which the keys are in
	gatheredKeys = 1000
)

// gather builds filters of keys whose places under the public family begin with
// the same bits.
func gather(d *duel) (honest, outcome float64) {
	d.n = gatheredKeys
	keys := d.search(d.n, func(key []byte) bool {
		return hashfam.Family{}.Sum(key).Probe().In(gathered) == 0
	})
	return d.bitsFor(d.members()), d.bitsFor(keys)
}

// bitsFor returns the bits for each key that the target takes.
func (d *duel) bitsFor(keys [][]byte) float64 {
	return 8 * float64(d.victim(keys).SizeBytes()) / float64(len(keys))
}
