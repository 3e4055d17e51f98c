package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/filterfam/filterfam/internal/sizing"
)

// A Row contains the results for a structure at a rate. The fields with tags
// are encoded as JSON.
type Row struct {
	Structure      string   `json:"structure"`
	Hash           string   `json:"hash"`
	TargetFPR      float64  `json:"target_fpr"`
	N              int      `json:"n"`
	Bytes          uint64   `json:"bytes"`
	BitsPerKey     float64  `json:"bits_per_key"`
	BoundRatio     *float64 `json:"bound_ratio"` // nil for exact sets without a bound
	FPR            float64  `json:"fpr"`
	FPRLow         float64  `json:"fpr_low"`
	FPRHigh        float64  `json:"fpr_high"`
	FalseNegatives uint64   `json:"false_negatives"`
	AddNS          float64  `json:"add_ns"`
	HitNS          float64  `json:"hit_ns"`
	MissNS         float64  `json:"miss_ns"`
	DeleteNS       *float64 `json:"delete_ns"`    // nil if keys cannot be deleted
	Refused        uint64   `json:"refused"`      // keys refused by Add in all rounds
	ForeignRate    *float64 `json:"foreign_rate"` // the rate for keys in neither list, if the structure knows both
	Ratios

	Of      Structure `json:"-"`
	Beside  bool      `json:"-"` // has a peer's fixed rate, for comparison
	Rounds  int       `json:"-"`
	Queries uint64    `json:"-"` // of absent keys
	Given   uint64    `json:"-"` // keys passed to Add
}

func (c *cell) row(cells []*cell, n int) Row {
	var sum result
	for _, r := range c.done {
		sum.queries += r.queries
		sum.positive += r.positive
		sum.negative += r.negative
		sum.given += r.given
		sum.refused += r.refused
		sum.foreign += r.foreign
		sum.taken += r.taken
	}
	r := Row{
		Structure: c.Name, Hash: c.hash(), TargetFPR: c.rate, N: n, Bytes: c.bytes, BitsPerKey: 8 * float64(c.bytes) / float64(n),
		FPR: float64(sum.positive) / float64(sum.queries), FalseNegatives: sum.negative,
		AddNS: Median(c.times(add)), HitNS: Median(c.times(hit)), MissNS: Median(c.times(miss)),
		Refused: sum.refused, Ratios: ratiosOf(c, cells),
		Of: c.Structure, Beside: c.beside, Rounds: len(c.done), Queries: sum.queries, Given: sum.given,
	}
	r.FPRLow, r.FPRHigh = wilson(sum.positive, sum.queries)
	if bound := c.bound(n); bound > 0 {
		r.BoundRatio = pointer(r.BitsPerKey / bound)
	}
	if sum.foreign > 0 {
		r.ForeignRate = pointer(float64(sum.taken) / float64(sum.foreign))
	}
	if ns := Median(c.times(del)); ns > 0 {
		r.DeleteNS = pointer(ns)
	}
	return r
}

func (c *cell) times(operation int) []float64 {
	var list []float64
	for _, r := range c.done {
		list = append(list, r.ns[operation])
	}
	return list
}

// bound returns the lower bound for the bits per key, or 0 if there is none.
func (c *cell) bound(n int) float64 {
	switch {
	case c.Knows && c.Exact:
		return sizing.ExactBound(uint64(n), uint64(c.absent.Len())) / float64(n)
	case c.Knows:
		return sizing.ListsBound(uint64(n), uint64(c.absent.Len()), c.rate) / float64(n)
	case c.Exact:
		return 0
	case Median(c.times(del)) > 0: // keys can be deleted
		return sizing.DynamicBound(c.rate)
	}
	return sizing.LowerBound(c.rate)
}

// Ratios contains a structure's size and times divided by those of our similar
// structure. Times are divided in each round, because a disturbance of the
// machine affects both times of a round, and Ratios contains the medians of the
// results.
type Ratios struct {
	Against string   `json:"against"`     // if it is empty, the ratios are nil
	Rate    *float64 `json:"against_fpr"` // our target rate
	Bits    *float64 `json:"bits_ratio"`
	Add     *float64 `json:"add_ratio"`
	Hit     *float64 `json:"hit_ratio"`
	Miss    *float64 `json:"miss_ratio"`
	Delete  *float64 `json:"delete_ratio"`
}

// ratiosOf compares c with the cell of c.Against that has the nearest rate.
func ratiosOf(c *cell, cells []*cell) Ratios {
	like := Where(cells, func(x *cell) bool { return x.Name == c.Against && len(x.done) > 0 })
	if len(like) == 0 {
		return Ratios{}
	}
	const tiny = 1e-300 // for exact sets, whose rate is 0
	distance := func(x *cell) float64 { return math.Abs(math.Log(max(x.rate, tiny) / max(c.rate, tiny))) }
	ours := slices.MinFunc(like, func(a, b *cell) int { return cmp.Compare(distance(a), distance(b)) })
	ratio := func(operation int) *float64 {
		return medianRatio(c.times(operation), ours.times(operation), c.skipped+1)
	}
	return Ratios{
		Against: ours.Name, Rate: &ours.rate, Bits: medianRatio([]float64{float64(c.bytes)}, []float64{float64(ours.bytes)}, 1),
		Add: ratio(add), Hit: ratio(hit), Miss: ratio(miss), Delete: ratio(del),
	}
}

// medianRatio compares theirs[i] with ours[i*every]. It ignores times that are
// 0, and returns nil if there are no others.
func medianRatio(theirs, ours []float64, every int) *float64 {
	var list []float64
	for i := range theirs {
		if i*every < len(ours) && theirs[i] > 0 && ours[i*every] > 0 {
			list = append(list, theirs[i]/ours[i*every])
		}
	}
	if len(list) == 0 {
		return nil
	}
	return pointer(Median(list))
}

// A Failure is a peer that could not be measured in all rounds.
type Failure struct {
	Structure string  `json:"structure"`
	TargetFPR float64 `json:"target_fpr"`
	Error     string  `json:"error"`
	Rounds    int     `json:"-"` // complete rounds
}

// Broken returns an error if one of our structures lost a key or a count.
func (r *Results) Broken() error {
	var lost, below []string
	for _, x := range r.Rows {
		if x.FalseNegatives > 0 && !x.Of.Peer {
			lost = append(lost, fmt.Sprintf("%s at %g: %s", x.Structure, x.TargetFPR, Counted(int(x.FalseNegatives), "time", "times")))
		}
	}
	for _, x := range r.Frequency {
		if x.BelowTruth > 0 && !x.Peer {
			below = append(below, fmt.Sprintf("%s: %s", x.Structure, Counted(int(x.BelowTruth), "time", "times")))
		}
	}
	switch {
	case len(lost) > 0:
		return fmt.Errorf("an added key was not found, which must never happen: %s", strings.Join(lost, "; "))
	case len(below) > 0:
		return fmt.Errorf("a count was below the truth, which must never happen: %s", strings.Join(below, "; "))
	}
	return nil
}

func pointer(x float64) *float64 { return &x }

// Thousands formats n with commas.
func Thousands[T int | uint64](n T) string { return humanize.Comma(int64(n)) }

// Counted formats a number with a noun in the singular or plural.
func Counted(n int, one, many string) string {
	return Thousands(n) + " " + english.PluralWord(n, one, many)
}

// wilson returns the 95% score interval of Wilson (1927) for yes/total, which
// is valid for small rates, too. It contains yes/total in spite of rounding
// errors.
func wilson(yes, total uint64) (low, high float64) {
	const z95 = 1.959963984540054 // the 97.5% quantile of the normal distribution
	if total == 0 {
		return 0, 1
	}
	n, p := float64(total), float64(yes)/float64(total)
	center := p + z95*z95/(2*n)
	spread := z95 * math.Sqrt(p*(1-p)/n+z95*z95/(4*n*n))
	scale := 1 + z95*z95/n
	return max(0, min(p, (center-spread)/scale)), min(1, max(p, (center+spread)/scale))
}

// Median returns the middle of values, or the mean of the two in the middle.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
