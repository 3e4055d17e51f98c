package filterbeam

import "encoding/binary"

// An emitter sends a value to the task that owns a number.
type emitter = func(owner int, value []byte)

// blockBytes is the size of the blocks in which items are sent, and of those in
// which files are read.
const blockBytes = 64 << 10

// The blocks collect the items of every owner, and send them when there are
// enough.
type blocks struct {
	of   [][]byte // the items of each owner
	emit emitter
}

func newBlocks(owners int) *blocks { return &blocks{of: make([][]byte, owners)} }

func (b *blocks) put32(owner int, item uint32) {
	b.store(owner, binary.LittleEndian.AppendUint32(b.of[owner], item))
}

func (b *blocks) put64(owner int, item uint64) {
	b.store(owner, binary.LittleEndian.AppendUint64(b.of[owner], item))
}

// store makes block the owner's block, or sends it if it is full.
func (b *blocks) store(owner int, block []byte) {
	if len(block) >= blockBytes {
		b.emit(owner, block)
		block = block[:0]
	}
	b.of[owner] = block
}

// flush sends what is left.
func (b *blocks) flush() {
	for owner, block := range b.of {
		if len(block) > 0 {
			b.emit(owner, block)
			b.of[owner] = block[:0]
		}
	}
}
