package filterbeam

import (
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"iter"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// Windows: each owner fills a range of the array and writes it to a part file;
// the parts are streamed into one frame.
type windows struct {
	spec  spec
	array array
}

// The last byte of a value says what the rest is.
const (
	blockValue = 'b' // a block of digests or of places
	copyValue  = 'c' // a copy of the window, which contains other keys
)

// copyLimit is the size of an array of which a bundle keeps a copy.
const copyLimit = 16 << 20

// A windowCollector routes digests to the windows. If the array is small, it
// holds the digests at first: when they would take more bytes than the array,
// the bundle adds them and all later keys to a copy of the array, and sends
// that instead. A large array has no copy, so that the memory of a bundle is
// bounded.
type windowCollector struct {
	windows
	digests []hashfam.Digest   // of one call
	held    [][]hashfam.Digest // of all calls so far
	keys    uint64             // number of all digests
	own     structure          // the copy, or nil
	blocks  *blocks
}

func (w windows) perKey() uint64 {
	if w.array.blocked {
		return 1
	}
	return uint64(w.array.hashes)
}

func (w windows) collector() (collector, error) {
	return &windowCollector{windows: w, blocks: newBlocks(w.array.windows())}, nil
}

func (c *windowCollector) addKeys(keys [][]byte, emit emitter) error {
	dst := c.digests[:0]
	if c.own == nil && c.array.copied() {
		dst = nil // they are held
	}
	c.digests = c.array.family.SumAll(dst, keys)
	return c.take(c.digests, emit)
}

func (c *windowCollector) addDigests(digests []hashfam.Digest, emit emitter) error {
	return c.take(slices.Clone(digests), emit)
}

// take adds digests to the copy, holds them, or sends them.
func (c *windowCollector) take(digests []hashfam.Digest, emit emitter) error {
	c.keys += uint64(len(digests))
	switch {
	case c.own != nil:
		return c.own.add(digests, nil)
	case c.array.copied():
		return c.hold(digests)
	}
	c.route(digests, emit)
	return nil
}

// route sends digests to the windows.
func (c *windowCollector) route(digests []hashfam.Digest, emit emitter) {
	c.sendTo(emit)
	for _, d := range digests {
		c.array.route(d, c.blocks)
	}
}

// hold keeps digests, or makes the copy of the array if it takes less than
// their blocks.
func (c *windowCollector) hold(digests []hashfam.Digest) error {
	c.held = append(c.held, digests)
	if c.keys*c.routedBytes() < c.array.header.Payload {
		return nil
	}
	var err error
	if c.own, err = c.spec.open(); err != nil {
		return err
	}
	for _, digests := range c.held {
		if err := c.own.add(digests, nil); err != nil {
			return err
		}
	}
	c.held = nil
	return nil
}

// routedBytes returns the number of bytes that route sends for a key.
func (w windows) routedBytes() uint64 {
	if w.array.blocked {
		return 8
	}
	return 4 * w.perKey()
}

// sendTo makes the blocks send themselves to emit.
func (c *windowCollector) sendTo(emit emitter) {
	c.blocks.emit = func(w int, items uint64, block []byte) { emit(w, items, append(block, blockValue)) }
}

func (c *windowCollector) flush(emit emitter) error {
	if c.own != nil {
		return c.sendCopy(emit)
	}
	for _, digests := range c.held {
		c.route(digests, emit)
	}
	c.sendTo(emit)
	c.blocks.flush()
	return nil
}

// sendCopy sends each window of the copy. That of the first one counts for the
// items of all, since their windows are not known.
func (c *windowCollector) sendCopy(emit emitter) error {
	encoded, err := c.own.frame()
	if err != nil {
		return err
	}
	c.own = nil // it is not needed while its encoding is sent
	items := c.keys * c.perKey()
	size := c.array.header.Payload
	payload := encoded[uint64(len(encoded))-checksumBytes-size:]
	for w := range c.array.windows() {
		from, to := c.array.bytes(w)
		emit(w, items, append(payload[from:to:to], copyValue))
		items = 0
	}
	return nil
}

func (w windows) gather(ctx context.Context, out string, owner int, values iter.Seq[[]byte]) ([]byte, error) {
	from, to := w.array.bytes(owner)
	words := make([]uint64, (to-from)/8)
	for value := range values {
		n := len(value) - 1
		switch {
		case n >= 0 && value[n] == blockValue:
			w.array.fill(words, owner, value[:n])
		case uint64(n) == to-from && value[n] == copyValue:
			w.array.merge(words, value[:n])
		default:
			return nil, errs.Field(ErrCorrupt, "length of a value", len(value), "a block, or "+binaryLength(to-from+1))
		}
	}
	return writePart(ctx, out, owner, words)
}

// finish writes the frame. A window that got no key has no part; it is zeros.
func (w windows) finish(ctx context.Context, out string, records iter.Seq2[[]byte, error], sum *Summary) error {
	parts, err := partsOf(records)
	if err != nil {
		return err
	}
	sum.Size = w.array.header.Size()
	filled := newFill(&w.array)
	return replace(ctx, out, func(dst io.Writer) error {
		var failed error
		_, err := frame.Write(dst, w.array.header, func(yield func([]byte) bool) {
			failed = w.payload(ctx, parts, func(piece []byte) bool {
				filled.pass(piece)
				return yield(piece)
			})
		})
		sum.FPRate = filled.rate()
		return cmp.Or(failed, err)
	})
}

// payload yields the bytes of all windows in order.
func (w windows) payload(ctx context.Context, parts map[int]part, yield func([]byte) bool) error {
	going := true
	pass := func(piece []byte) bool {
		going = yield(piece)
		return going
	}
	for owner := 0; owner < w.array.windows() && going; owner++ {
		from, to := w.array.bytes(owner)
		next, written := parts[owner]
		if !written {
			yieldZeros(to-from, pass)
			continue
		}
		if next.Bytes != to-from {
			return errs.Field(ErrCorrupt, "length of "+string(next.Name), next.Bytes, binaryLength(to-from))
		}
		if err := next.read(ctx, pass); err != nil {
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
