package measure

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/FastFilter/xorfilter"
	"github.com/bits-and-blooms/bloom/v3"
	"github.com/dgraph-io/ristretto/v2/z"
	holimanbloom "github.com/holiman/bloomfilter/v2"
	"github.com/ipfs/bbloom"
	seiflotfy "github.com/seiflotfy/cuckoofilter"
	boom "github.com/tylertreat/BoomFilters"

	"github.com/filterfam/filterfam/hashfam"
)

// Peers lists third-party libraries and a sorted slice, which are compared only
// on request. Each library is used as its documentation recommends. If a
// library fails, cell.attempt records this as a result.
var Peers = []Structure{
	{Name: "sorted", Hash: "none", Against: "bloom", Also: "list", Exact: true, Peer: true, Static: true, Heap: true, Build: newSorted},

	{Name: "bits-and-blooms", Hash: "MurmurHash3", Module: "github.com/bits-and-blooms/bloom/v3", Against: "bloom", Also: "merge", Peer: true, Unkeyed: true, Build: newPeerBloom},
	{Name: "holiman", Module: "github.com/holiman/bloomfilter/v2", Against: "bloom", Also: "merge", Peer: true, Build: newHoliman},
	{Name: "bbloom", Hash: "SipHash", Module: "github.com/ipfs/bbloom", Against: "bloom", Peer: true, Build: newBbloom},
	{Name: "ristretto", Module: "github.com/dgraph-io/ristretto/v2", Against: "bloom", Peer: true, Build: newRistretto},
	{Name: "boom-bloom", Hash: "FNV-1", Module: boomModule, Against: "bloom", Peer: true, Unkeyed: true, Build: newBoomBloom},
	{Name: "boom-counting", Hash: "FNV-1", Module: boomModule, Against: "counting", Peer: true, Unkeyed: true, Build: newBoomCounting},
	{Name: "boom-cuckoo", Hash: "FNV-1", Module: boomModule, Against: "cuckoo", Peer: true, Unkeyed: true, Heap: true, Build: newBoomCuckoo},

	{Name: "seiflotfy-cuckoo", Hash: "MetroHash", Module: "github.com/seiflotfy/cuckoofilter", Against: "cuckoo", Fixed: seiflotfyRate, Peer: true, Unkeyed: true, Build: newSeiflotfy},
	{Name: "xor8", Module: xorModule, Against: "static", Fixed: 1.0 / (1 << 8), Peer: true, Static: true, Build: newXor8},
	{Name: "fuse8", Module: xorModule, Against: "static", Fixed: 1.0 / (1 << 8), Peer: true, Static: true, Build: newFuse[uint8]},
	{Name: "fuse16", Module: xorModule, Against: "static", Fixed: 1.0 / (1 << 16), Peer: true, Static: true, Build: newFuse[uint16]},
}

// The modules that have several rows.
const (
	boomModule = "github.com/tylertreat/BoomFilters"
	xorModule  = "github.com/FastFilter/xorfilter"
)

func newPeerBloom(n uint64, rate float64, _ hashfam.Family) (*Filter, error) {
	f := bloom.NewWithEstimates(uint(n), rate)
	add := func(key []byte) error { f.Add(key); return nil }
	return &Filter{Inner: f, Add: add, Contains: f.Test, SizeBytes: fixed((f.Cap() + 63) / 64 * 8)}, nil // words of 64 bits
}

// fixed returns a function that returns a filter's fixed size.
func fixed[T int | uint](bytes T) func() uint64 { return func() uint64 { return uint64(bytes) } }

// newHoliman builds a filter that does not hash keys, so our family hashes
// them, and also derives the filter's random keys, so that two runs agree.
func newHoliman(n uint64, rate float64, family hashfam.Family) (*Filter, error) {
	m := holimanbloom.OptimalM(n, rate)
	keys := make([]uint64, holimanbloom.OptimalK(m, n))
	for i := range keys {
		keys[i] = uint64(family.SumUint64(uint64(i)))
	}
	f, err := holimanbloom.NewWithKeys(m, keys)
	return &Filter{
		Inner: f, Add: func(key []byte) error { f.AddHash(uint64(family.Sum(key))); return nil },
		Contains:  func(key []byte) bool { return f.ContainsHash(uint64(family.Sum(key))) },
		SizeBytes: func() uint64 { return (f.M() + 63) / 64 * 8 }, // words of 64 bits
	}, err
}

func newBbloom(n uint64, rate float64, family hashfam.Family) (*Filter, error) {
	return Bbloom(bbloom.NewWithKeys(uint64(family.SumString("bbloom 0")), uint64(family.SumString("bbloom 1")), float64(n), rate))
}

// Bbloom adapts a filter from github.com/ipfs/bbloom, which also uses SipHash.
// It does not report its size, so this is the length of its exported bits.
func Bbloom(f *bbloom.Bloom, err error) (*Filter, error) {
	size := func() uint64 {
		var export struct{ FilterSet []byte }
		if err := json.Unmarshal(f.JSONMarshal(), &export); err != nil {
			panic(err) // cell.attempt reports it
		}
		return uint64(len(export.FilterSet))
	}
	return &Filter{Inner: f, Add: func(key []byte) error { f.Add(key); return nil }, Contains: f.Has, SizeBytes: size}, err
}

// newRistretto builds a filter that does not hash keys, so they are hashed by
// our family.
func newRistretto(n uint64, rate float64, family hashfam.Family) (*Filter, error) {
	f := z.NewBloomFilter(float64(n), rate)
	add := func(key []byte) error { f.Add(uint64(family.Sum(key))); return nil }
	contains := func(key []byte) bool { return f.Has(uint64(family.Sum(key))) }
	return &Filter{Inner: f, Add: add, Contains: contains, SizeBytes: fixed(f.TotalSize())}, nil
}

func newBoomBloom(n uint64, rate float64, _ hashfam.Family) (*Filter, error) {
	f := boom.NewBloomFilter(uint(n), rate)
	add := func(key []byte) error { f.Add(key); return nil }
	return &Filter{Inner: f, Add: add, Contains: f.Test, SizeBytes: fixed((f.Capacity() + 7) / 8)}, nil
}

// newBoomCounting builds a filter with 4-bit counters, like ours.
func newBoomCounting(n uint64, rate float64, _ hashfam.Family) (*Filter, error) {
	f := boom.NewDefaultCountingBloomFilter(uint(n), rate)
	add, size := func(key []byte) error { f.Add(key); return nil }, fixed((f.Capacity()+1)/2)
	return &Filter{Inner: f, Add: add, Contains: f.Test, Delete: f.TestAndRemove, SizeBytes: size}, nil
}

// newBoomCuckoo returns an error for capacities that would exhaust the memory.
// The filter uses eight buckets per key, rounded up to a power of two, each a
// slice of four slices.
func newBoomCuckoo(n uint64, rate float64, _ hashfam.Family) (*Filter, error) {
	const slice = 3 * bits.UintSize / 8
	const most = 2 << 30
	if bytes := uint64(1) << bits.Len64(8*n-1) * (slice + 4*slice); bytes > most {
		return nil, fmt.Errorf("it needs %.1f GiB for this many keys, and the limit is %d GiB", float64(bytes)/(1<<30), most>>30)
	}
	f := boom.NewCuckooFilter(uint(n), rate)
	return &Filter{Inner: f, Add: f.Add, Contains: f.Test, Delete: f.TestAndRemove}, nil
}

// seiflotfyRate is a full table's rate, 1 - (1 - 1/255)^8: a lookup compares 8
// fingerprints with 255 possible values.
const seiflotfyRate = 0.03095

var errFull = errors.New("the filter is full")

func newSeiflotfy(n uint64, _ float64, _ hashfam.Family) (*Filter, error) {
	f := seiflotfy.NewFilter(uint(n))
	add := func(key []byte) error {
		if !f.Insert(key) {
			return errFull
		}
		return nil
	}
	size := func() uint64 { return uint64(len(f.Encode())) } // one byte per slot, as in memory
	return &Filter{Inner: f, Add: add, Contains: f.Lookup, Delete: f.Delete, SizeBytes: size}, nil
}

// newXor8 and newFuse build filters for 64-bit numbers. Other keys are hashed
// by our family first, which the times include.
func newXor8(n uint64, _ float64, family hashfam.Family) (*Filter, error) {
	return collected(n, family, func(f *Filter, digests []uint64) error {
		x, err := xorfilter.Populate(digests)
		f.Contains = func(key []byte) bool { return x.Contains(uint64(family.Sum(key))) }
		f.SizeBytes = func() uint64 { return uint64(len(x.Fingerprints)) }
		return err
	}), nil
}

func newFuse[T xorfilter.Unsigned](n uint64, _ float64, family hashfam.Family) (*Filter, error) {
	return collected(n, family, func(f *Filter, digests []uint64) error {
		x, err := xorfilter.NewBinaryFuse[T](digests)
		f.Contains = func(key []byte) bool { return x.Contains(uint64(family.Sum(key))) }
		f.SizeBytes = func() uint64 { return uint64(len(x.Fingerprints)) * uint64(binary.Size(T(0))) }
		return err
	}), nil
}

// newSorted builds a sorted slice, the exact set with the least overhead.
func newSorted(n uint64, _ float64, _ hashfam.Family) (*Filter, error) {
	keys := make([]string, 0, n)
	return &Filter{
		Add:      func(key []byte) error { keys = append(keys, string(key)); return nil },
		Build:    func() error { slices.Sort(keys); return nil },
		Contains: func(key []byte) bool { _, found := slices.BinarySearch(keys, string(key)); return found },
	}, nil
}
