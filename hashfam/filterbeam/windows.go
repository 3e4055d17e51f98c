package filterbeam

import (
	"cmp"
	"context"
	"fmt"
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
	emit   emitter
	blocks *blocks
	held   [][]hashfam.Digest // of all calls so far
	keys   uint64             // number of all digests
	own    structure          // the copy, or nil
}

func (w windows) perKey() uint64 {
	if w.array.blocked {
		return 1
	}
	return uint64(w.array.hashes)
}

func (w windows) collector(emit emitter) (collector, error) {
	send := func(owner int, items uint64, block []byte) { emit(owner, items, append(block, blockValue)) }
	return &windowCollector{windows: w, emit: emit, blocks: newBlocks(w.array.windows(), send)}, nil
}

func (c *windowCollector) add(digests []hashfam.Digest, _ [][]byte) error {
	c.keys += uint64(len(digests))
	switch {
	case c.own != nil:
		return c.own.add(digests, nil)
	case c.array.copied():
		return c.hold(slices.Clone(digests))
	}
	c.route(digests)
	return nil
}

// route sends digests to the windows.
func (c *windowCollector) route(digests []hashfam.Digest) {
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

func (c *windowCollector) flush() error {
	if c.own != nil {
		return c.sendCopy()
	}
	for _, digests := range c.held {
		c.route(digests)
	}
	c.blocks.flush()
	return nil
}

// sendCopy sends each window of the copy. That of the first one counts for the
// items of all, since their windows are not known.
func (c *windowCollector) sendCopy() error {
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
		c.emit(w, items, append(payload[from:to:to], copyValue))
		items = 0
	}
	return nil
}

// checksumBytes is the size of what follows the payload of a frame: a checksum
// and four zero bytes.
const checksumBytes = 8

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
			return nil, errs.Field(ErrCorrupt, "length of a value", len(value), fmt.Sprintf("a block, or %d bytes", to-from+1))
		}
	}
	return encoded(writeWords(ctx, out, words))
}

// finish writes the frame. A window that got no key has no part; it is zeros.
func (w windows) finish(ctx context.Context, out string, records iter.Seq2[record, error], sum *Summary) error {
	parts, err := decodeRecords[part](records, w.array.windows())
	if err != nil {
		return err
	}
	for owner := range parts {
		from, to := w.array.bytes(owner)
		if n := parts[owner].Bytes; n != 0 && n != to-from {
			return errs.Field(ErrCorrupt, "length of "+string(parts[owner].Name), n, fmt.Sprintf("%d bytes", to-from))
		}
		parts[owner].Bytes = to - from
	}
	sum.Size = w.array.header.Size()
	filled := fill{array: &w.array}
	if err := writeJoined(ctx, out, w.array.header, parts, filled.passing); err != nil {
		return err
	}
	sum.FPRate = filled.rate()
	return nil
}

// writeJoined writes a frame with the bytes of all parts in its payload.
func writeJoined(ctx context.Context, out string, h frame.Header, parts []part, payload func(iter.Seq[[]byte]) frame.Payload) error {
	return replace(ctx, out, func(dst io.Writer) error {
		var failed error
		_, err := frame.Write(dst, h, payload(until(pieces(ctx, parts), &failed)))
		return cmp.Or(failed, err)
	})
}
