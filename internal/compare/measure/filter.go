package measure

import (
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// A Filter is one set built for one round of measurements.
type Filter struct {
	Set
	Add       func(key []byte) error
	Delete    func(key []byte) bool // whether the key was there; nil if nothing can be deleted
	AddAbsent func(key []byte)      // of a set that is told the absent keys, too; else nil
	Build     func() error          // of a set that is built from all keys at once and has no Set before; else nil
}

// A Set can be queried.
type Set interface {
	Contains(key []byte) bool
	SizeBytes() uint64
}

// A Structure is one entry of the comparison. To compare another one, write a
// function that builds it as a Filter and append an entry to Structures.
type Structure struct {
	Name    string
	Also    string  // what it can do apart from adding keys and testing for them
	Against string  // the structure of ours to compare its times with, if any
	Exact   bool    // never errs: one row in all, not one per rate
	Fixed   float64 // its rate, if none can be chosen: one row in all; else 0
	Peer    bool    // third-party code: shown only on request
	Module  string  // of a peer, if it is a library
	Unkeyed bool    // cannot be given another hash family: see round.salted
	Static  bool    // is built from all keys at once
	Knows   bool    // is told the absent keys, too
	Over    uint64  // how many times the keys it expects a growing filter gets; 0 if it does not grow
	Heap    bool    // does not know its size: measured by how much the heap grows
	Build   Build
}

// A Build makes a filter for n keys at a rate, as far as it can be given them.
type Build func(n uint64, rate float64, family hashfam.Family) (*Filter, error)

// Where returns the elements of a list for which a condition holds.
func Where[T any](list []T, holds func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return !holds(x) })
}

// Adapt returns a structure whose methods have the names of ours as a Filter.
func Adapt(s Set, err error) (*Filter, error) {
	if err != nil {
		return nil, err
	}
	f := new(Filter)
	f.hold(s)
	switch s := s.(type) {
	case interface{ Add(key []byte) error }:
		f.Add = s.Add
	case interface{ Add(key []byte) }:
		f.Add = func(key []byte) error { s.Add(key); return nil }
	}
	return f, nil
}

// hold makes s the set of f.
func (f *Filter) hold(s Set) {
	f.Set = s
	if s, ok := s.(interface{ Delete(key []byte) bool }); ok {
		f.Delete = s.Delete
	}
}

// collected returns a filter that is built from the digests of its keys at
// once: Add only collects them.
func collected[D ~uint64](n uint64, family hashfam.Family, build func([]D) (Set, error)) *Filter {
	digests, f := make([]D, 0, n), new(Filter)
	f.Add = func(key []byte) error { digests = append(digests, D(family.Sum(key))); return nil }
	f.Build = func() error {
		s, err := build(digests)
		digests = nil
		if err == nil {
			f.hold(s)
		}
		return err
	}
	return f
}

// Fill adds the keys to f, builds it if that is left to do, and returns it.
func (f *Filter) Fill(keys [][]byte) (*Filter, error) {
	for _, key := range keys {
		if err := f.Add(key); err != nil {
			return nil, err
		}
	}
	if f.Build != nil {
		return f, f.Build()
	}
	return f, nil
}
