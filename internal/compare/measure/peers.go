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

// Peers are third-party libraries and a sorted slice, in the order of the rows.
// They are shown only on request. Each is used as its documentation says; none
// of its code is here. What one of them cannot do, or gets wrong, is a result
// and never ends the program: see cell.attempt.
var Peers = []Structure{
	{Name: "sorted", Against: "bloom", Also: "list", Exact: true, Peer: true, Static: true, Heap: true, Build: newSorted},

	{Name: "bits-and-blooms", Module: "github.com/bits-and-blooms/bloom/v3", Against: "bloom", Also: "merge", Peer: true, Unkeyed: true, Build: newPeerBloom},
	{Name: "holiman", Module: "github.com/holiman/bloomfilter/v2", Against: "bloom", Also: "merge", Peer: true, Build: newHoliman},
	{Name: "bbloom", Module: "github.com/ipfs/bbloom", Against: "bloom", Peer: true, Build: newBbloom},
	{Name: "ristretto", Module: "github.com/dgraph-io/ristretto/v2", Against: "bloom", Peer: true, Build: newRistretto},
	{Name: "boom-bloom", Module: boomModule, Against: "bloom", Peer: true, Unkeyed: true, Build: newBoomBloom},
	{Name: "boom-counting", Module: boomModule, Against: "counting", Peer: true, Unkeyed: true, Build: newBoomCounting},
	{Name: "boom-cuckoo", Module: boomModule, Against: "cuckoo", Peer: true, Unkeyed: true, Heap: true, Build: newBoomCuckoo},

	{Name: "seiflotfy-cuckoo", Module: "github.com/seiflotfy/cuckoofilter", Against: "cuckoo", Fixed: seiflotfyRate, Peer: true, Unkeyed: true, Build: newSeiflotfy},
	{Name: "xor8", Module: xorModule, Against: "static", Fixed: 1.0 / (1 << 8), Peer: true, Static: true, Build: newXor8},
	{Name: "fuse8", Module: xorModule, Against: "static", Fixed: 1.0 / (1 << 8), Peer: true, Static: true, Build: newFuse[uint8]},
	{Name: "fuse16", Module: xorModule, Against: "static", Fixed: 1.0 / (1 << 16), Peer: true, Static: true, Build: newFuse[uint16]},
}

// The modules of libraries that have more than one row.
const (
	boomModule = "github.com/tylertreat/BoomFilters"
	xorModule  = "github.com/FastFilter/xorfilter"
)

// PeerBloom adapts the Bloom filter of github.com/bits-and-blooms/bloom.
type PeerBloom struct{ *bloom.BloomFilter }

func newPeerBloom(n uint64, rate float64, _ hashfam.Family) (*Filter, error) {
	return Adapt(PeerBloom{bloom.NewWithEstimates(uint(n), rate)}, nil)
}

func (f PeerBloom) Add(key []byte)           { f.BloomFilter.Add(key) }
func (f PeerBloom) Contains(key []byte) bool { return f.Test(key) }

// SizeBytes counts the 64-bit words that hold its bits.
func (f PeerBloom) SizeBytes() uint64 { return (uint64(f.Cap()) + 63) / 64 * 8 }

// holiman adapts github.com/holiman/bloomfilter, which leaves hashing to its
// user: the keys are hashed as ours are. Its own keys, which it mixes into the
// hash, are drawn from the family rather than by chance, so that two runs of
// this program agree.
type holiman struct {
	*holimanbloom.Filter
	family hashfam.Family
}

func newHoliman(n uint64, rate float64, family hashfam.Family) (*Filter, error) {
	m := holimanbloom.OptimalM(n, rate)
	keys := make([]uint64, holimanbloom.OptimalK(m, n))
	for i := range keys {
		keys[i] = uint64(family.SumUint64(uint64(i)))
	}
	f, err := holimanbloom.NewWithKeys(m, keys)
	return Adapt(holiman{f, family}, err)
}

func (f holiman) Add(key []byte)           { f.AddHash(uint64(f.family.Sum(key))) }
func (f holiman) Contains(key []byte) bool { return f.ContainsHash(uint64(f.family.Sum(key))) }

// SizeBytes counts the 64-bit words that hold its bits.
func (f holiman) SizeBytes() uint64 { return (f.M() + 63) / 64 * 8 }

// Bbloom adapts github.com/ipfs/bbloom, which uses SipHash too.
type Bbloom struct{ *bbloom.Bloom }

func newBbloom(n uint64, rate float64, family hashfam.Family) (*Filter, error) {
	f, err := bbloom.NewWithKeys(uint64(family.SumString("bbloom 0")), uint64(family.SumString("bbloom 1")), float64(n), rate)
	return Adapt(Bbloom{f}, err)
}

func (f Bbloom) Add(key []byte)           { f.Bloom.Add(key) }
func (f Bbloom) Contains(key []byte) bool { return f.Has(key) }

// SizeBytes is the length of the bits in its own export: it does not report how
// many it has.
func (f Bbloom) SizeBytes() uint64 {
	var export struct{ FilterSet []byte }
	if err := json.Unmarshal(f.JSONMarshal(), &export); err != nil {
		panic(err) // of a peer: reported, as every panic of one
	}
	return uint64(len(export.FilterSet))
}

// ristretto adapts the Bloom filter of github.com/dgraph-io/ristretto, which
// leaves hashing to its user: the keys are hashed as ours are.
type ristretto struct {
	*z.Bloom
	family hashfam.Family
}

func newRistretto(n uint64, rate float64, family hashfam.Family) (*Filter, error) {
	return Adapt(ristretto{z.NewBloomFilter(float64(n), rate), family}, nil)
}

func (f ristretto) Add(key []byte)           { f.Bloom.Add(uint64(f.family.Sum(key))) }
func (f ristretto) Contains(key []byte) bool { return f.Has(uint64(f.family.Sum(key))) }

// SizeBytes is the size it reports.
func (f ristretto) SizeBytes() uint64 { return uint64(f.TotalSize()) }

// BoomBloom adapts the classic filter of github.com/tylertreat/BoomFilters.
type BoomBloom struct{ *boom.BloomFilter }

func newBoomBloom(n uint64, rate float64, _ hashfam.Family) (*Filter, error) {
	return Adapt(BoomBloom{boom.NewBloomFilter(uint(n), rate)}, nil)
}

func (f BoomBloom) Add(key []byte)           { f.BloomFilter.Add(key) }
func (f BoomBloom) Contains(key []byte) bool { return f.Test(key) }

// SizeBytes counts the bytes that hold its bits.
func (f BoomBloom) SizeBytes() uint64 { return (uint64(f.Capacity()) + 7) / 8 }

// boomCounting adapts the counting filter of github.com/tylertreat/BoomFilters,
// which has counters of four bits too.
type boomCounting struct{ *boom.CountingBloomFilter }

func newBoomCounting(n uint64, rate float64, _ hashfam.Family) (*Filter, error) {
	return Adapt(boomCounting{boom.NewDefaultCountingBloomFilter(uint(n), rate)}, nil)
}

func (f boomCounting) Add(key []byte)           { f.CountingBloomFilter.Add(key) }
func (f boomCounting) Contains(key []byte) bool { return f.Test(key) }
func (f boomCounting) Delete(key []byte) bool   { return f.TestAndRemove(key) }

// SizeBytes counts the bytes that hold its counters.
func (f boomCounting) SizeBytes() uint64 { return (uint64(f.Capacity())*4 + 7) / 8 }

// boomCuckoo adapts the cuckoo filter of github.com/tylertreat/BoomFilters.
type boomCuckoo struct{ *boom.CuckooFilter }

// newBoomCuckoo keeps clear of capacities that exhaust the memory, when no
// program can go on: there are eight buckets a key, rounded up to a power of
// two, each a slice of four slices.
func newBoomCuckoo(n uint64, rate float64, _ hashfam.Family) (*Filter, error) {
	const slice, most = 3 * bits.UintSize / 8, 2 << 30
	if bytes := uint64(1) << bits.Len64(8*n-1) * (slice + 4*slice); bytes > most {
		return nil, fmt.Errorf("it needs %.1f GiB for this many keys, and a peer may take %d", float64(bytes)/(1<<30), most>>30)
	}
	return Adapt(boomCuckoo{boom.NewCuckooFilter(uint(n), rate)}, nil)
}

func (f boomCuckoo) Contains(key []byte) bool { return f.Test(key) }
func (f boomCuckoo) Delete(key []byte) bool   { return f.TestAndRemove(key) }

// SizeBytes is not known to it: every fingerprint is a slice of its own, of
// memory shared with others. The heap is measured from outside.
func (f boomCuckoo) SizeBytes() uint64 { return 0 }

// seiflotfyCuckoo adapts github.com/seiflotfy/cuckoofilter.
type seiflotfyCuckoo struct{ *seiflotfy.Filter }

// seiflotfyRate is the rate of a full table, 1 - (1 - 1/255)^8: a lookup
// compares 8 fingerprints of 255 values. It cannot be configured.
const seiflotfyRate = 0.03095

var errFull = errors.New("the filter is full")

func newSeiflotfy(n uint64, _ float64, _ hashfam.Family) (*Filter, error) {
	return Adapt(seiflotfyCuckoo{seiflotfy.NewFilter(uint(n))}, nil)
}

func (f seiflotfyCuckoo) Add(key []byte) error {
	if !f.Insert(key) {
		return errFull
	}
	return nil
}

func (f seiflotfyCuckoo) Contains(key []byte) bool { return f.Lookup(key) }

// SizeBytes is the length of its own export, a byte a slot as in memory.
func (f seiflotfyCuckoo) SizeBytes() uint64 { return uint64(len(f.Encode())) }

// xor8 and fuse adapt the filters of github.com/FastFilter/xorfilter. These are
// made of 64-bit numbers and leave hashing to their user. Keys that are not
// numbers have to be hashed first, here as ours are, and that is part of the
// time: without it, they could only be compared on another task.
type xor8 struct {
	*xorfilter.Xor8
	family hashfam.Family
}

func newXor8(n uint64, _ float64, family hashfam.Family) (*Filter, error) {
	return collected(n, family, func(digests []uint64) (Set, error) {
		f, err := xorfilter.Populate(digests)
		return xor8{f, family}, err
	}), nil
}

func (f xor8) Contains(key []byte) bool { return f.Xor8.Contains(uint64(f.family.Sum(key))) }

// SizeBytes counts the fingerprints.
func (f xor8) SizeBytes() uint64 { return uint64(len(f.Fingerprints)) }

// fuse has fingerprints of type T.
type fuse[T xorfilter.Unsigned] struct {
	*xorfilter.BinaryFuse[T]
	family hashfam.Family
}

func newFuse[T xorfilter.Unsigned](n uint64, _ float64, family hashfam.Family) (*Filter, error) {
	return collected(n, family, func(digests []uint64) (Set, error) {
		f, err := xorfilter.NewBinaryFuse[T](digests)
		return fuse[T]{f, family}, err
	}), nil
}

func (f fuse[T]) Contains(key []byte) bool { return f.BinaryFuse.Contains(uint64(f.family.Sum(key))) }

// SizeBytes counts the fingerprints.
func (f fuse[T]) SizeBytes() uint64 { return uint64(len(f.Fingerprints)) * uint64(binary.Size(T(0))) }

// sorted is the exact set with the least overhead, a sorted slice with binary
// search. It is static: a key in the middle would move half of it.
type sorted []string

func newSorted(n uint64, _ float64, _ hashfam.Family) (*Filter, error) {
	keys, f := make(sorted, 0, n), new(Filter)
	f.Add = func(key []byte) error { keys = append(keys, string(key)); return nil }
	f.Build = func() error {
		slices.Sort(keys)
		f.Set = keys
		return nil
	}
	return f, nil
}

func (s sorted) Contains(key []byte) bool {
	_, found := slices.BinarySearch(s, string(key))
	return found
}

// SizeBytes is measured from outside, as a map's is.
func (s sorted) SizeBytes() uint64 { return 0 }
