package main

import (
	"context"
	"fmt"

	"gonum.org/v1/plot/plotter"

	"github.com/filterfam/filterfam/hashfam"
)

// sizeSeries returns bits per key by the number of keys, at 1 %.
func (s sweep) sizeSeries(ctx context.Context) ([]series, error) {
	var list []series
	for _, one := range named("bloom", "cuckoo", "cuckoo-compact", "ristretto", "seiflotfy-cuckoo") {
		line := series{name: one.name, look: markOf(one.name)}
		for _, n := range s.sizes {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			f, err := one.build(uint64(n), 0.01, hashfam.Family{})
			if err != nil {
				return nil, fmt.Errorf("%s of %d keys: %w", one.name, n, err)
			}
			line.XYs = append(line.XYs, plotter.XY{X: float64(n), Y: 8 * float64(f.SizeBytes()) / float64(n)})
		}
		list = append(list, line)
	}
	return list, nil
}

// sizeChart draws bits per key against the number of keys.
func sizeChart(list []series) *chart {
	c := newChart("bits-by-n", "What a key costs at 1 %, by the number of keys", "keys", "bits per key")
	first, last := list[0].XYs[0].X, list[0].XYs[len(list[0].XYs)-1].X
	c.across(first, last, 7, countTicks)
	c.up(0, 28, every(4, 28))
	for _, l := range list {
		c.line(l.XYs, l.look)
	}
	c.nameEnds(list, 1.5)
	return c
}
