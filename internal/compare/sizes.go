package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/plot/plotter"
)

// sizeSeries returns bits per key by the number of keys, at 1 %.
func (s sweep) sizeSeries(ctx context.Context) ([]series, error) {
	keys := syntheticKeys(rand.NewChaCha8([32]byte([]byte("filterfam compare sizes of keys!"))), s.sizes[len(s.sizes)-1])
	var list []series
	for _, one := range named("bloom", "cuckoo", "cuckoo-compact", "static", "perfect", "fuse8", "ristretto", "seiflotfy-cuckoo") {
		line := series{name: one.name, look: markOf(one.name)}
		for i, n := range s.sizes {
			if one.static && i%staticEvery != 0 {
				continue
			}
			bytes, err := (&cell{structure: one, rate: 0.01}).size(ctx, keys.first(n))
			if err != nil {
				return nil, fmt.Errorf("%s of %d keys: %w", one.name, n, err)
			}
			line.XYs = append(line.XYs, plotter.XY{X: float64(n), Y: 8 * float64(bytes) / float64(n)})
		}
		list = append(list, line)
	}
	return list, nil
}

// staticEvery thins out the sizes of static filters, which have to be built
// before their size is known.
const staticEvery = 4

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
