package cuckoo

import (
	"fmt"
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A ScalableConfig describes a [Scalable] filter.
type ScalableConfig struct {
	// Expected is the number of keys, counting copies, that the filter has room
	// for from the start: at least 1. It need not be exact: the filter grows
	// beyond it.
	Expected uint64

	// FPRate is the highest false-positive rate, as a fraction: 0.01 is 1 %. It
	// is at least 1e-6 and below 1. It holds whatever the number of keys.
	FPRate float64

	// Compact saves one bit per slot: fingerprints are kept sorted in their
	// buckets. Lookups take a sixth longer, Adds 40 to 50 % longer.
	Compact bool

	// Family hashes the keys. The zero value is the public family. Use a keyed
	// family if untrusted parties choose keys.
	Family hashfam.Family

	_ struct{} // literals name their fields
}

// minScalableRate is the least FPRate that holds after any number of splits.
const minScalableRate = 1e-6

// check returns an error with the given reason that names the invalid field,
// or nil if the fields of c are valid.
func (c ScalableConfig) check(reason error) error {
	if c.Expected == 0 {
		return errs.Field(reason, "ScalableConfig.Expected", c.Expected, "at least 1")
	}
	if !(c.FPRate >= minScalableRate && c.FPRate < 1) {
		return errs.Field(reason, "ScalableConfig.FPRate", c.FPRate, fmt.Sprintf("at least %g and below 1", minScalableRate))
	}
	g := c.geometry()
	if g.roots > sizing.MaxBits/(8*g.pageBytes(g.tails[0])) {
		return errs.Field(reason, "ScalableConfig.Expected", c.Expected,
			fmt.Sprintf("a number of keys that fits in %d bits", uint64(sizing.MaxBits)))
	}
	return nil
}

// The numbers of bits of the two parts of a fingerprint. The partner is never
// zero.
const (
	partnerBits = 5
	partners    = 1<<partnerBits - 1
	minTail     = 4
	maxTail     = maxBits - partnerBits - 1
	maxDepth    = 48 // of a page: more do not fit in 2^48 bits
)

// The least and the greatest number of buckets of a page.
const (
	minPage = 128
	maxPage = 1024
)

// A geometry holds the numbers that follow from a ScalableConfig.
type geometry struct {
	buckets uint64               // of a page, a power of two
	roots   uint64               // pages at the start
	compact bool                 // pages are
	tails   [maxDepth + 1]uint8  // the tails of new keys in pages of each depth
	moves   [partners + 1]uint64 // what a partner does to the number of a bucket
}

// spare is what a page is planned to have free, in roots of its slots.
const spare = 3.5

// geometry returns the geometry of c, whose fields are in their ranges. Pages
// are as large as Expected allows, so that they fill evenly.
func (c ScalableConfig) geometry() geometry {
	g := geometry{buckets: minPage, compact: c.Compact, tails: planTails(c.FPRate)}
	for g.buckets < maxPage && g.buckets < c.Expected/16 {
		g.buckets *= 2
	}
	// The numbers of keys of the pages vary by a root: few pages split early.
	s := float64(slots * g.buckets)
	g.roots = uint64(max(1, math.Ceil(float64(c.Expected)/s/(1-spare/math.Sqrt(s)))))
	return g
}

// pageParams returns the parameters of the table of a page with that tail.
func (g *geometry) pageParams(tail uint8) Params {
	return Params{Buckets: g.buckets, FingerprintBits: partnerBits + int(tail) + 1, Compact: g.compact}
}

// pageBytes returns the size of a page's table.
func (g *geometry) pageBytes(tail uint8) uint64 { return g.pageParams(tail).bytes() }

// planTails returns for every depth the tail of the keys that are added to
// pages of that depth. A page that is full of keys with tails of t bits has a
// rate of at most
//
//	p(t) = 8 / (31 * 2^t)
//
// and a page that has split many times holds keys of all depths: as many of
// depth 0 as a full page, and half as many of each of the others, in relation
// to their rates. So the rate stays below
//
//	p(tails[0]) + p(tails[1])/2 + p(tails[2])/2 + ...
//
// The first may take two thirds of FPRate, and that of depth d one of d+2 parts
// of what is left.
func planTails(rate float64) (tails [maxDepth + 1]uint8) {
	left := rate
	for d := range tails {
		share, weight := left/float64(d+2), 0.5
		if d == 0 {
			share, weight = left*2/3, 1
		}
		t := minTail
		for t < maxTail && weight*tailRate(t) > share {
			t++
		}
		tails[d] = uint8(t)
		left -= weight * tailRate(t)
	}
	return tails
}

// tailRate returns the rate of a full page of keys with tails of t bits.
func tailRate(t int) float64 { return 2 * slots / float64(uint64(partners)<<t) }

// NewScalable returns an empty filter for c. It returns [ErrParams], naming the
// field, if c is invalid. If the machine does not have the memory, the program
// ends. O(Expected) time.
func NewScalable(c ScalableConfig) (*Scalable, error) {
	if err := c.check(ErrParams); err != nil {
		return nil, err
	}
	s := newScalable(c)
	s.Reset()
	return s, nil
}

// SizeBytes returns the memory of a new filter for c in bytes: that of its
// first pages. It returns 0 if [NewScalable] returns an error. O(1) time.
func (c ScalableConfig) SizeBytes() uint64 {
	if c.check(ErrParams) != nil {
		return 0
	}
	g := c.geometry()
	return g.roots * (plotHeader + pointer + pageHeader + g.pageBytes(g.tails[0]))
}

// NewScalableReceiver returns an empty filter to decode into. It accepts
// encodings made under fam; the zero Scalable accepts those of the public
// family. O(1) time.
func NewScalableReceiver(fam hashfam.Family) *Scalable {
	return &Scalable{config: ScalableConfig{Family: fam}}
}

// newScalable returns a filter without plots.
func newScalable(c ScalableConfig) *Scalable {
	s := &Scalable{config: c, geometry: c.geometry()}
	r := keyedRelocation(s.buckets, uint64(c.Family.Derive("cuckoo relocation").SumUint64(0)))
	for k := range s.moves {
		s.moves[k] = r.hash(uint64(k)).pattern & (s.buckets - 1)
	}
	return s
}

// Config returns the configuration of s. O(1) time.
func (s *Scalable) Config() ScalableConfig { return s.config }
