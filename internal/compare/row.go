package main

import (
	"math"

	"github.com/filterfam/filterfam/internal/sizing"
)

// A row holds the results of a cell. The tagged fields are the JSON form and,
// under the same names, the columns of the CSV form.
type row struct {
	Structure      string   `json:"structure"`
	TargetFPR      float64  `json:"target_fpr"`
	N              int      `json:"n"`
	Bytes          uint64   `json:"bytes"`
	BitsPerKey     float64  `json:"bits_per_key"`
	BoundRatio     *float64 `json:"bound_ratio"` // nil for an exact set that takes any key: it has no bound
	FPR            float64  `json:"fpr"`
	FPRLow         float64  `json:"fpr_low"`
	FPRHigh        float64  `json:"fpr_high"`
	FalseNegatives uint64   `json:"false_negatives"`
	AddNS          float64  `json:"add_ns"`
	HitNS          float64  `json:"hit_ns"`
	MissNS         float64  `json:"miss_ns"`
	DeleteNS       *float64 `json:"delete_ns"`    // nil if nothing can be deleted
	Refused        uint64   `json:"refused"`      // keys that Add did not take, in all rounds
	ForeignRate    *float64 `json:"foreign_rate"` // of keys in neither list taken for members, if both lists are known
	ratios

	structure structure
	beside    bool
	rounds    int
	queries   uint64
	given     uint64
}

// rows returns a row for each cell that finished at least one round.
func rows(cells []*cell, n int) []row {
	list := []row{}
	for _, c := range cells {
		if c.rounds > 0 {
			list = append(list, c.row(cells, n))
		}
	}
	return list
}

// row returns the results of c for n keys.
func (c *cell) row(cells []*cell, n int) row {
	r := row{
		Structure: c.name, TargetFPR: c.rate, N: n, Bytes: c.bytes,
		BitsPerKey:     8 * float64(c.bytes) / float64(n),
		FPR:            float64(c.positive) / float64(c.queries),
		FalseNegatives: c.negative,
		AddNS:          median(c.add), HitNS: median(c.hit), MissNS: median(c.miss),
		Refused: c.refused, ratios: ratiosOf(c, cells),
		structure: c.structure, beside: c.beside, rounds: c.rounds, queries: c.queries, given: c.given,
	}
	r.FPRLow, r.FPRHigh = wilson(c.positive, c.queries)
	if bound := c.bound(n); bound > 0 {
		ratio := r.BitsPerKey / bound
		r.BoundRatio = &ratio
	}
	if c.foreign > 0 {
		rate := float64(c.taken) / float64(c.foreign)
		r.ForeignRate = &rate
	}
	if len(c.del) > 0 {
		ns := median(c.del)
		r.DeleteNS = &ns
	}
	return r
}

// bound returns the least bits that any structure needs for each of n keys: for
// a rate, or to tell them from the absent keys. It returns 0 for an exact set
// that takes any key.
func (c *cell) bound(n int) float64 {
	switch {
	case c.knows:
		return sizing.ExactBound(uint64(n), uint64(c.absent.len())) / float64(n)
	case c.exact:
		return 0
	}
	return math.Log2(1 / c.rate)
}
