package cuckoo

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A lookup in a Concurrent with plain buckets takes no lock, so it may stop at
// any place while others write. In a model of two buckets of three slots there
// are few enough states to try every interleaving of one lookup with any number
// of Adds, Deletes and moves, also of other fingerprints, if some copies of its
// fingerprint are never deleted. Each state is tried once.
//
// A store of a fingerprint is two steps of the model, because it may lie across
// two words, and so is a load. What of it is in one step of the code is one of
// the interleavings.
//
// A Delete that does not warn, or that takes the highest copy, loses keys in
// the model. TestAReaderBetweenTwoBucketsLosesNoKey and
// TestTheLowestCopyGoesFirst check that the code does neither.
func TestEveryInterleavingOfALookup(t *testing.T) {
	for _, c := range []struct {
		rules rules
		lost  bool
	}{
		{rules{kept: 1}, false},
		{rules{kept: 2}, false},
		{rules{kept: 1, silent: true}, true},
		{rules{kept: 2, silent: true}, true},
		{rules{kept: 2, highest: true}, true},
	} {
		states, lost := c.rules.explore()
		require.Greater(t, states, 200_000, "%+v", c.rules)
		require.Equal(t, c.lost, lost > 0, "%+v: %d of %d states lose a copy", c.rules, lost, states)
	}
}

// rules say how many copies stay, and what a broken Delete does.
type rules struct {
	kept    int
	silent  bool // it does not warn readers
	highest bool // it takes the copy in the highest slot
}

const (
	modelSlots = 3 // of a bucket
	all        = 2 * modelSlots
)

// The contents of a slot.
const (
	free uint8 = iota
	ours       // the fingerprint that is looked up
	others
)

// A moment is a state of the model.
type moment struct {
	low, high [all]uint8    // the halves of the slots
	next      [5]storeOrAdd // of the writer; a zero one ends them

	read   uint8 // halves of slots that the lookup has read, plus 1; 0 before it begins
	half   bool  // the half read last is that of ours
	found  uint8
	warned bool // the version has changed since the lookup began
}

// A storeOrAdd stores a half of a slot, or adds to the version.
type storeOrAdd struct{ kind, slot, value uint8 }

const (
	storeLow uint8 = iota + 1
	storeHigh
	addVersion
)

var warning = storeOrAdd{kind: addVersion}

func stores(slot int, value uint8) []storeOrAdd {
	return []storeOrAdd{{storeLow, uint8(slot), value}, {storeHigh, uint8(slot), value}}
}

// explore visits all moments. It returns their number, and in how many of them
// the lookup has missed a copy that stays.
func (r rules) explore() (states, lost int) {
	seen := map[moment]bool{}
	var queue []moment
	visit := func(m moment) {
		if !seen[m] {
			seen[m] = true
			queue = append(queue, m)
		}
	}
	for _, m := range r.starts() {
		visit(m)
	}
	for len(queue) > 0 {
		m := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if m.next[0].kind == 0 {
			for _, steps := range r.writes(&m) {
				begun := m
				copy(begun.next[:], steps)
				visit(begun.written())
			}
		} else {
			visit(m.written())
		}
		if m.read <= 2*all {
			visit(r.looked(m))
		} else if !m.warned && int(m.found) < r.kept {
			lost++
		}
	}
	return len(seen), lost
}

// starts returns all contents of the slots with enough copies.
func (r rules) starts() []moment {
	list := []moment{{}}
	for slot := range all {
		var longer []moment
		for _, m := range list {
			for value := free; value <= others; value++ {
				m.low[slot], m.high[slot] = value, value
				longer = append(longer, m)
			}
		}
		list = longer
	}
	var enough []moment
	for _, m := range list {
		if m.count(0, ours)+m.count(1, ours) >= r.kept {
			enough = append(enough, m)
		}
	}
	return enough
}

// count returns the number of slots of a bucket with a value. No writer is at
// work.
func (m *moment) count(bucket int, value uint8) int {
	n := 0
	for _, v := range m.low[bucket*modelSlots:][:modelSlots] {
		if v == value {
			n++
		}
	}
	return n
}

// find returns the first slot of a bucket with a value, or the last one, or -1.
func (m *moment) find(bucket int, value uint8, last bool) int {
	at := -1
	for s := bucket * modelSlots; s < (bucket+1)*modelSlots && (last || at < 0); s++ {
		if m.low[s] == value {
			at = s
		}
	}
	return at
}

// writes returns what a writer may do next, each as the steps of the code, for
// keys with the buckets in either order.
func (r rules) writes(m *moment) [][]storeOrAdd {
	var list [][]storeOrAdd
	for i := range 2 {
		j := 1 - i
		if s := m.roomFor(i, j); s >= 0 { // Concurrent.put
			list = append(list, stores(s, ours))
		}
		if s := m.find(i, free, false); s >= 0 {
			list = append(list, stores(s, others))
		}
		for s := i * modelSlots; s < (i+1)*modelSlots; s++ {
			if m.low[s] == others {
				list = append(list, stores(s, free))
			}
		}
		if m.count(0, ours)+m.count(1, ours) > r.kept {
			list = append(list, r.deletion(m, i, j))
		}
		if from, to := m.find(i, ours, false), m.find(j, free, false); from >= 0 && to >= 0 { // Concurrent.move
			list = append(list, append(append(stores(to, ours), warning), stores(from, free)...))
		}
	}
	return list
}

// roomFor returns the slot for a new fingerprint in the emptier bucket.
func (m *moment) roomFor(i, j int) int {
	if m.count(i, free) < m.count(j, free) {
		i = j
	}
	return m.find(i, free, false)
}

// deletion is Concurrent.Delete.
func (r rules) deletion(m *moment, i, j int) []storeOrAdd {
	var steps []storeOrAdd
	if !r.silent && m.count(i, ours) > 0 && m.count(j, ours) > 0 {
		steps = append(steps, warning)
	}
	s := m.find(i, ours, r.highest)
	if s < 0 {
		s = m.find(j, ours, r.highest)
	}
	return append(steps, stores(s, free)...)
}

// written is m after the next step of the writer.
func (m moment) written() moment {
	switch step := m.next[0]; step.kind {
	case storeLow:
		m.low[step.slot] = step.value
	case storeHigh:
		m.high[step.slot] = step.value
	case addVersion:
		m.warned = m.read > 0
	}
	copy(m.next[:], m.next[1:])
	m.next[len(m.next)-1] = storeOrAdd{}
	return m
}

// looked is m after the next step of the lookup: it loads the version, and then
// the halves of the slots. It stops counting when it has found enough.
func (r rules) looked(m moment) moment {
	switch slot := (m.read - 1) / 2; {
	case m.read == 0:
		m.warned = false
	case m.read%2 == 1:
		m.half = m.low[slot] == ours
	default:
		if m.half && m.high[slot] == ours {
			m.found = min(m.found+1, uint8(r.kept))
		}
		m.half = false
	}
	m.read++
	return m
}
