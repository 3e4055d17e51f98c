package measure

import "math"

// Ratios are the times of a structure over those of the one of ours that does
// the same, each the median over the rounds of the ratio within a round: what
// disturbs the machine for a while disturbs both. Above 1 ours is faster.
type Ratios struct {
	Against string   `json:"against"`     // empty if there is none; then the ratios are nil
	Rate    *float64 `json:"against_fpr"` // the target of ours
	Bits    *float64 `json:"bits_ratio"`
	Add     *float64 `json:"add_ratio"`
	Hit     *float64 `json:"hit_ratio"`
	Miss    *float64 `json:"miss_ratio"`
	Delete  *float64 `json:"delete_ratio"`
}

// ratiosOf compares c with the cell of the structure it names: the one of the
// same rate or, if there is none, of the nearest rate.
func ratiosOf(c *cell, cells []*cell) Ratios {
	if c.Against == "" {
		return Ratios{}
	}
	var ours *cell
	for _, x := range cells {
		if x.Name == c.Against && len(x.done) > 0 && (ours == nil || distance(x.rate, c.rate) < distance(ours.rate, c.rate)) {
			ours = x
		}
	}
	if ours == nil {
		return Ratios{}
	}
	ratio := func(of func(result) float64) *float64 { return medianRatio(c.times(of), ours.times(of), c.skipped+1) }
	return Ratios{
		Against: ours.Name, Rate: &ours.rate, Bits: medianRatio([]float64{float64(c.bytes)}, []float64{float64(ours.bytes)}, 1),
		Add: ratio(add), Hit: ratio(hit), Miss: ratio(miss), Delete: ratio(del),
	}
}

// distance tells near rates from far ones by their ratio. An exact set, of rate
// 0, is nearest to the smallest.
func distance(a, b float64) float64 {
	return math.Abs(math.Log(max(a, math.SmallestNonzeroFloat64)) - math.Log(max(b, math.SmallestNonzeroFloat64)))
}

// medianRatio compares the rounds that both have: theirs[i] and ours[i*every].
// A time of 0 is none. It returns nil if there are none.
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
