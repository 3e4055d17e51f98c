package filterbeam

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/filterfam/filterfam/hashfam"
)

// In windows, each task fills a window of the array and writes it to a file.
// The last task copies these files into one frame.
type windows struct {
	spec
	array array
}

// The last byte of a value is its type.
const (
	blockValue = 'b' // a block of digests or positions
	copyValue  = 'c' // a copy of the window with the bundle's keys
)

// copyLimit is the size of the largest array that a bundle may copy.
const copyLimit = 16 << 20

// A windowCollector routes digests to the windows. If the array is small, it
// first holds the digests. As soon as sending the positions of these keys would
// need as many bytes as the array, the collector creates an array of its own,
// adds all of the bundle's keys to it, and finally sends this array instead. If
// the array is larger than copyLimit, such a copy would need too much memory,
// so the collector always sends the positions.
type windowCollector struct {
	windows
	emit   emitter
	blocks *blocks
	held   []hashfam.Digest
	keys   uint64    // added so far
	own    structure // the copy, or nil
}

func (w windows) perKey() uint64 { return w.array.items }

func (w windows) collector(emit emitter) (collector, error) {
	send := func(task int, items uint64, block []byte) { emit(task, items, append(block, blockValue)) }
	return &windowCollector{windows: w, emit: emit, blocks: newBlocks(w.array.windows(), send)}, nil
}

func (c *windowCollector) add(digests []hashfam.Digest, _ [][]byte) error {
	c.keys += uint64(len(digests))
	if c.own != nil {
		return c.own.add(digests, nil)
	}
	if c.array.header.Payload > copyLimit {
		c.array.route(digests, c.blocks)
		return nil
	}
	c.held = append(c.held, digests...)
	if c.keys*c.array.items*c.array.itemSize < c.array.header.Payload {
		return nil
	}
	return c.switchToCopy()
}

// switchToCopy creates the bundle's array and adds the held digests to it.
func (c *windowCollector) switchToCopy() error {
	var err error
	c.own, err = c.empty()
	if err != nil {
		return err
	}
	held := c.held
	c.held = nil
	return c.own.add(held, nil)
}

func (c *windowCollector) flush() error {
	if c.own != nil {
		return c.sendCopy()
	}
	c.array.route(c.held, c.blocks)
	return c.blocks.flush()
}

// sendCopy sends the bundle's own array, one window at a time. The number of
// items in each window is not known, so the first window is sent with the
// total, and the others with 0.
func (c *windowCollector) sendCopy() error {
	encoded, err := c.own.frame()
	if err != nil {
		return err
	}
	c.own = nil // frees memory
	items := c.keys * c.array.items
	size := c.array.header.Payload
	payload := encoded[uint64(len(encoded))-checksumBytes-size:]
	for w := range c.array.windows() {
		from, to := c.array.payload(w)
		c.emit(w, items, append(payload[from:to:to], copyValue))
		items = 0
	}
	return nil
}

// checksumBytes is the number of bytes after a frame's payload: a checksum and
// four zero bytes.
const checksumBytes = 8

// A filledWindow describes a window's file, with the sums from which the
// filter's false-positive rate is computed.
type filledWindow struct {
	file
	Sums []float64
}

func (w windows) gather(ctx context.Context, out string, task int, values iter.Seq[[]byte]) ([]byte, error) {
	from, to := w.array.payload(task)
	filled := make(wordFile[uint64], (to-from)/wordBytes)
	for value := range values {
		n := len(value) - 1
		switch {
		case n >= 0 && value[n] == blockValue:
			w.array.fill(filled, task, value[:n])
		case uint64(n) == to-from && value[n] == copyValue:
			w.array.merge(filled, parseWords[uint64](nil, value[:n]))
		default:
			return nil, errs.Field(hashfam.ErrCorrupt, "length of a value", len(value), fmt.Sprintf("a block, or %d bytes", to-from+1))
		}
	}
	f, err := writeFile(ctx, out, partPurpose, filled)
	return encoded(filledWindow{f, w.array.measure(filled, task)}, err)
}

// finish joins the windows. A window without keys has no file and is zero.
func (w windows) finish(ctx context.Context, records iter.Seq2[int, []byte], sum *Summary) (io.WriterTo, error) {
	all, err := decodeRecords[filledWindow](records, w.array.windows())
	if err != nil {
		return nil, err
	}
	files := make([]file, len(all))
	for i, one := range all {
		from, to := w.array.payload(i)
		if one.Bytes != 0 && one.Bytes != to-from {
			return nil, errs.Field(hashfam.ErrCorrupt, "length of "+string(one.Name), one.Bytes, fmt.Sprintf("%d bytes", to-from))
		}
		files[i] = file{one.Name, to - from, one.CRC}
	}
	sum.FPRate = w.array.rate(all)
	return &joined{w.array.header, fileReader{ctx: ctx, files: files}}, nil
}
