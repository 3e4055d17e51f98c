package attack

import (
	"slices"
	"sort"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

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

// inflate finds keys that cover a victim's counters. It adds them as often as
// honest users add their keys.
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

// cover returns keys that raise the victim's estimate in a twin, at least one
// per row. This needs only the structure's own methods. Random keys are tried
// in order: each key that is returned completes the shortest prefix that, with
// the keys already found, raises the estimate.
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
		cover, pool = append(cover, pool[n-1]), pool[:n-1]
	}
	return cover
}

// inflateByAsking adds random keys to the target. Keys that raise the victim's
// estimate are added again as long as this raises it, until all adds are used.
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

// The keys that a top-k should report.
const (
	floodTop   = 20
	floodEach  = 50
	floodError = 0.01
)

// flood adds frequent keys and then a number of others of a size, each of them
// several times. It returns the fraction of frequent keys that are not reported
// before and after. If unnoticed is set, it ignores losses when the structure
// reports that keys may be missing.
func flood(number, size, each int, unnoticed bool) func(d *duel) (before, after float64) {
	return func(d *duel) (before, after float64) {
		c, frequent := must(d.tally(nil, d.secret)), d.members()[:floodTop]
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
