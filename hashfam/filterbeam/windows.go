package filterbeam

import (
	"context"
	"encoding/binary"
	"io"
	"iter"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// Windows: each owner fills a range of the array and writes it to a part file;
// the parts are streamed into one frame.
type windows struct{ array array }

// A windowCollector routes digests to the windows.
type windowCollector struct {
	array   *array
	digests []hashfam.Digest
	blocks  *blocks
}

func (w windows) collector() (collector, error) {
	return &windowCollector{array: &w.array, blocks: newBlocks(w.array.windows())}, nil
}

func (c *windowCollector) addKeys(keys [][]byte, emit emitter) error {
	c.digests = c.array.family.SumAll(c.digests[:0], keys)
	return c.addDigests(c.digests, emit)
}

func (c *windowCollector) addDigests(digests []hashfam.Digest, emit emitter) error {
	c.blocks.emit = emit
	for _, d := range digests {
		c.array.route(d, c.blocks)
	}
	return nil
}

func (c *windowCollector) flush(emit emitter) error {
	c.blocks.emit = emit
	c.blocks.flush()
	return nil
}

func (w windows) gather(ctx context.Context, out string, owner int, values iter.Seq[[]byte]) ([]byte, error) {
	from, to := w.array.bytes(owner)
	words := make([]uint64, (to-from)/8)
	for block := range values {
		w.array.fill(words, owner, block)
	}
	return writePart(ctx, out, owner, words)
}

// finish writes the frame. A window that got no key has no part; it is zeros.
func (w windows) finish(ctx context.Context, out string, records iter.Seq[[]byte], sum *Summary) error {
	parts, err := partsOf(records)
	if err != nil {
		return err
	}
	sum.FPRate = w.array.rateAt(sum.Keys)
	sum.Size = w.array.header.Size()
	return replace(ctx, out, func(dst io.Writer) error {
		var failed error
		payload := func(yield func([]byte) bool) {
			failed = w.payload(ctx, parts, yield)
		}
		_, err := frame.Write(dst, w.array.header, payload)
		if failed != nil {
			return failed
		}
		return err
	})
}

// payload yields the bytes of all windows in order.
func (w windows) payload(ctx context.Context, parts map[int]part, yield func([]byte) bool) error {
	for owner := range w.array.windows() {
		from, to := w.array.bytes(owner)
		next, written := parts[owner]
		if !written {
			yieldZeros(to-from, yield)
			continue
		}
		if next.Bytes != to-from {
			return errs.Field(ErrCorrupt, "length of "+next.Name, next.Bytes, binaryLength(to-from))
		}
		if err := next.read(ctx, yield); err != nil {
			return err
		}
	}
	return nil
}

// yieldZeros yields n zero bytes, in pieces.
func yieldZeros(n uint64, yield func([]byte) bool) {
	zeros := make([]byte, min(n, blockBytes))
	for n > 0 {
		piece := zeros[:min(n, uint64(len(zeros)))]
		if !yield(piece) {
			return
		}
		n -= uint64(len(piece))
	}
}

// appendWords appends the little-endian bytes of words.
func appendWords[W ~uint64](dst []byte, words []W) []byte {
	for _, w := range words {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(w))
	}
	return dst
}
