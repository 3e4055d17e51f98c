package filterbeam

import "encoding/binary"

// An emitter sends a value with a number of items to the task that owns a
// number. The value then belongs to the engine: its memory is never written
// again. An engine that keeps elements in memory would read the change.
type emitter = func(owner int, items uint64, value []byte)

// blockBytes is the size of the blocks in which items are sent, and of those in
// which files are read.
const blockBytes = 64 << 10

// blockSpace is the size of the memory of a block. It has room for the last
// item, unless that is a long key, and for what is put behind the items.
const blockSpace = blockBytes + 64

// The blocks collect the items of every owner, and send them when there are
// enough.
type blocks struct {
	of   []block // of each owner
	emit emitter
}

// A block is a value in the making.
type block struct {
	items uint64
	data  []byte
}

func newBlocks(owners int) *blocks { return &blocks{of: make([]block, owners)} }

func (b *blocks) put32(owner int, item uint32) {
	b.store(owner, binary.LittleEndian.AppendUint32(b.of[owner].data, item), 1)
}

func (b *blocks) put64(owner int, item uint64) {
	b.store(owner, binary.LittleEndian.AppendUint64(b.of[owner].data, item), 1)
}

// store makes data, which has some items more, the owner's block, or sends it
// if it is full. An owner that fills a block fills another one, so the memory
// of the next is made at once.
func (b *blocks) store(owner int, data []byte, items uint64) {
	to := &b.of[owner]
	to.data = data
	to.items += items
	if len(data) >= blockBytes {
		b.emit(owner, to.items, data)
		*to = block{data: make([]byte, 0, blockSpace)}
	}
}

// flush sends what is left.
func (b *blocks) flush() {
	for owner, left := range b.of {
		if left.items > 0 {
			b.of[owner] = block{}
			b.emit(owner, left.items, left.data)
		}
	}
}
