package main

import (
	"runtime"

	"github.com/bits-and-blooms/bloom/v3"
	ours "github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

// A filter is one set built for one round of measurements.
type filter interface {
	Add(key []byte) error
	Contains(key []byte) bool
	SizeBytes() uint64
}

// A structure is one entry of the comparison. To compare another one, write an
// adapter for filter and append an entry to structures.
type structure struct {
	name    string
	also    string // what it can do besides adding keys and testing for them
	exact   bool   // has no rate to choose: one row in all, not one per rate
	peer    bool   // somebody else's code: shown only when asked for
	unkeyed bool   // cannot be given another hash family: see cell.salted
	build   func(n uint64, rate float64, family hashfam.Family) (filter, error)
}

// structures lists everything that can be compared, in the order of the rows.
var structures = []structure{
	{name: "map", also: "delete list", exact: true, build: newExact},
	{name: "bloom", also: "merge", build: newBloom(ours.Classic)},
	{name: "bloom-partitioned", also: "merge", build: newBloom(ours.Partitioned)},
	{name: "bloom-blocked", also: "merge", build: newBloom(ours.Blocked)},
	{name: "bits-and-blooms", also: "merge", peer: true, unkeyed: true, build: newPeerBloom},
}

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

// exact is the set that a Go program has without any of this.
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

// SizeBytes is unknown to a map; heapBytes measures it from outside.
func (e *exact) SizeBytes() uint64 { return e.bytes }

// heapBytes returns by how much the heap grows when a map takes in the keys,
// the bytes of the keys included.
func heapBytes(keys *keyList) uint64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	m := make(map[string]struct{}, keys.len())
	for i := range keys.len() {
		m[string(keys.at(i))] = struct{}{}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(m)
	if after.HeapAlloc < before.HeapAlloc {
		return 0
	}
	return after.HeapAlloc - before.HeapAlloc
}

// peerBloom adapts the Bloom filter of github.com/bits-and-blooms/bloom.
type peerBloom struct{ *bloom.BloomFilter }

func newPeerBloom(n uint64, rate float64, _ hashfam.Family) (filter, error) {
	return peerBloom{bloom.NewWithEstimates(uint(n), rate)}, nil
}

func (f peerBloom) Add(key []byte) error {
	f.BloomFilter.Add(key)
	return nil
}

func (f peerBloom) Contains(key []byte) bool { return f.Test(key) }

// SizeBytes counts the 64-bit words that hold its bits.
func (f peerBloom) SizeBytes() uint64 { return (uint64(f.Cap()) + 63) / 64 * 8 }
