package main

import (
	"math"

	"github.com/filterfam/filterfam/hashfam"
)

// A keyList holds keys one after another in one block of memory, so that ten
// million of them cost eight bytes each beyond their own and nothing to the
// garbage collector.
type keyList struct {
	bytes []byte
	ends  []int // ends[i] is where key i ends and key i+1 begins
}

func (l *keyList) len() int { return len(l.ends) }

func (l *keyList) add(key []byte) {
	l.bytes = append(l.bytes, key...)
	l.ends = append(l.ends, len(l.bytes))
}

func (l *keyList) at(i int) []byte {
	start := 0
	if i > 0 {
		start = l.ends[i-1]
	}
	return l.bytes[start:l.ends[i]:l.ends[i]]
}

// first returns the first n keys. It shares the memory of l.
func (l *keyList) first(n int) *keyList { return &keyList{l.bytes, l.ends[:n]} }

// mostKeys is how many keys a keySet can hold.
const mostKeys = math.MaxUint32 - 1

// A keySet is a keyList in which no key occurs twice. Next to the list it has
// a hash table of places in it, eight to sixteen bytes a key.
type keySet struct {
	keyList
	slots  []uint32 // 1 + the place of a key in the list; 0 is free
	order  []uint32 // places in the order in which keys came, the known ones too
	family hashfam.Family
}

func newKeySet() *keySet {
	return &keySet{slots: make([]uint32, 1<<10), family: hashfam.Random()}
}

// add reports whether key was new.
func (s *keySet) add(key []byte) bool {
	slot, found := s.find(key)
	if found {
		s.order = append(s.order, s.slots[slot]-1)
		return false
	}
	s.order = append(s.order, uint32(s.len()))
	s.keyList.add(key)
	s.slots[slot] = uint32(s.len())
	if 2*s.len() > len(s.slots) {
		s.grow()
	}
	return true
}

func (s *keySet) addAll(keys []string) {
	for _, key := range keys {
		s.add([]byte(key))
	}
}

func (s *keySet) has(key []byte) bool {
	_, found := s.find(key)
	return found
}

// find returns the slot of key, or the free one that is its place.
func (s *keySet) find(key []byte) (slot uint64, found bool) {
	slot = hashfam.Reduce(uint64(s.family.Sum(key)), uint64(len(s.slots)))
	for s.slots[slot] != 0 {
		if string(s.at(int(s.slots[slot]-1))) == string(key) {
			return slot, true
		}
		if slot++; slot == uint64(len(s.slots)) {
			slot = 0
		}
	}
	return slot, false
}

func (s *keySet) grow() {
	s.slots = make([]uint32, 2*len(s.slots))
	for i := range s.len() {
		slot, _ := s.find(s.at(i))
		s.slots[slot] = uint32(i + 1)
	}
}
