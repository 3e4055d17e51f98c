package measure

import (
	"encoding/json"

	"github.com/bits-and-blooms/bloom/v3"
	"github.com/dgraph-io/ristretto/v2/z"
	"github.com/filterfam/filterfam/hashfam"
	holimanbloom "github.com/holiman/bloomfilter/v2"
	"github.com/ipfs/bbloom"
	boom "github.com/tylertreat/BoomFilters"
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

// NewDefaultBbloom makes a filter as bbloom.New does, under its fixed default
// key. bbloom.NewWithKeys takes another one.
func NewDefaultBbloom(n uint64, rate float64, _ hashfam.Family) (*Filter, error) {
	f, err := bbloom.New(float64(n), rate)
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
