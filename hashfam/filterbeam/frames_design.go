package filterbeam

import (
	"context"
	"io"
	"iter"
	"math/rand/v2"

	"github.com/filterfam/filterfam/hashfam"
)

// In frames, each bundle builds a structure, and the structures are merged in
// two levels.
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
	made, err := f.open()
	return &frameCollector{structure: made, emit: emit}, err
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
	merged, err := f.open()
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

func (f frames) finish(ctx context.Context, out string, records iter.Seq2[record, error], sum *Summary) error {
	merged, err := f.open()
	if err != nil {
		return err
	}
	for record, err := range records {
		if err == nil {
			err = merged.merge(record.value)
		}
		if err != nil {
			return err
		}
	}
	merged.describe(sum)
	return writeFrame(ctx, out, merged, sum)
}

// writeFrame writes a structure's frame.
func writeFrame(ctx context.Context, out string, made io.WriterTo, sum *Summary) error {
	return replace(ctx, out, func(w io.Writer) error {
		n, err := made.WriteTo(w)
		sum.Size = uint64(n)
		return err
	})
}
