package main

import "fmt"

// The filters that can delete.
var (
	countingTargets = append(bothFamilies(target{build: newCounting}), target{column: "boom", module: boomModule, build: newPeerCounting})
	cuckooTargets   = append(bothFamilies(target{build: newCuckoo(false)}),
		target{column: "seiflotfy", module: seiflotfyModule, build: newSeiflotfy},
		target{column: "boom", module: boomModule, build: newBoomCuckoo})
)

const (
	aboutDelete = "the adversary deletes a key that was never added, made so that one chosen member disappears; the share of members chosen that is lost"
	aboutAsk    = "random keys are queried until enough false positives are found, and these are deleted; members lost for each delete"
)

var countingBattle = battle{"Counting filters", []attack{
	{name: "delete a member", knows: "members", key: stops, on: countingTargets, show: rateText, try: deleteVictims, about: aboutDelete},
	{name: "ask, delete", key: useless, on: countingTargets, show: tenths, try: deleteFound, about: aboutAsk},
	{name: "saturate", key: needless, on: countingTargets, show: rateText, try: saturate,
		about: "a key is added 20 times and deleted 15 times; the share of such keys that is lost"},
	{name: "stick", key: useless, on: countingTargets, show: rateText, try: stick,
		about: "a key is added 15 times and deleted 15 times; the share of such keys still found"},
}}

var cuckooBattle = battle{"Cuckoo filters", []attack{
	{name: "delete a member", knows: "a member", key: stops, on: cuckooTargets, show: rateText, try: deleteTwins, about: aboutDelete},
	{name: "ask, delete", key: useless, on: cuckooTargets, show: tenths, try: deleteFound, about: aboutAsk},
	{name: "crowd", key: stops, on: cuckooTargets, show: whole, try: crowd,
		about: "different keys with one fingerprint and one pair of buckets are added, and then random ones; the keys taken before an Add fails"},
	{name: "copies", key: useless, on: cuckooTargets, show: whole, try: copies,
		about: "one key is added again and again; the copies taken before an Add fails"},
	{name: "overfill", key: needless, on: cuckooTargets, show: hundredths, try: overfill,
		about: "random keys are added until many Adds have failed; the keys lost that an Add had taken, for each Add that failed"},
}}

func tenths(x float64) string { return fmt.Sprintf("%.1f", x) }
func whole(x float64) string  { return thousands(uint64(x)) }

// deletables returns the target and the adversary's twin of it, with keys.
func (d *duel) deletables(keys [][]byte) (victim, twin deletable, err error) {
	v, err := d.victim(keys)
	if err != nil {
		return nil, nil, err
	}
	t, err := d.twin(keys)
	if err != nil {
		return nil, nil, err
	}
	return v.(deletable), t.(deletable), nil
}

// most returns nine tenths of the members: seiflotfy does not always take all
// that it is made for.
func (d *duel) most() [][]byte { return d.members()[:d.n*9/10] }

// deleteVictims finds for each victim a key that removes it from a twin of all
// members.
func deleteVictims(d *duel) (honest, outcome float64, err error) {
	_, twin, err := d.deletables(d.most())
	if err != nil {
		return 0, 0, err
	}
	return d.deleteWith(func(victim []byte) ([]byte, error) {
		return d.search(func(key []byte) bool { return removes(twin, key, victim) })
	})
}

// removes reports whether deleting key removes victim. Then it adds the key, as
// otherwise, so that nothing has changed.
func removes(f deletable, key, victim []byte) bool {
	if !f.Contains(key) || !f.Delete(key) {
		return false
	}
	gone := !f.Contains(victim)
	return f.Add(key) == nil && gone
}

// deleteTwins finds for each victim a key that a filter of that victim alone
// contains: it has the same fingerprint and the same buckets.
func deleteTwins(d *duel) (honest, outcome float64, err error) {
	return d.deleteWith(func(victim []byte) ([]byte, error) {
		twin, err := d.twin([][]byte{victim})
		if err != nil {
			return nil, err
		}
		return d.search(twin.Contains)
	})
}

// deleteWith deletes the key that forge makes for each of some victims, and
// returns the share of them that is lost.
func (d *duel) deleteWith(forge func(victim []byte) ([]byte, error)) (honest, outcome float64, err error) {
	members := d.most()
	victims := members[:d.budget.victims]
	lost := 0
	for _, victim := range victims {
		key, err := forge(victim)
		if err != nil {
			return 0, 0, err
		}
		f, _, err := d.deletables(members)
		if err != nil {
			return 0, 0, err
		}
		f.Delete(key)
		d.queries++
		if !f.Contains(victim) {
			lost++
		}
	}
	d.hashes /= len(victims)
	d.queries /= len(victims)
	return 0, float64(lost) / float64(len(victims)), nil
}

// deleteFound deletes false positives found by asking.
func deleteFound(d *duel) (honest, outcome float64, err error) {
	d.n *= 10 // so that few members are lost twice
	members := d.most()
	f, _, err := d.deletables(members)
	if err != nil {
		return 0, 0, err
	}
	keys, err := d.askFor(f, d.budget.collected)
	if err != nil {
		return 0, 0, err
	}
	d.queries += len(keys)
	deleted := number(keys, f.Delete)
	lost := number(members, func(key []byte) bool { return !f.Contains(key) })
	return 0, float64(lost) / float64(deleted), nil
}

// saturate returns the share of keys lost that were added more often than
// deleted.
func saturate(d *duel) (honest, outcome float64, err error) {
	found, err := d.addAndDelete(20, 15)
	return 0, 1 - found, err
}

// stick returns the share of keys still found that were deleted as often as
// added.
func stick(d *duel) (honest, outcome float64, err error) {
	if honest, err = d.addAndDelete(1, 1); err != nil {
		return 0, 0, err
	}
	outcome, err = d.addAndDelete(15, 15)
	return honest, outcome, err
}

// addAndDelete adds and deletes each of some keys and returns the share of them
// still found. Nothing else is in the filter.
func (d *duel) addAndDelete(adds, deletes int) (float64, error) {
	f, _, err := d.deletables(nil)
	if err != nil {
		return 0, err
	}
	keys := newKeySource(victimSeed).take(d.budget.victims)
	for _, key := range keys {
		for range adds {
			if err := f.Add(key); err != nil {
				return 0, err
			}
		}
		for range deletes {
			f.Delete(key)
		}
	}
	return shareFound(f, keys), nil
}

// crowd adds nine keys that are one to the public hash functions.
func crowd(d *duel) (honest, outcome float64, err error) {
	first := d.random.take(1)[0]
	twin, err := d.twin([][]byte{first})
	if err != nil {
		return 0, 0, err
	}
	keys, err := d.searchAll(8, twin.Contains)
	if err != nil {
		return 0, 0, err
	}
	if honest, err = d.takes(nil); err != nil {
		return 0, 0, err
	}
	outcome, err = d.takes(append(keys, first))
	return honest, outcome, err
}

// takes returns how many keys an empty filter takes before an Add fails: the
// given ones and then random ones.
func (d *duel) takes(keys [][]byte) (float64, error) {
	f, err := d.victim(nil)
	if err != nil {
		return 0, err
	}
	others := newKeySource(absentSeed)
	for n := 0; ; n++ {
		key := others.next()
		if n < len(keys) {
			key = keys[n]
		}
		if f.Add(key) != nil {
			return float64(n), nil
		}
	}
}

// copies adds one key until an Add fails.
func copies(d *duel) (honest, outcome float64, err error) {
	if honest, err = d.takes(nil); err != nil {
		return 0, 0, err
	}
	same := make([][]byte, 100)
	for i := range same {
		same[i] = d.members()[0]
	}
	outcome, err = d.takes(same)
	return honest, outcome, err
}

// overfill adds keys until some Adds have failed.
func overfill(d *duel) (honest, outcome float64, err error) {
	f, err := d.victim(nil)
	if err != nil {
		return 0, 0, err
	}
	var taken [][]byte
	for failed := 0; failed < d.budget.collected; d.queries++ {
		if key := d.random.take(1)[0]; f.Add(key) == nil {
			taken = append(taken, key)
		} else {
			failed++
		}
	}
	lost := number(taken, func(key []byte) bool { return !f.Contains(key) })
	return 0, float64(lost) / float64(d.budget.collected), nil
}
