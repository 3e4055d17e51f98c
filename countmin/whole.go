package countmin

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// observeAll counts every key once. It hashes a block of keys before it
// touches memory.
func observeAll(t *tracker, fam hashfam.Family, keys [][]byte) {
	var buf [batch]hashfam.Digest
	for len(keys) > 0 {
		n := min(len(keys), batch)
		for i, d := range fam.SumAll(buf[:0], keys[:n]) {
			observe(t, d, keys[i], 1)
		}
		keys = keys[n:]
	}
}

// estimateAll appends what is known of each key.
func estimateAll(t *tracker, fam hashfam.Family, dst []Estimate, keys [][]byte) []Estimate {
	var buf [batch]hashfam.Digest
	for len(keys) > 0 {
		n := min(len(keys), batch)
		for _, d := range fam.SumAll(buf[:0], keys[:n]) {
			dst = append(dst, t.estimate(d))
		}
		keys = keys[n:]
	}
	return dst
}

// ranked yields the keys that count at least so much, most first, and of those
// the first few.
func (t *tracker) ranked(least uint64, few int) iter.Seq2[string, Estimate] {
	type item struct {
		key string
		e   Estimate
	}
	var items []item
	var buf []byte
	for r := record(0); int(r) < len(t.log); r += size(t.log, r) {
		if t.log[r] >= least {
			buf = appendKey(buf[:0], t.log, r)
			items = append(items, item{string(buf), t.estimateOf(r)})
		}
	}
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(b.e.Count, a.e.Count), cmp.Compare(a.key, b.key))
	})
	return func(yield func(string, Estimate) bool) {
		for _, i := range items[:min(few, len(items))] {
			if !yield(i.key, i.e) {
				return
			}
		}
	}
}

// merge adds what o counted. For a key that is tracked, what was counted
// before it was is in the tail, on either side; so the merged tail is asked,
// and all that was counted exactly is added to it. That does not depend on the
// order of merges.
//
// Where an estimate has reached overMax, how much of a count is exact is not
// known any more, and the upper bounds of both sides are added instead.
func (t *tracker) merge(o *tracker) {
	switch {
	case o.total == 0:
		return
	case o == t:
		c := t.clone()
		o = &c
	case t.total == 0:
		*t = o.clone()
		return
	}
	mine := *t // as it was
	mine.tail = t.tail.clone()
	theirs := o.tail.clone()
	t.addTail(&theirs)
	t.total = addSat(t.total, o.total)
	log := make([]uint64, 0, len(t.log)+len(o.log))
	var buf []byte
	for _, from := range []*tracker{t, o} {
		for r := record(0); int(r) < len(from.log); r += size(from.log, r) {
			d, count := hashfam.Digest(from.log[r+2]), exact(from.log, r)
			known := over(from.log, r) != overMax
			if from == t {
				if twin := o.find(d); twin != none {
					count = addSat(count, exact(o.log, twin))
					known = known && over(o.log, twin) != overMax
				}
			} else if t.find(d) != none {
				continue
			}
			before := t.tail.count(d)
			if count = min(addSat(count, before), t.total); !known {
				count = addSat(mine.estimate(d).High, o.estimate(d).High)
				before = count
			}
			buf = appendKey(buf[:0], from.log, r)
			log = appendRecord(log, count, min(before, count), d, buf)
		}
	}
	t.floor, t.missed = max(t.floor, o.floor), addSat(t.missed, o.missed)
	t.plan.room = max(t.plan.room, o.plan.room)
	t.log = log
	t.settle()
	if len(log) > t.plan.room {
		t.makeRoom(0, math.MaxUint64)
		t.settle()
	}
}

// addTail adds the counters of l, which it may change, to the tail. Both are
// brought to the same shape first: of the counters as wide as the wider ones,
// as many as the fewer.
func (t *tracker) addTail(l *tail) {
	for {
		for _, pair := range [][2]*tail{{&t.tail, l}, {l, &t.tail}} {
			for pair[0].shift < pair[1].shift {
				t.widen(pair[0])
			}
		}
		for _, pair := range [][2]*tail{{&t.tail, l}, {l, &t.tail}} {
			for len(pair[0].words) > len(pair[1].words) {
				pair[0].halve()
			}
		}
		if t.tail.addTail(l) {
			return
		}
		if t.tail.shift == tailMaxShift {
			t.tail.addSaturated(l)
			return
		}
		t.widen(&t.tail)
	}
}

// settle brings a log that was built apart into the plan: it links the records,
// and what the plan allows beyond them is allocated when it is first needed.
func (t *tracker) settle() {
	t.live = 0
	for r := record(0); int(r) < len(t.log); r += size(t.log, r) {
		t.live++
	}
	heads := max(1, t.live)
	if !t.plan.grows {
		t.plan.resize(len(t.tail.words))
		heads = min(heads, t.plan.chains)
	}
	t.log = append(make([]uint64, 0, len(t.log)), t.log...)
	t.relink(make([]uint32, heads))
	t.refused = refusal{}
}

// fresh returns an empty tracker of the same plan.
func (t *tracker) fresh() tracker {
	if len(t.heads) == 0 {
		return tracker{}
	}
	p := t.plan
	p.room = 0
	return newTracker(p)
}

// clone returns a copy that shares nothing with t.
func (t *tracker) clone() tracker {
	c := *t
	c.tail = t.tail.clone()
	c.heads = slices.Clone(t.heads)
	c.log = append(make([]uint64, 0, cap(t.log)), t.log...)
	return c
}

// equal reports whether t and o have counted the same. The order of records in
// the log, in which they were admitted, is no part of it.
func (t *tracker) equal(o *tracker) bool {
	if t.total != o.total || t.floor != o.floor || t.missed != o.missed ||
		t.tail.shift != o.tail.shift || !slices.Equal(t.tail.words, o.tail.words) ||
		t.live != o.live || len(t.log) != len(o.log) {
		return false
	}
	for r := record(0); int(r) < len(t.log); r += size(t.log, r) {
		q := o.find(hashfam.Digest(t.log[r+2]))
		if q == none || t.log[r] != o.log[q] || over(t.log, r) != over(o.log, q) {
			return false
		}
	}
	return true
}

// sizeBytes returns what t holds, with the structure around it.
func (t *tracker) sizeBytes() uint64 {
	return structBytes + 8*uint64(len(t.tail.words)) + 4*uint64(cap(t.heads)) + 8*uint64(cap(t.log))
}
