package filterbeam

import (
	"context"
	"io"
	"iter"
	"math/rand/v2"

	"github.com/filterfam/filterfam/hashfam"
)

// Frames: each bundle builds a structure, and these are merged in two levels.
type frames struct{ spec spec }

// mergers is the number of tasks that merge the structures of the bundles.
const mergers = 32

// A frameCollector is a bundle's structure.
type frameCollector struct {
	*process
	keys uint64
}

func (frames) perKey() uint64 { return 1 }

func (f frames) collector() (collector, error) {
	p, err := f.spec.process()
	return &frameCollector{process: p}, err
}

func (c *frameCollector) addKeys(keys [][]byte, _ emitter) error {
	c.keys += uint64(len(keys))
	return c.process.addKeys(keys)
}

func (c *frameCollector) addDigests(digests []hashfam.Digest, _ emitter) error {
	c.keys += uint64(len(digests))
	return c.opened.add(digests, nil)
}

func (c *frameCollector) flush(emit emitter) error {
	frame, err := c.opened.frame()
	if err == nil {
		emit(rand.IntN(mergers), c.keys, frame)
	}
	return err
}

func (f frames) gather(_ context.Context, _ string, _ int, values iter.Seq[[]byte]) ([]byte, error) {
	merged, err := f.merge(certain(values))
	if err != nil {
		return nil, err
	}
	return merged.frame()
}

// certain returns a sequence that has no errors as one that may have some.
func certain(values iter.Seq[[]byte]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for value := range values {
			if !yield(value, nil) {
				return
			}
		}
	}
}

// merge returns the merger of all frames.
func (f frames) merge(frames iter.Seq2[[]byte, error]) (structure, error) {
	merged, err := f.spec.open()
	if err != nil {
		return nil, err
	}
	for frame, err := range frames {
		if err != nil {
			return nil, err
		}
		if err := merged.merge(frame); err != nil {
			return nil, err
		}
	}
	return merged, nil
}

func (f frames) finish(ctx context.Context, out string, records iter.Seq2[[]byte, error], sum *Summary) error {
	merged, err := f.merge(records)
	if err != nil {
		return err
	}
	merged.describe(sum)
	return writeFrame(ctx, out, merged, sum)
}

// writeFrame writes the frame of a structure.
func writeFrame(ctx context.Context, out string, made io.WriterTo, sum *Summary) error {
	return replace(ctx, out, func(w io.Writer) error {
		n, err := made.WriteTo(w)
		sum.Size = uint64(n)
		return err
	})
}
