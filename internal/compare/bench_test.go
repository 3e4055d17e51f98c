package main

import "testing"

// BenchmarkFilters times each operation per key. Keys are deleted and added
// again in turn, all of them each time; only the deletes are timed.
func BenchmarkFilters(b *testing.B) {
	members, absent := benchKeys(b)
	for _, c := range chosenContestants() {
		c.timeSingle(b, members, absent)
		if c.batch != nil {
			c.timeBatch(b, members, absent)
		}
	}
}

func (c contestant) timeSingle(b *testing.B, members, absent [][]byte) {
	b.Run("Add/"+c.name, func(b *testing.B) { timeEach(b, members, c.single(len(members)).add) })
	f := c.single(len(members))
	for _, key := range members {
		f.add(key)
	}
	query := func(key []byte) { f.contains(key) }
	b.Run("Hit/"+c.name, func(b *testing.B) { timeEach(b, members, query) })
	b.Run("Miss/"+c.name, func(b *testing.B) { timeEach(b, absent, query) })
	if f.delete != nil {
		b.Run("Delete/"+c.name, func(b *testing.B) { timeDelete(b, members, f) })
	}
}

func (c contestant) timeBatch(b *testing.B, members, absent [][]byte) {
	b.Run("AddAll/"+c.name, func(b *testing.B) { timeBlocks(b, members, c.batch(len(members)).addAll) })
	f := c.batch(len(members))
	f.addAll(members)
	var dst []bool
	query := func(keys [][]byte) { dst = f.containsAll(dst[:0], keys) }
	b.Run("ContainsAllHit/"+c.name, func(b *testing.B) { timeBlocks(b, members, query) })
	b.Run("ContainsAllMiss/"+c.name, func(b *testing.B) { timeBlocks(b, absent, query) })
}

func timeEach(b *testing.B, keys [][]byte, do func([]byte)) {
	i := 0
	for b.Loop() {
		do(keys[i])
		if i++; i == len(keys) {
			i = 0
		}
	}
}

func timeBlocks(b *testing.B, keys [][]byte, do func([][]byte)) {
	i, total := 0, 0
	for b.Loop() {
		stop := min(i+benchBlock, len(keys))
		do(keys[i:stop])
		total += stop - i
		if i = stop; i == len(keys) {
			i = 0
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(total), "ns/key")
}

// timeDelete deletes the keys of f, which has all of them before and after.
func timeDelete(b *testing.B, keys [][]byte, f single) {
	addBack := func(deleted [][]byte) {
		for _, key := range deleted {
			f.add(key)
		}
	}
	i := 0
	for b.Loop() {
		f.delete(keys[i])
		if i++; i == len(keys) {
			b.StopTimer()
			addBack(keys)
			b.StartTimer()
			i = 0
		}
	}
	addBack(keys[:i])
}
