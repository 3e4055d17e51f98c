package measure

import (
	"cmp"
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

// A Filter is a set that is built for one round.
type Filter struct {
	Inner     any // the structure itself
	Add       func(key []byte) error
	Contains  func(key []byte) bool // may be nil until Build is called
	Delete    func(key []byte) bool // reports whether the key was there; nil if keys cannot be deleted
	AddAbsent func(key []byte)      // nil unless the set also needs the absent keys
	Build     func() error          // nil unless the set is built from all keys at once
	SizeBytes func() uint64         // nil if the structure does not report its size
}

// A Set has the methods that all our structures share.
type Set interface {
	Contains(key []byte) bool
	SizeBytes() uint64
}

// A Structure is an entry in the comparison. To compare another one, write a
// function that builds it as a Filter, and append an entry to Structures.
type Structure struct {
	Name    string
	Also    string  // other operations, for the table
	Against string  // our structure for the ratios, or empty
	Exact   bool    // has no false positives and a single row
	Fixed   float64 // the rate if it cannot be configured, for a single row; otherwise 0
	Peer    bool    // third-party code, compared only on request
	Process bool    // keys are hashed by hash/maphash; compared only on request
	Module  string  // the peer's module path, or empty
	Unkeyed bool    // does not use the given hash family: see round.salted
	Hash    string  // the function that hashes keys; empty if the given family does
	Static  bool    // built from all keys at once
	Knows   bool    // built from the absent keys, too
	Over    uint64  // keys over expected keys for growing filters; otherwise 0
	Heap    bool    // its size must be measured as growth of the heap
	Build   Build
}

// hash names the hash function for the table.
func (s Structure) hash() string { return cmp.Or(s.Hash, "our SipHash") }

// A Build function returns a filter for n keys. It ignores the arguments that
// the structure does not support.
type Build func(n uint64, rate float64, family hashfam.Family) (*Filter, error)

// Where returns the elements of a list that satisfy a condition.
func Where[T any](list []T, holds func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return !holds(x) })
}

// Adapt returns one of our structures as a Filter.
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

// hold sets the functions of f that look up and delete keys in s.
func (f *Filter) hold(s Set) {
	f.Inner = s
	f.Contains = s.Contains
	f.SizeBytes = s.SizeBytes
	if s, ok := s.(interface{ Delete(key []byte) bool }); ok {
		f.Delete = s.Delete
	}
}

// collected returns a filter that passes the digests of all keys to build,
// which must set the functions of f.
func collected[D ~uint64](n uint64, family hashfam.Family, build func(f *Filter, digests []D) error) *Filter {
	digests := make([]D, 0, n)
	f := new(Filter)
	f.Add = func(key []byte) error { digests = append(digests, D(family.Sum(key))); return nil }
	f.Build = func() error {
		defer func() { digests = nil }()
		return build(f, digests)
	}
	return f
}

// collectedSet is like collected for one of our constructors.
func collectedSet[S Set](n uint64, family hashfam.Family, build func([]hashfam.Digest) (S, error)) *Filter {
	return collected(n, family, func(f *Filter, digests []hashfam.Digest) error {
		s, err := build(digests)
		if err == nil {
			f.hold(s)
		}
		return err
	})
}

// Fill adds the keys to f and builds it if necessary.
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

// Structures lists all structures, in the order of the rows.
var Structures = slices.Concat([]Structure{
	{Name: "map", Hash: "Go's", Against: "bloom", Also: "list", Exact: true, Heap: true, Build: newMap},
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
	{Name: "static-absent", Against: "static", Static: true, Knows: true, Build: newStaticAbsent},
	{Name: "static-exact", Against: "map", Exact: true, Static: true, Knows: true, Build: newStaticExact},
}, []Structure{
	{Name: "bloom-maphash", Hash: "maphash", Process: true, Build: withMaphash(newBloom(bloom.Classic))},
	{Name: "bloom-blocked-maphash", Hash: "maphash", Process: true, Build: withMaphash(newBloom(bloom.Blocked))},
	{Name: "cuckoo-maphash", Hash: "maphash", Process: true, Build: withMaphash(newCuckoo(false))},
}, Peers)

// Asked reports whether a structure is compared only on request.
func (s Structure) Asked() bool { return s.Peer || s.Process }

// Named returns the structure with the given name.
func Named(name string) Structure {
	return Structures[slices.IndexFunc(Structures, func(s Structure) bool { return s.Name == name })]
}

func newBloom(layout bloom.Layout) Build {
	return func(n uint64, rate float64, family hashfam.Family) (*Filter, error) {
		return Adapt(bloom.New(bloom.Config{Capacity: n, FPRate: rate, Layout: layout, Family: family}))
	}
}

// withMaphash returns a Build function for filters that use hash/maphash.
func withMaphash(build Build) Build {
	return func(n uint64, rate float64, _ hashfam.Family) (*Filter, error) {
		f, err := build(n, rate, hashfam.Family{})
		if err != nil {
			return nil, err
		}
		seed := maphash.MakeSeed()
		switch s := f.Inner.(type) {
		case *bloom.Filter:
			f.Add = func(key []byte) error { s.AddDigest(maphashOf(seed, key)); return nil }
			f.Contains = func(key []byte) bool { return s.ContainsDigest(maphashOf(seed, key)) }
		case *cuckoo.Filter:
			f.Add = func(key []byte) error { return s.AddDigest(maphashOf(seed, key)) }
			f.Contains = func(key []byte) bool { return s.ContainsDigest(maphashOf(seed, key)) }
			f.Delete = func(key []byte) bool { return s.DeleteDigest(maphashOf(seed, key)) }
		}
		f.Inner = nil // callers must not use its family
		return f, nil
	}
}

func maphashOf(seed maphash.Seed, key []byte) hashfam.Digest {
	return hashfam.Digest(maphash.Bytes(seed, key))
}

func newCounting(n uint64, rate float64, family hashfam.Family) (*Filter, error) {
	return Adapt(counting.New(counting.Config{Capacity: n, FPRate: rate, Family: family}))
}

func newCuckoo(compact bool) Build {
	return func(n uint64, rate float64, family hashfam.Family) (*Filter, error) {
		return Adapt(cuckoo.New(cuckoo.Config{Capacity: n, FPRate: rate, Compact: compact, Family: family}))
	}
}

// growing returns the rows for a growing filter. For example, bloom-scalable-3x
// expects one third of the keys.
func growing(s Structure) (list []Structure) {
	for _, over := range []uint64{1, 3, 30} {
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

// newStatic uses a single goroutine, as the other structures do.
func newStatic(n uint64, rate float64, family hashfam.Family) (*Filter, error) {
	return collectedSet(n, family, func(digests []hashfam.Digest) (*static.Filter, error) {
		return static.New(context.Background(), static.Config{FPRate: rate, Family: family, Workers: 1}, digests)
	}), nil
}

func newPerfect(n uint64, rate float64, family hashfam.Family) (*Filter, error) {
	return collectedSet(n, family, func(digests []hashfam.Digest) (*perfect.Filter, error) {
		return perfect.NewFilter(context.Background(), perfect.FilterConfig{FPRate: rate, Family: family}, digests, nil)
	}), nil
}

// newStaticExact uses the rate with which the filter is smallest.
func newStaticExact(n uint64, _ float64, family hashfam.Family) (*Filter, error) {
	return newStaticAbsent(n, 1, family)
}

func newStaticAbsent(n uint64, rate float64, family hashfam.Family) (*Filter, error) {
	var absent []hashfam.Digest
	f := collectedSet(n, family, func(members []hashfam.Digest) (*static.Filter, error) {
		return static.NewExact(context.Background(), static.Config{FPRate: rate, Family: family, Workers: 1}, members, absent)
	})
	f.AddAbsent = func(key []byte) { absent = append(absent, family.Sum(key)) }
	return f, nil
}

// newMap builds the set that a Go program would use without this library.
func newMap(n uint64, _ float64, _ hashfam.Family) (*Filter, error) {
	m := make(map[string]struct{}, n)
	add := func(key []byte) error { m[string(key)] = struct{}{}; return nil }
	contains := func(key []byte) bool { _, ok := m[string(key)]; return ok }
	remove := func(key []byte) bool {
		ok := contains(key)
		delete(m, string(key))
		return ok
	}
	return &Filter{Inner: m, Add: add, Contains: contains, Delete: remove}, nil
}
