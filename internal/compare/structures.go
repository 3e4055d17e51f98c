package main

import (
	"slices"

	ours "github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
)

// A filter is one set built for one round of measurements.
type filter interface {
	Add(key []byte) error
	Contains(key []byte) bool
	SizeBytes() uint64
}

// A deletable filter can also remove a key. Delete reports whether the key was
// there.
type deletable interface {
	filter
	Delete(key []byte) bool
}

// A structure is one entry of the comparison. To compare another one, write an
// adapter for filter and append an entry to structures.
type structure struct {
	name    string
	also    string  // what it can do apart from adding keys and testing for them
	against string  // the structure of ours to compare its times with, if any
	exact   bool    // never errs: one row in all, not one per rate
	fixed   float64 // its rate, if none can be chosen: one row in all; else 0
	peer    bool    // third-party code: shown only on request
	module  string  // of a peer, if it is a library
	unkeyed bool    // cannot be given another hash family: see round.salted
	static  bool    // is built from all keys at once: a staticFilter
	knows   bool    // is told the absent keys, too: a knowing filter
	over    uint64  // how many times the keys it expects a growing filter gets; 0 if it does not grow
	heap    bool    // does not know its size: measured by how much the heap grows
	build   func(n uint64, rate float64, family hashfam.Family) (filter, error)
}

// structures lists everything that can be compared, in the order of the rows.
var structures = slices.Concat([]structure{
	{name: "map", against: "bloom", also: "list", exact: true, heap: true, build: newExact},
	{name: "bloom", also: "merge", build: newBloom(ours.Classic)},
	{name: "bloom-partitioned", also: "merge", build: newBloom(ours.Partitioned)},
	{name: "bloom-blocked", also: "merge", build: newBloom(ours.Blocked)},
}, growing(structure{name: "bloom-scalable", against: "bloom", also: "grows"}, newBloomScalable), []structure{
	{name: "counting", also: "count merge", build: newCounting},
	{name: "cuckoo", also: "count merge", build: newCuckoo(false)},
	{name: "cuckoo-compact", also: "count merge", build: newCuckoo(true)},
}, growing(structure{name: "cuckoo-scalable", against: "cuckoo", also: "count grows"}, newCuckooScalable), []structure{
	{name: "static", against: "bloom-blocked", static: true, build: newStatic},
	{name: "perfect", against: "static", also: "values", static: true, build: newPerfect},
	{name: "static-exact", against: "map", exact: true, static: true, knows: true, build: newStaticExact},
}, peers)

// bloomFilter adapts bloom.Filter, whose Add cannot fail.
type bloomFilter struct{ *ours.Filter }

func (f bloomFilter) Add(key []byte) error {
	f.Filter.Add(key)
	return nil
}

func newBloom(layout ours.Layout) func(uint64, float64, hashfam.Family) (filter, error) {
	return func(n uint64, rate float64, family hashfam.Family) (filter, error) {
		f, err := ours.New(ours.Config{Capacity: n, FPRate: rate, Layout: layout, Family: family})
		if err != nil {
			return nil, err
		}
		return bloomFilter{f}, nil
	}
}

// countingFilter adapts counting.Filter.
type countingFilter struct{ *counting.Filter }

func (f countingFilter) Add(key []byte) error {
	f.Filter.Add(key)
	return nil
}

func newCounting(n uint64, rate float64, family hashfam.Family) (filter, error) {
	f, err := counting.New(counting.Config{Capacity: n, FPRate: rate, Family: family})
	if err != nil {
		return nil, err
	}
	return countingFilter{f}, nil
}

func newCuckoo(compact bool) func(uint64, float64, hashfam.Family) (filter, error) {
	return func(n uint64, rate float64, family hashfam.Family) (filter, error) {
		return cuckoo.New(cuckoo.Config{Capacity: n, FPRate: rate, Compact: compact, Family: family})
	}
}

// exact is the set that a Go program without this library would use.
type exact struct {
	keys  map[string]struct{}
	bytes uint64
}

func newExact(n uint64, _ float64, _ hashfam.Family) (filter, error) {
	return &exact{keys: make(map[string]struct{}, n)}, nil
}

func (e *exact) Add(key []byte) error {
	e.keys[string(key)] = struct{}{}
	return nil
}

func (e *exact) Contains(key []byte) bool {
	_, ok := e.keys[string(key)]
	return ok
}

func (e *exact) Delete(key []byte) bool {
	_, ok := e.keys[string(key)]
	delete(e.keys, string(key))
	return ok
}

// SizeBytes is unknown to a map; heapBytes measures it from outside.
func (e *exact) SizeBytes() uint64 { return e.bytes }
