package advice

import (
	"fmt"
	"math"
	"sort"
	"strconv"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam/perfect"
)

// A sizer returns the Bytes of a structure, and its Params in words, for a
// number of keys and a rate. If one of these is 0, some sizers compute it from
// the memory.
type sizer func(keys uint64, rate float64, memory uint64) (Choice, error)

func sizeStatic(keys uint64, rate float64, _ uint64) (Choice, error) {
	bytes, err := static.Config{FPRate: rate}.EstimatedBytes(keys, 0)
	return Choice{Bytes: bytes, Params: fmt.Sprintf("%.2f columns in a bumped ribbon", mixedBits(rate))}, err
}

func sizePerfect(keys uint64, rate float64, _ uint64) (Choice, error) {
	bytes, err := perfect.FilterConfig{FPRate: rate}.EstimatedBytes(keys)
	return Choice{
		Bytes:  bytes,
		Params: fmt.Sprintf("a hash function of 2.2 bits and a fingerprint of %.2f bits per key", mixedBits(rate)),
	}, err
}

// mixedBits returns the mean fingerprint length for a rate, when some
// fingerprints have one bit more than others.
func mixedBits(rate float64) float64 {
	whole := math.Ceil(math.Log2(1 / rate))
	return whole + 1 - math.Ldexp(rate, int(whole))
}

func sizeBloom(layout bloom.Layout) sizer {
	return func(keys uint64, rate float64, memory uint64) (Choice, error) {
		p, err := bloom.Config{Capacity: keys, FPRate: rate, MemoryBytes: memory, Layout: layout}.Params()
		return sized(p, keys, rate, counted(p.Bits, "bit")+", "+hashes(p.Hashes)), err
	}
}

func hashes(n int) string {
	if n == 1 {
		return "1 hash"
	}
	return strconv.Itoa(n) + " hashes"
}

// sized returns the Choice for a structure's Params.
func sized(p interface {
	SizeBytes() uint64
	RateAt(keys uint64) float64
	CapacityAt(rate float64) uint64
}, keys uint64, rate float64, params string) Choice {
	if keys == 0 {
		keys = p.CapacityAt(rate)
	}
	return Choice{Keys: keys, Rate: p.RateAt(keys), Bytes: p.SizeBytes(), Params: params}
}

func sizeBloomScalable(keys uint64, rate float64, memory uint64) (Choice, error) {
	bytes, err := bloom.ScalableConfig{Expected: keys, FPRate: rate, MemoryBytes: memory}.InitialBytes()
	return Choice{Bytes: bytes, Params: "a first stage at half the rate, or at the full rate if it fills the memory"}, err
}

func sizeCuckooScalable(keys uint64, rate float64, _ uint64) (Choice, error) {
	bytes, err := cuckoo.ScalableConfig{Expected: keys, FPRate: rate}.InitialBytes()
	return Choice{Bytes: bytes, Params: "pages of up to 4,096 slots"}, err
}

func sizeCounting(keys uint64, rate float64, memory uint64) (Choice, error) {
	p, err := counting.Config{Capacity: keys, FPRate: rate, MemoryBytes: memory}.Params()
	return sized(p, keys, rate, counted(p.Counters, "counter")+" of 4 bits, "+hashes(p.Hashes)), err
}

func sizeCuckoo(compact bool) sizer {
	return func(keys uint64, rate float64, memory uint64) (Choice, error) {
		p, err := cuckoo.Config{Capacity: keys, FPRate: rate, MemoryBytes: memory, Compact: compact}.Params()
		return sized(p, keys, rate, fmt.Sprintf("%s buckets of 4 fingerprints of %d bits", words(p.Buckets), p.FingerprintBits)), err
	}
}

// epsilon returns the largest Epsilon with three digits that does not exceed
// 1/(keys+1), so that it is below 1 and the error is below the mean count.
func epsilon(keys uint64) float64 {
	i := sort.Search(threeDigitNumbers, func(i int) bool { return threeDigits(i) > 1/float64(keys+1) })
	return threeDigits(i - 1)
}

func sizeSketch(keys uint64, rate float64, _ uint64) (Choice, error) {
	p, err := countmin.Config{Epsilon: epsilon(keys), Delta: rate, Conservative: true}.Params()
	return Choice{
		Bytes:  p.SizeBytes(),
		Params: fmt.Sprintf("%s of %s of %d bits", counted(uint64(p.Depth), "row"), counted(p.Width, "counter"), p.CounterBits),
	}, err
}
