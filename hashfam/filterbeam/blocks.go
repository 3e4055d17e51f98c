package filterbeam

import (
	"encoding/binary"
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
)

// blockBytes is the size of the blocks in which items are sent and files are
// read.
const blockBytes = 64 << 10

// blockSpace is a block's capacity. It leaves room for the last item, unless
// that is a long key, and for the bytes that follow the items.
const blockSpace = blockBytes + 64

// The blocks collect the items for each task and send them when a block is
// full.
type blocks struct {
	of   []block // indexed by task
	emit emitter
}

// A block is a value that is not complete.
type block struct {
	items uint64
	data  []byte
}

func newBlocks(tasks int, emit emitter) *blocks { return &blocks{make([]block, tasks), emit} }

func (b *blocks) put32(task int, item uint32) {
	b.store(task, binary.LittleEndian.AppendUint32(b.of[task].data, item), 1)
}

func (b *blocks) put64(task int, item uint64) {
	b.store(task, binary.LittleEndian.AppendUint64(b.of[task].data, item), 1)
}

// store replaces the data of the task's block with data, which is the old data
// with items appended. If the block is full, store sends it and allocates the
// next one at its full size, because a task that fills a block usually fills
// another.
func (b *blocks) store(task int, data []byte, items uint64) {
	to := &b.of[task]
	to.data = data
	to.items += items
	if len(data) >= blockBytes {
		b.emit(task, to.items, data)
		*to = block{data: make([]byte, 0, blockSpace)}
	}
}

// flush sends all blocks that have items. It returns nil.
func (b *blocks) flush() error {
	for task, left := range b.of {
		if left.items > 0 {
			b.of[task] = block{}
			b.emit(task, left.items, left.data)
		}
	}
	return nil
}

// appendKey appends a key's length, and the key.
func appendKey[K string | []byte](dst []byte, key K) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(key))), key...)
}

// cutKey returns the key at the start of data, and the rest of data.
func cutKey(data []byte) (key, rest []byte, err error) {
	n, start := binary.Uvarint(data)
	if start <= 0 {
		bad := data[:min(len(data), binary.MaxVarintLen64)]
		return nil, nil, errs.Field(hashfam.ErrCorrupt, "length of a key", fmt.Sprintf("% x", bad), "a varint of 64 bits")
	}
	if rest := len(data) - start; n > uint64(rest) {
		return nil, nil, errs.Field(hashfam.ErrCorrupt, "length of a key", n, fmt.Sprintf("at most %d, the rest of its block", rest))
	}
	end := start + int(n)
	return data[start:end:end], data[end:], nil
}
