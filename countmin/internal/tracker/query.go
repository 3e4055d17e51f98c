package tracker

import (
	"cmp"
	"iter"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// What panes know. A key may be known to any of them, and what they know of it
// is added up.

// An Estimate is what is known of how often a key was counted.
type Estimate struct{ Low, High uint64 }

func (e Estimate) plus(o Estimate) Estimate {
	return Estimate{AddSat(e.Low, o.Low), AddSat(e.High, o.High)}
}

// EstimateOf returns what panes know of the key with digest d, added up.
// O(panes) time.
func EstimateOf(panes []Tracker, d hashfam.Digest) (e Estimate) {
	if len(panes) == 1 && panes[0].total > 0 {
		return panes[0].estimate(d)
	}
	if panes == nil {
		Zero()
	}
	for i := range panes {
		if t := &panes[i]; t.total > 0 {
			e = e.plus(t.estimate(d))
		}
	}
	return e
}

// estimate returns what t, which has counted something, knows of the key with
// digest d.
func (t *Tracker) estimate(d hashfam.Digest) Estimate {
	if r := t.index.find(t.log, d); r != none {
		return t.estimateOf(r)
	}
	return Estimate{High: min(t.tail.count(d), t.missed)}
}

// estimateOf returns what is known of the key of r.
func (t *Tracker) estimateOf(r record) Estimate {
	if t.log.guess(r) == maxGuess {
		return Estimate{High: t.log.count(r)}
	}
	return Estimate{Low: t.log.exact(r), High: t.log.count(r)}
}

// Ranked yields the keys that any pane tracks and that count at least least in
// all of them, in falling order of their High and rising order of the keys, and
// of those the first few. It sorts them when it is called: O(r panes + r log r)
// time and O(r) memory for r records of all panes.
func Ranked(panes []Tracker, least uint64, few int) iter.Seq2[string, Estimate] {
	var items []item
	for i := range panes {
		items = appendItems(items, panes, i, least)
	}
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(b.e.High, a.e.High), cmp.Compare(a.key, b.key))
	})
	return func(yield func(string, Estimate) bool) {
		for _, i := range items[:min(few, len(items))] {
			if !yield(i.key, i.e) {
				return
			}
		}
	}
}

// An item is a tracked key with what is known of it.
type item struct {
	key string
	e   Estimate
}

// appendItems appends the keys that count at least least and that pane i is the
// first to track.
func appendItems(items []item, panes []Tracker, i int, least uint64) []item {
	var buf []byte
	t := &panes[i]
	for r := range t.log.all() {
		d := t.log.digest(r)
		if tracked(panes[:i], d) {
			continue
		}
		e := t.estimateOf(r).plus(EstimateOf(panes[:i], d)).plus(EstimateOf(panes[i+1:], d))
		if e.High >= least {
			buf = t.log.appendKey(buf[:0], r)
			items = append(items, item{string(buf), e})
		}
	}
	return items
}

// tracked reports whether any of panes has a record of the key with digest d.
func tracked(panes []Tracker, d hashfam.Digest) bool {
	for i := range panes {
		if t := &panes[i]; t.total > 0 && t.index.find(t.log, d) != none {
			return true
		}
	}
	return false
}
