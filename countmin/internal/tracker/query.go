package tracker

import (
	"cmp"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// An Estimate contains the bounds of the key's count.
type Estimate struct{ Low, High uint64 }

func (e Estimate) plus(o Estimate) Estimate {
	return Estimate{sizing.SaturatingAdd(e.Low, o.Low), sizing.SaturatingAdd(e.High, o.High)}
}

// EstimateOf returns the sum of all panes' estimates of the key with digest d.
func EstimateOf(panes []Tracker, d hashfam.Digest) (e Estimate) {
	if len(panes) == 1 && panes[0].total > 0 {
		return panes[0].estimate(d)
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
	return Estimate{Low: t.log.exact(r), High: t.log.count(r)}
}

// sumOf adds up a number over all panes.
func sumOf(panes []Tracker, number func(*Tracker) uint64) (sum uint64) {
	for i := range panes {
		sum = sizing.SaturatingAdd(sum, number(&panes[i]))
	}
	return sum
}

// TotalOf returns the sum of all counts.
func TotalOf(panes []Tracker) uint64 { return sumOf(panes, (*Tracker).Total) }

// An Item is a tracked key and its estimate.
type Item struct {
	Key string
	Estimate
}

// Ranked returns the tracked keys of all panes whose High, summed over all
// panes, is not below least. They are sorted by descending High and then by
// ascending key. If there are more than few such keys, Ranked returns the first
// few. The result next is the highest High of all other tracked keys, or 0 if
// there are none. Ranked runs in O(r p + r log r) time and O(r) memory for p
// panes with r records in total.
func Ranked(panes []Tracker, least uint64, few int) (items []Item, next uint64) {
	for i := range panes {
		t := &panes[i]
		for r := range t.log.all() {
			d := t.log.digest(r)
			if tracked(panes[:i], d) {
				continue // an earlier pane has added this key
			}
			e := t.estimateOf(r).plus(EstimateOf(panes[:i], d)).plus(EstimateOf(panes[i+1:], d))
			if e.High < least {
				next = max(next, e.High)
				continue
			}
			items = append(items, Item{string(t.log.key(r)), e})
		}
	}
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(b.High, a.High), cmp.Compare(a.Key, b.Key))
	})
	if len(items) > few {
		return items[:few], items[few].High
	}
	return items, next
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
