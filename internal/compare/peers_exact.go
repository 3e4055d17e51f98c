package main

import (
	"slices"
	"sort"

	"github.com/filterfam/filterfam/hashfam"
)

// sortedKeys is the exact set with the least overhead, a sorted slice with
// binary search. It is static: a key in the middle would move half of it.
type sortedKeys struct{ keys []string }

func newSorted(n uint64, _ float64, _ hashfam.Family) (filter, error) {
	return &sortedKeys{keys: make([]string, 0, n)}, nil
}

func (s *sortedKeys) Add(key []byte) error {
	s.keys = append(s.keys, string(key))
	return nil
}

func (s *sortedKeys) Build() error {
	slices.Sort(s.keys)
	return nil
}

func (s *sortedKeys) Contains(key []byte) bool {
	i := sort.Search(len(s.keys), func(i int) bool { return s.keys[i] >= string(key) })
	return i < len(s.keys) && s.keys[i] == string(key)
}

// SizeBytes is measured from outside, as a map's is.
func (s *sortedKeys) SizeBytes() uint64 { return 0 }
