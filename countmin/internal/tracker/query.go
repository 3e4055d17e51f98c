package tracker

import (
	"cmp"
	"iter"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// An Estimate contains the bounds of the key's count.
type Estimate struct{ Low, High uint64 }

func (e Estimate) plus(o Estimate) Estimate {
	return Estimate{sizing.AddSat(e.Low, o.Low), sizing.AddSat(e.High, o.High)}
}

// EstimateOf returns the sum of all panes' estimates of the key with digest d.
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

// estimate returns the estimate of the key with digest d. t must have counted
// something.
func (t *Tracker) estimate(d hashfam.Digest) Estimate {
	if r := t.index.find(t.log, d); r != none {
		return t.estimateOf(r)
	}
	return Estimate{High: min(t.tail.count(d), t.missed)}
}

// estimateOf returns the estimate of r's key.
func (t *Tracker) estimateOf(r record) Estimate {
	if t.log.guess(r) == maxGuess {
		return Estimate{High: t.log.count(r)}
	}
	return Estimate{Low: t.log.exact(r), High: t.log.count(r)}
}

// An item is a tracked key and its estimate.
type item struct {
	key string
	Estimate
}

// Ranked yields the keys that any pane tracks and whose High, over all panes,
// is not below least. It sorts them by descending High and then by ascending
// key, and yields only the first few. The keys are sorted when Ranked is
// called, in O(r panes + r log r) time and O(r) memory for r records in all
// panes.
func Ranked(panes []Tracker, least uint64, few int) iter.Seq2[string, Estimate] {
	var items []item
	for i := range panes {
		items = appendItems(items, panes, i, least)
	}
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(b.High, a.High), cmp.Compare(a.key, b.key))
	})
	return func(yield func(string, Estimate) bool) {
		for _, i := range items[:min(few, len(items))] {
			if !yield(i.key, i.Estimate) {
				return
			}
		}
	}
}

// appendItems appends the keys whose High is not below least and for which pane
// i is the first pane that tracks them.
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

// tracked reports whether any pane has a record of the key with digest d.
func tracked(panes []Tracker, d hashfam.Digest) bool {
	for i := range panes {
		if t := &panes[i]; t.total > 0 && t.index.find(t.log, d) != none {
			return true
		}
	}
	return false
}
