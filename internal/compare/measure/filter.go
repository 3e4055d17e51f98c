package measure

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/perfect"
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
	Process bool    // hash/maphash hashes the keys, for one process: shown only on request
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

// Structures lists everything that can be compared, in the order of the rows.
var Structures = slices.Concat([]Structure{
	{Name: "map", Against: "bloom", Also: "list", Exact: true, Heap: true, Build: newExact},
	{Name: "bloom", Also: "merge", Build: newBloom(bloom.Classic)},
	{Name: "bloom-partitioned", Also: "merge", Build: newBloom(bloom.Partitioned)},
	{Name: "bloom-blocked", Also: "merge", Build: newBloom(bloom.Blocked)},
}, growing(Structure{Name: "bloom-scalable", Against: "bloom", Also: "grows", Build: newBloomScalable}), []Structure{
	{Name: "counting", Also: "count merge", Build: newCounting},
	{Name: "cuckoo", Also: "count merge", Build: newCuckoo(false)},
	{Name: "cuckoo-compact", Also: "count merge", Build: newCuckoo(true)},
}, growing(Structure{Name: "cuckoo-scalable", Against: "cuckoo", Also: "grows", Build: newCuckooScalable}), []Structure{
	{Name: "static", Against: "bloom-blocked", Static: true, Build: newStatic},
	{Name: "perfect", Against: "static", Also: "values", Static: true, Build: newPerfect},
	{Name: "static-exact", Against: "map", Exact: true, Static: true, Knows: true, Build: newStaticExact},
}, []Structure{
	{Name: "bloom-maphash", Process: true, Build: withMaphash(newBloom(bloom.Classic))},
	{Name: "bloom-blocked-maphash", Process: true, Build: withMaphash(newBloom(bloom.Blocked))},
	{Name: "cuckoo-maphash", Process: true, Build: withMaphash(newCuckoo(false))},
}, Peers)

// Asked reports whether a structure is shown only on request.
func (s Structure) Asked() bool { return s.Peer || s.Process }

// Named returns the structure of a name.
func Named(name string) Structure {
	return Structures[slices.IndexFunc(Structures, func(s Structure) bool { return s.Name == name })]
}

func newBloom(layout bloom.Layout) Build {
	return func(n uint64, rate float64, family hashfam.Family) (*Filter, error) {
		return Adapt(bloom.New(bloom.Config{Capacity: n, FPRate: rate, Layout: layout, Family: family}))
	}
}

// A maphashed set gets the digests of hash/maphash.
type maphashed struct {
	set interface {
		Set
		ContainsDigest(d hashfam.Digest) bool
	}
	seed maphash.Seed
}

func (s maphashed) Contains(key []byte) bool {
	return s.set.ContainsDigest(hashfam.Digest(maphash.Bytes(s.seed, key)))
}

func (s maphashed) SizeBytes() uint64 { return s.set.SizeBytes() }

// withMaphash returns how to build filters whose keys hash/maphash hashes, each
// under another seed.
func withMaphash(build Build) Build {
	return func(n uint64, rate float64, _ hashfam.Family) (*Filter, error) {
		f, err := build(n, rate, hashfam.Family{})
		if err != nil {
			return nil, err
		}
		seed := maphash.MakeSeed()
		switch s := f.Set.(type) {
		case *bloom.Filter:
			f.Set = maphashed{s, seed}
			f.Add = func(key []byte) error { s.AddDigest(hashfam.Digest(maphash.Bytes(seed, key))); return nil }
		case *cuckoo.Filter:
			f.Set = maphashed{s, seed}
			f.Add = func(key []byte) error { return s.AddDigest(hashfam.Digest(maphash.Bytes(seed, key))) }
			f.Delete = func(key []byte) bool { return s.DeleteDigest(hashfam.Digest(maphash.Bytes(seed, key))) }
		}
		return f, nil
	}
}

func newCounting(n uint64, rate float64, family hashfam.Family) (*Filter, error) {
	return Adapt(counting.New(counting.Config{Capacity: n, FPRate: rate, Family: family}))
}

func newCuckoo(compact bool) Build {
	return func(n uint64, rate float64, family hashfam.Family) (*Filter, error) {
		return Adapt(cuckoo.New(cuckoo.Config{Capacity: n, FPRate: rate, Compact: compact, Family: family}))
	}
}

// The numbers of keys that growing filters get, over those they expect.
var overExpected = []uint64{1, 3, 30}

// growing returns the rows of a growing filter: of one that expects all keys,
// and of others that expect a part of them.
func growing(s Structure) []Structure {
	var list []Structure
	for _, over := range overExpected {
		x := s
		x.Over = over
		if over > 1 {
			x.Name = fmt.Sprintf("%s-%dx", s.Name, over)
		}
		x.Build = func(n uint64, rate float64, family hashfam.Family) (*Filter, error) {
			return s.Build(max(1, n/over), rate, family)
		}
		list = append(list, x)
	}
	return list
}

func newBloomScalable(expected uint64, rate float64, family hashfam.Family) (*Filter, error) {
	return Adapt(bloom.NewScalable(bloom.ScalableConfig{Expected: expected, FPRate: rate, Family: family}))
}

func newCuckooScalable(expected uint64, rate float64, family hashfam.Family) (*Filter, error) {
	return Adapt(cuckoo.NewScalable(cuckoo.ScalableConfig{Expected: expected, FPRate: rate, Family: family}))
}

// newStatic builds on one goroutine, as the others are built.
func newStatic(n uint64, rate float64, family hashfam.Family) (*Filter, error) {
	return collected(n, family, func(digests []hashfam.Digest) (Set, error) {
		return static.New(context.Background(), static.Config{FPRate: rate, Family: family, Workers: 1}, digests)
	}), nil
}

func newPerfect(n uint64, rate float64, family hashfam.Family) (*Filter, error) {
	return collected(n, family, func(digests []hashfam.Digest) (Set, error) {
		return perfect.NewFilter(context.Background(), perfect.FilterConfig{FPRate: rate, Family: family}, digests)
	}), nil
}

// newStaticExact builds static.Exact.
func newStaticExact(n uint64, _ float64, family hashfam.Family) (*Filter, error) {
	var absent []hashfam.Digest
	f := collected(n, family, func(members []hashfam.Digest) (Set, error) {
		return static.NewExact(context.Background(), static.ExactConfig{Family: family}, members, absent)
	})
	f.AddAbsent = func(key []byte) { absent = append(absent, family.Sum(key)) }
	return f, nil
}

// exact is the set that a Go program without this library would use.
type exact map[string]struct{}

func newExact(n uint64, _ float64, _ hashfam.Family) (*Filter, error) {
	return Adapt(make(exact, n), nil)
}

func (e exact) Add(key []byte) { e[string(key)] = struct{}{} }

func (e exact) Contains(key []byte) bool {
	_, ok := e[string(key)]
	return ok
}

func (e exact) Delete(key []byte) bool {
	_, ok := e[string(key)]
	delete(e, string(key))
	return ok
}

// SizeBytes is not known to a map: the heap is measured from outside.
func (e exact) SizeBytes() uint64 { return 0 }
