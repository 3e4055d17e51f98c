// Package advice selects the structures of filterfam that serve a need, with
// their sizes and the Go code that creates them. The command's plan lists them,
// and docs/choosing.md and the calculator of internal/compare agree with them.
// All sizes are computed from the structure's own Config, but are only
// estimates for structures that are built from a set, because they depend on
// the keys.
package advice

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/internal/sizing"
)

// Needs describes how a structure will be used.
type Needs struct {
	Keys   uint64  `json:"keys"`   // distinct keys at one time; 0 means as many as fit in Memory at Rate
	Rate   float64 `json:"rate"`   // fraction of false positives, or with Counts of counts too high by more than the mean count; 0 means the lowest within Memory
	Fixed  bool    `json:"fixed"`  // the set does not change
	Guess  bool    `json:"guess"`  // Keys is a guess: there may be many more
	Delete bool    `json:"delete"` // keys will be deleted
	Counts bool    `json:"counts"` // keys will be counted
	Memory uint64  `json:"memory"` // in bytes; 0 means no limit
}

// A Choice is a structure that serves the needs.
type Choice struct {
	Structure  string  `json:"structure"` // the name in the comparison
	Keys       uint64  `json:"keys"`
	Rate       float64 `json:"rate"` // above Needs.Rate if that does not fit in the memory
	Bytes      uint64  `json:"bytes"`
	BitsPerKey float64 `json:"bits_per_key"`
	Params     string  `json:"params"`  // described in words
	Literal    string  `json:"literal"` // Go code
	Remark     string  `json:"remark"`
}

// A candidate is a structure before its size is known.
type candidate struct {
	name    string
	fixed   bool // is built from a set and cannot add keys
	grows   bool // grows as keys are added
	deletes bool
	counts  bool
	only    bool // can only count
	remark  string
	literal string // Go code with verbs for the Config fields, the rate and the error
	keys    string // the Config field for the number of keys
	fills   bool   // its Config can compute the rate or the number of keys from the memory size
	size    sizer
}

var candidates = []candidate{
	{name: "static", fixed: true, size: sizeStatic,
		literal: "static.New(context.Background(), static.Config{%[1]s}, digests)",
		remark:  "the smallest filter, but building it needs 8 bytes per key for the digests; static.NewExact builds one that finds none of the absent keys that you name"},
	{name: "perfect", fixed: true, size: sizePerfect,
		literal: "perfect.NewFilter(context.Background(), perfect.FilterConfig{FPRate: %[2]s}, digests, nil)",
		remark:  "can store a value with each key"},
	{name: "bloom", size: sizeBloom(bloom.Classic), keys: "Capacity", fills: true,
		literal: "bloom.New(bloom.Config{%[1]s})", remark: "can be merged and folded, and estimates the number of keys"},
	{name: "bloom-blocked", size: sizeBloom(bloom.Blocked), keys: "Capacity", fills: true,
		literal: "bloom.New(bloom.Config{%[1]s, Layout: bloom.Blocked})", remark: "needs one cache line per lookup"},
	{name: "bloom-scalable", keys: "Expected", grows: true, size: sizeBloomScalable,
		literal: "bloom.NewScalable(bloom.ScalableConfig{%[1]s})",
		remark:  "grows in steps, later to up to four times as many bits per key"},
	{name: "cuckoo", deletes: true, size: sizeCuckoo(false), keys: "Capacity", fills: true,
		literal: "cuckoo.New(cuckoo.Config{%[1]s})", remark: "an Add beyond the capacity may fail"},
	{name: "cuckoo-compact", deletes: true, size: sizeCuckoo(true), keys: "Capacity", fills: true,
		literal: "cuckoo.New(cuckoo.Config{%[1]s, Compact: true})", remark: "one bit less per key, but slower to fill"},
	{name: "cuckoo-scalable", keys: "Expected", grows: true, deletes: true, size: sizeCuckooScalable,
		literal: "cuckoo.NewScalable(cuckoo.ScalableConfig{%[1]s})",
		remark:  "grows page by page, later to up to three times as many bits per key"},
	{name: "counting", deletes: true, counts: true, size: sizeCounting, keys: "Capacity", fills: true,
		literal: "counting.New(counting.Config{%[1]s})", remark: "counts to 14, and can be converted to a Bloom filter"},
	{name: "count-min", counts: true, only: true, size: sizeSketch,
		literal: "countmin.New(countmin.Config{Epsilon: %[3]s, Delta: %[2]s, Conservative: true})",
		remark:  "counts to 2^32-1; a count may be too high by up to the mean count, or by more for the given fraction of keys; ErrorQuantile returns a closer bound"},
}

// numbered is the remark for a growing structure that should count keys. Such a
// structure accepts only a few copies of a key, or does not count them.
const numbered = "to count, add numbered keys: append 2 to the second copy of a key, and so on; the number of keys and the size include all copies. " +
	"If you know the number of keys, counting is smaller"

// ErrNeeds is returned when no structure serves the needs.
var ErrNeeds = errors.New("no structure meets these needs")

// For returns the structures that serve the needs: those that meet the rate
// within the memory, sorted by size, and then others, sorted by rate. Without a
// number of keys, the structure with room for the most keys comes first. The
// Bloom filter goes ahead of structures that are only slightly smaller. The
// error is ErrNeeds if no structure serves the needs.
func For(n Needs) ([]Choice, error) {
	return choose(n, func(c candidate) bool { return c.serves(n) })
}

// Filters is like [For], but returns all filters that do not grow, regardless
// of the operations that are needed.
func Filters(n Needs) ([]Choice, error) {
	return choose(n, func(c candidate) bool { return !c.grows && !c.only })
}

func choose(n Needs, serves func(c candidate) bool) ([]Choice, error) {
	switch {
	case n.Keys == 0 && !(n.Rate > 0 && n.Memory > 0):
		return nil, fmt.Errorf("%w: 0 keys: want at least 1, or a rate and a memory", ErrNeeds)
	case !(n.Rate > 0 && n.Rate < 1 || n.Rate == 0 && n.Memory > 0):
		return nil, fmt.Errorf("%w: rate %g: want above 0 and below 1", ErrNeeds, n.Rate)
	}
	var list []Choice
	var failed error
	for _, c := range candidates {
		if !serves(c) {
			continue
		}
		choice, err := c.within(n)
		if err != nil {
			failed = cmp.Or(failed, err) // the other errors say the same
			continue
		}
		list = append(list, choice)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: %w", ErrNeeds, failed)
	}
	slices.SortStableFunc(list, func(a, b Choice) int {
		return cmp.Or(cmp.Compare(a.Rate, b.Rate), cmp.Compare(b.Keys, a.Keys), cmp.Compare(a.Bytes, b.Bytes))
	})
	return bloomFirst(list), nil
}

// serves reports whether c has the required operations, and no other operations
// that are costly.
func (c candidate) serves(n Needs) bool {
	grow := n.Guess && n.Keys > 0 // otherwise the memory limits the keys
	switch {
	case grow && !c.grows && !c.fixed, c.grows && !grow:
		return false // cannot grow, or does not need to
	case n.Delete && !c.deletes, n.Counts && !c.counts && !c.grows, c.only && !n.Counts, c.fixed && !n.Fixed:
		return false // lacks an operation
	case c.deletes && c.counts:
		return n.Delete || n.Counts // it is four times as large
	}
	return true
}

// bloomFirst moves the Bloom filter to the front if it has the same rate as the
// first choice and needs no more than 5% more memory per key. The Bloom filter
// is preferred because it is filled much faster than a compact cuckoo filter
// and accepts every key.
func bloomFirst(list []Choice) []Choice {
	i := slices.IndexFunc(list, func(c Choice) bool { return c.Structure == "bloom" })
	if i > 0 && list[i].Rate == list[0].Rate && list[i].BitsPerKey <= 1.05*list[0].BitsPerKey {
		return slices.Concat(list[i:i+1], list[:i], list[i+1:])
	}
	return list
}

// within computes the size of c at the requested rate or, if this rate is 0 or
// needs too much memory, at the lowest rate within the memory. If the number of
// keys is 0, it uses the largest number within the memory. If the structure
// cannot have the requested rate at all, it returns an error.
func (c candidate) within(n Needs) (Choice, error) {
	if n.Keys > 0 && n.Rate > 0 {
		choice, err := c.choice(n, n.Rate)
		if err != nil || n.Memory == 0 || choice.Bytes <= n.Memory {
			return choice, err
		}
	}
	memory := "MemoryBytes: " + integer(n.Memory)
	switch {
	case c.fills && n.Keys == 0:
		choice, err := c.size(0, n.Rate, n.Memory)
		choice.Rate = n.Rate
		return c.describe(n, choice, "FPRate: "+number(n.Rate)+", "+memory), err
	case c.fills:
		choice, err := c.size(n.Keys, 0, n.Memory)
		if err != nil || choice.Rate > highestRate {
			return Choice{}, c.tooMany(n)
		}
		return c.describe(n, choice, memory), nil
	case n.Keys == 0:
		return c.most(n)
	}
	return c.lowest(n)
}

// lowest finds the lowest rate within the memory by a binary search.
func (c candidate) lowest(n Needs) (Choice, error) {
	i := sort.Search(threeDigitNumbers, func(i int) bool {
		choice, err := c.choice(n, threeDigits(i))
		return threeDigits(i) >= n.Rate && err == nil && choice.Bytes <= n.Memory
	})
	if i == threeDigitNumbers || threeDigits(i) > highestRate {
		return Choice{}, c.tooMany(n)
	}
	return c.choice(n, threeDigits(i))
}

// most finds the largest number of keys within the memory.
func (c candidate) most(n Needs) (Choice, error) {
	n.Keys = sizing.LargestWithin(float64(n.Memory), n.Memory, func(keys uint64) float64 {
		choice, err := c.size(keys, n.Rate, 0)
		if err != nil {
			return math.Inf(1)
		}
		return float64(choice.Bytes)
	})
	if n.Keys == 0 {
		return Choice{}, c.tooSmall(Needs{Keys: 1, Rate: n.Rate, Memory: n.Memory}, "no key fits in %s MiB at this rate")
	}
	return c.choice(n, n.Rate)
}

// highestRate is the highest rate that is recommended.
const highestRate = 0.5

func (c candidate) tooMany(n Needs) error {
	n.Rate = highestRate
	verb := " do"
	if n.Keys == 1 {
		verb = " does"
	}
	return c.tooSmall(n, counted(n.Keys, "key")+verb+" not fit in %s MiB at any rate below 50%%")
}

// tooSmall returns an error that contains the memory in MiB, and names a memory
// that is sufficient if there is one.
func (c candidate) tooSmall(n Needs, format string) error {
	choice, err := c.size(n.Keys, n.Rate, 0)
	if err != nil {
		return err
	}
	const roundedUp = 1.006 // for three digits
	return fmt.Errorf(format+": want at least %s MiB", mebibytes(n.Memory), mebibytes(uint64(math.Ceil(roundedUp*float64(choice.Bytes)))))
}

func (c candidate) choice(n Needs, rate float64) (Choice, error) {
	choice, err := c.size(n.Keys, rate, 0)
	if err != nil {
		return Choice{}, err
	}
	fields := "FPRate: " + number(rate)
	switch {
	case c.grows && n.Memory > 0:
		fields += ", MemoryBytes: " + integer(n.Memory)
		if choice.Bytes <= n.Memory {
			choice, err = c.size(n.Keys, rate, n.Memory)
		}
	case c.name == "static" && rate > n.Rate:
		fields = "MemoryBytes: " + integer(n.Memory)
	}
	choice.Rate = rate
	return c.describe(n, choice, fields), err
}

// describe sets the fields of a Choice other than its rate, size and Params.
// fields contains the Config fields for the rate and the memory limit as Go
// code.
func (c candidate) describe(n Needs, choice Choice, fields string) Choice {
	choice.Structure = c.name
	choice.Remark = c.remark
	if n.Counts && c.grows {
		choice.Remark = numbered
	}
	if n.Keys > 0 {
		choice.Keys = n.Keys
		if c.keys != "" {
			fields = c.keys + ": " + integer(n.Keys) + ", " + fields
		}
	}
	choice.BitsPerKey = 8 * float64(choice.Bytes) / float64(choice.Keys)
	choice.Literal = fmt.Sprintf(c.literal, fields, number(choice.Rate), number(epsilon(choice.Keys)))
	return choice
}
