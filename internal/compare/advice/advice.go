// Package advice says which structure of filterfam serves a need, how large it
// is, and what to write to get it. All sizes come from the structure's own
// Config. Those of structures built from a set are estimates: they depend on
// the keys.
package advice

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
)

// Needs describes a use of a structure.
type Needs struct {
	Keys   uint64  `json:"keys"`   // distinct keys at one time
	Rate   float64 `json:"rate"`   // of false positives; if Counts is set, of counts off by more than the mean count
	Fixed  bool    `json:"fixed"`  // the set does not change
	Guess  bool    `json:"guess"`  // Keys is not known: there may be many more
	Delete bool    `json:"delete"` // keys are taken out again
	Counts bool    `json:"counts"` // how often, not only whether
	Memory uint64  `json:"memory"` // bytes that may be spent; 0 is no limit
}

// A Choice is a structure that serves, the best first.
type Choice struct {
	Structure  string  `json:"structure"` // as the comparison names it
	Rate       float64 `json:"rate"`      // above Needs.Rate if that does not fit into the memory
	Bytes      uint64  `json:"bytes"`
	BitsPerKey float64 `json:"bits_per_key"`
	Params     string  `json:"params"`  // in words
	Literal    string  `json:"literal"` // of Go
	Remark     string  `json:"remark"`
}

// A candidate is a structure before its size is known.
type candidate struct {
	name    string
	fixed   bool // is built from a set and takes no more keys
	grows   bool // with the keys
	deletes bool
	counts  bool
	only    bool // does nothing but count
	remark  string
	literal string // of Go, with the number of keys and the rate
	size    func(keys uint64, rate float64) (bytes uint64, params string, err error)
}

var candidates = []candidate{
	{name: "static", fixed: true, size: sizeStatic,
		literal: "static.New(context.Background(), static.Config{FPRate: %[2]s}, digests)",
		remark:  "the smallest filter; if all keys that can be queried are known, static.NewExact errs on none of them"},
	{name: "perfect", fixed: true, size: sizePerfect,
		literal: "perfect.NewFilter(context.Background(), perfect.FilterConfig{FPRate: %[2]s}, digests)",
		remark:  "can keep a value with each key, and delete members"},
	{name: "bloom", size: sizeBloom(bloom.Classic),
		literal: "bloom.New(bloom.Config{Capacity: %[1]s, FPRate: %[2]s})", remark: "merges, folds and estimates its number of keys"},
	{name: "bloom-blocked", size: sizeBloom(bloom.Blocked),
		literal: "bloom.New(bloom.Config{Capacity: %[1]s, FPRate: %[2]s, Layout: bloom.Blocked})", remark: "one cache line per lookup"},
	{name: "bloom-scalable", grows: true, size: sizeBloomScalable,
		literal: "bloom.NewScalable(bloom.ScalableConfig{Expected: %[1]s, FPRate: %[2]s})",
		remark:  "grows in steps: later up to three times as many bits per key"},
	{name: "cuckoo", deletes: true, size: sizeCuckoo(false),
		literal: "cuckoo.New(cuckoo.Config{Capacity: %[1]s, FPRate: %[2]s})", remark: "an Add beyond capacity may fail"},
	{name: "cuckoo-compact", deletes: true, size: sizeCuckoo(true),
		literal: "cuckoo.New(cuckoo.Config{Capacity: %[1]s, FPRate: %[2]s, Compact: true})", remark: "one bit less per key, slower to fill"},
	{name: "cuckoo-scalable", grows: true, deletes: true, size: sizeCuckooScalable,
		literal: "cuckoo.NewScalable(cuckoo.ScalableConfig{Expected: %[1]s, FPRate: %[2]s})",
		remark:  "grows page by page: later up to 2.3 times as many bits per key"},
	{name: "counting", deletes: true, counts: true, size: sizeCounting,
		literal: "counting.New(counting.Config{Capacity: %[1]s, FPRate: %[2]s})", remark: "counts to 15, projects to a Bloom filter"},
	{name: "count-min", counts: true, only: true, size: sizeSketch,
		literal: "countmin.New(countmin.Config{Epsilon: %[3]s, Delta: %[2]s, Conservative: true})",
		remark:  "counts to 2^32-1; a count is too high by at most the mean count, except for the given rate of keys"},
}

// numbered is the remark for a structure that grows, if keys are counted: of
// copies of one key it would take few, or count none.
const numbered = "count with numbered keys, each once: the second copy of a key is that key with a 2; number of keys and size are those of all copies. " +
	"If the number of keys is known, counting is smaller"

// ErrNeeds marks needs that no structure serves.
var ErrNeeds = errors.New("no structure serves these needs")

// near is how much more memory than the smallest structure a Bloom filter may
// take and still be the first choice.
const near = 1.05

// For returns the structures that serve the needs: first those that meet the
// rate within the memory, smallest first, then those whose rate the memory
// raises, lowest rate first. The Bloom filter goes before any that is hardly
// smaller. It returns ErrNeeds if no structure serves.
func For(n Needs) ([]Choice, error) {
	switch {
	case n.Keys == 0:
		return nil, fmt.Errorf("%w: 0 keys: want at least 1", ErrNeeds)
	case !(n.Rate > 0 && n.Rate < 1):
		return nil, fmt.Errorf("%w: rate %g: want above 0 and below 1", ErrNeeds, n.Rate)
	}
	var list []Choice
	var failed error
	for _, c := range candidates {
		if !c.serves(n) {
			continue
		}
		choice, err := c.within(n)
		if err != nil {
			failed = cmp.Or(failed, err) // one says enough: the others say the same
			continue
		}
		list = append(list, choice)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: %w", ErrNeeds, failed)
	}
	slices.SortStableFunc(list, func(a, b Choice) int {
		return cmp.Or(cmp.Compare(a.Rate, b.Rate), cmp.Compare(a.Bytes, b.Bytes))
	})
	return bloomFirst(list), nil
}

// serves reports whether c can do what is needed and is not a waste for it.
func (c candidate) serves(n Needs) bool {
	switch {
	case n.Guess && !c.grows && !c.fixed, c.grows && !n.Guess:
		return false // is of one size, or needs not grow
	case n.Delete && !c.deletes, n.Counts && !c.counts && !c.grows, c.only && !n.Counts, c.fixed && !n.Fixed:
		return false // does too little
	case c.deletes && c.counts:
		return n.Delete || n.Counts // and costs four times as much
	}
	return true
}

// bloomFirst moves the Bloom filter to the front if it takes little more than
// the first: it fills four times as fast as a compact table and refuses no key.
func bloomFirst(list []Choice) []Choice {
	i := slices.IndexFunc(list, func(c Choice) bool { return c.Structure == "bloom" })
	if i > 0 && list[i].Rate == list[0].Rate && float64(list[i].Bytes) <= near*float64(list[0].Bytes) {
		first := list[i]
		copy(list[1:], list[:i])
		list[0] = first
	}
	return list
}

// within sizes c for the requested rate or, if that takes more memory than
// there is, for the lowest rate that does not. A structure that cannot have the
// requested rate at all is none of the choices.
func (c candidate) within(n Needs) (Choice, error) {
	choice, err := c.choice(n, n.Rate)
	if err != nil || n.Memory == 0 || choice.Bytes <= n.Memory {
		return choice, err
	}
	// The size falls as the rate grows: halve the range of its logarithm.
	low, high, found := math.Log(n.Rate), math.Log(0.5), false
	for range 50 {
		middle := (low + high) / 2
		if smaller, err := c.choice(n, tidy(math.Exp(middle))); err == nil && smaller.Bytes <= n.Memory {
			choice, found = smaller, true
			high = middle
		} else {
			low = middle
		}
	}
	if !found {
		return Choice{}, fmt.Errorf("%s keys do not fit into %s bytes at any rate below one half", words(n.Keys), words(n.Memory))
	}
	return choice, nil
}

// choice sizes c for a rate.
func (c candidate) choice(n Needs, rate float64) (Choice, error) {
	bytes, params, err := c.size(n.Keys, rate)
	if err != nil {
		return Choice{}, err
	}
	if n.Counts && c.grows {
		c.remark = numbered
	}
	return Choice{
		Structure: c.name, Rate: rate, Bytes: bytes, BitsPerKey: 8 * float64(bytes) / float64(n.Keys), Params: params, Remark: c.remark,
		Literal: fmt.Sprintf(c.literal, integer(n.Keys), number(rate), number(epsilon(n.Keys))),
	}, nil
}

// tidy rounds a rate up to three digits.
func tidy(rate float64) float64 {
	return digits(rate, func(x float64) float64 { return math.Ceil(x - 1e-9) })
}

// tidyDown rounds a rate down to three digits.
func tidyDown(rate float64) float64 { return digits(rate, math.Floor) }

// digits rounds a rate as a number of 100 to 999.
func digits(rate float64, round func(float64) float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(rate))-2)
	x, err := strconv.ParseFloat(strconv.FormatFloat(round(rate/unit)*unit, 'g', 3, 64), 64)
	if err != nil {
		return rate
	}
	return x
}

func sizeStatic(keys uint64, rate float64) (uint64, string, error) {
	bytes, err := static.Config{FPRate: rate}.SizeBytes(keys)
	return bytes, fmt.Sprintf("%.2f columns in a bumped ribbon", mixedBits(rate)), err
}

// functionBits is what a perfect.Function takes for each of many keys.
const functionBits = 2.2

func sizePerfect(keys uint64, rate float64) (uint64, string, error) {
	if rate < float64(keys)*0x1p-63 || rate < 0x1p-55 {
		return 0, "", fmt.Errorf("perfect: FPRate = %g is too low for %s keys", rate, words(keys))
	}
	fingerprint := mixedBits(rate)
	return uint64(math.Ceil(float64(keys) * (functionBits + fingerprint) / 8)),
		fmt.Sprintf("%.1f bits of a hash function and a fingerprint of %.2f", functionBits, fingerprint), nil
}

// mixedBits returns the bits of a fingerprint that give a rate if some have one
// bit more than others.
func mixedBits(rate float64) float64 {
	whole := math.Ceil(math.Log2(1 / rate))
	return whole + 1 - math.Ldexp(rate, int(whole))
}

func sizeBloom(layout bloom.Layout) func(uint64, float64) (uint64, string, error) {
	return func(keys uint64, rate float64) (uint64, string, error) {
		p, err := bloom.Config{Capacity: keys, FPRate: rate, Layout: layout}.Params()
		return p.SizeBytes(), fmt.Sprintf("%s bits, %d hashes", words(p.Bits), p.Hashes), err
	}
}

func sizeBloomScalable(keys uint64, rate float64) (uint64, string, error) {
	bytes, err := bloom.ScalableConfig{Expected: keys, FPRate: rate}.SizeBytes()
	return bytes, "a first stage at half of the rate", err
}

func sizeCuckooScalable(keys uint64, rate float64) (uint64, string, error) {
	bytes, err := cuckoo.ScalableConfig{Expected: keys, FPRate: rate}.SizeBytes()
	return bytes, "pages of up to 4,096 slots", err
}

func sizeCounting(keys uint64, rate float64) (uint64, string, error) {
	p, err := counting.Config{Capacity: keys, FPRate: rate}.Params()
	return p.SizeBytes(), fmt.Sprintf("%s counters of 4 bits, %d hashes", words(p.Counters), p.Hashes), err
}

func sizeCuckoo(compact bool) func(uint64, float64) (uint64, string, error) {
	return func(keys uint64, rate float64) (uint64, string, error) {
		p, err := cuckoo.Config{Capacity: keys, FPRate: rate, Compact: compact}.Params()
		return p.SizeBytes(), fmt.Sprintf("%s buckets of 4 fingerprints of %d bits", words(p.Buckets), p.FingerprintBits), err
	}
}

// epsilon is the error of a sketch that is at most the mean count.
func epsilon(keys uint64) float64 { return tidyDown(1 / float64(keys+1)) }

func sizeSketch(keys uint64, rate float64) (uint64, string, error) {
	p, err := countmin.Config{Epsilon: epsilon(keys), Delta: rate, Conservative: true}.Params()
	return p.SizeBytes(), fmt.Sprintf("%d rows of %s counters of %d bits", p.Depth, words(p.Width), p.CounterBits), err
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// integer writes n as in Go, words as in prose.
func integer(n uint64) string { return grouped(n, "_") }
func words(n uint64) string   { return grouped(n, ",") }

func grouped(n uint64, separator string) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + separator + s[i:]
	}
	return s
}
