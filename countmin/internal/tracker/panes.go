package tracker

import (
	"iter"
	"math"

	"github.com/filterfam/filterfam/hashfam"
)

// Panes are trackers of consecutive parts of a stream. A key may be known to
// any of them, and what they know of it is added up. A zero Tracker is a pane
// that has counted nothing.

// EstimateSum returns what panes know of the key with digest d, added up.
// O(panes) time.
func EstimateSum(panes []Tracker, d hashfam.Digest) Estimate {
	var sum Estimate
	for i := range panes {
		if panes[i].blank() {
			continue
		}
		e := panes[i].Estimate(d)
		sum.Count, sum.Low, sum.High = addSat(sum.Count, e.Count), addSat(sum.Low, e.Low), addSat(sum.High, e.High)
	}
	return sum
}

// RankedSum yields the keys that any pane tracks and that count at least least
// in all of them, in the order of [Tracker.Ranked]. O(r panes) time and O(r)
// memory for r records of all panes.
func RankedSum(panes []Tracker, least uint64) iter.Seq2[string, Estimate] {
	var items []item
	var buf []byte
	var earlier []*Tracker
	for i := range panes {
		t := &panes[i]
		if t.blank() {
			continue
		}
		for r := range t.log.all() {
			d := t.log.digest(r)
			if tracked(earlier, d) {
				continue
			}
			if e := EstimateSum(panes, d); e.Count >= least {
				buf = t.log.appendKey(buf[:0], r)
				items = append(items, item{string(buf), e})
			}
		}
		earlier = append(earlier, t)
	}
	return ranked(items, math.MaxInt)
}
