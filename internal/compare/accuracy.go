package main

import (
	"context"
	"fmt"
)

// measureAccuracy returns the rows of all our structures at every number of
// keys.
func (s sweep) measureAccuracy(ctx context.Context, done func()) (map[int][]row, error) {
	result := make(map[int][]row)
	for _, n := range s.accuracy {
		e, err := newExperiment(ctx, syntheticData(n), ourOwn(), s.rates, nil)
		if err != nil {
			return nil, err
		}
		if s.rounds < e.plan.rounds {
			e.plan.rounds = max(s.rounds, min(e.plan.rounds, 4_000_000/n/len(e.cells)))
		}
		e.plan.rounds = min(e.plan.rounds, s.most)
		r, err := e.run(ctx, func() {})
		if err != nil {
			return nil, err
		}
		if err := r.broken(); err != nil {
			return nil, err
		}
		result[n] = r.rows
		done()
	}
	return result, nil
}

// accuracyTable shows the measured over the requested rate by the number of
// keys.
func (s sweep) accuracyTable(rate float64, found map[int][]row) table {
	t := table{columns: []column{{name: "structure", left: true}}}
	for _, n := range s.accuracy {
		t.columns = append(t.columns, column{name: thousands(n) + " keys"})
	}
	for _, one := range ourOwn() {
		cells := []string{one.name}
		for _, n := range s.accuracy {
			for _, x := range found[n] {
				if x.Structure == one.name && x.TargetFPR == rate {
					cells = append(cells, fmt.Sprintf("%.3f ± %.3f", x.FPR/rate, (x.FPRHigh-x.FPRLow)/2/rate))
				}
			}
		}
		t.lines = append(t.lines, line{cells: cells})
	}
	return t
}
