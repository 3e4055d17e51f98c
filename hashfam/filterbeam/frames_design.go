package filterbeam

import (
	"context"
	"io"
	"iter"
	"math/rand/v2"

	"github.com/filterfam/filterfam/hashfam"
)

// In frames, each bundle builds a structure, and the structures are merged in
// two levels: each task merges the structures that it receives, and the last
// task merges the results.
type frames struct{ spec }

// mergers is the number of tasks that merge the bundles' structures.
const mergers = 32

// A frameCollector adds keys to the bundle's structure.
type frameCollector struct {
	structure
	keys uint64
	emit emitter
}

func (f frames) collector(emit emitter) (collector, error) {
	empty, err := f.empty()
	return &frameCollector{structure: empty, emit: emit}, err
}

func (c *frameCollector) add(digests []hashfam.Digest, keys [][]byte) error {
	c.keys += uint64(len(digests))
	return c.structure.add(digests, keys)
}

func (c *frameCollector) flush() error {
	frame, err := c.frame()
	if err == nil {
		c.emit(rand.IntN(mergers), c.keys, frame)
	}
	return err
}

func (f frames) gather(_ context.Context, _ string, _ int, values iter.Seq[[]byte]) ([]byte, error) {
	merged, err := f.empty()
	if err != nil {
		return nil, err
	}
	for frame := range values {
		if err := merged.merge(frame); err != nil {
			return nil, err
		}
	}
	return merged.frame()
}

func (f frames) finish(_ context.Context, records iter.Seq2[int, []byte], sum *Summary) (io.WriterTo, error) {
	merged, err := f.empty()
	if err != nil {
		return nil, err
	}
	for _, frame := range records {
		if err := merged.merge(frame); err != nil {
			return nil, err
		}
	}
	merged.describe(sum)
	return merged, nil
}
