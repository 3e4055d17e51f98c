// Package block implements the blocks of a journal, which are frames of kind
// 16. docs/format.md specifies the file that contains them:
//
//	part       contents
//	start      a block without words, at position 0
//	structure  one or more frames of another kind
//	blocks     one or more blocks
//
// A block in version 1 has these parameters. Its payload consists of words; see
// [Recorder].
//
//	offset  size  field
//	     0     8  position
//	     8     8  previous: see [After] and [AfterStructure]
//
// To read the code, start with block.go, which encodes and decodes a block. The
// other files are
//
//   - runs.go: the words of a block
//   - scan.go: all blocks of a file, and damage at its end
//   - inspect.go: what a file contains
package block

import (
	"encoding/binary"
	"io"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/frame"
)

const (
	version   = 1
	wordBytes = 8
)

// StartBytes is the length of a file's start.
const StartBytes = 72

// A Block contains changes of a structure, and the position that belongs to the
// state after them. Previous is the block's place: a number that identifies the
// frame before the block, so that no block can be moved or left out unnoticed.
type Block struct {
	Position uint64
	Previous uint64
	Words    []uint64
}

// Append appends an encoded block to dst. check is the check value of the
// structure's family.
func (b Block) Append(dst []byte, check uint64) []byte {
	h := frame.Header{
		Kind: frame.Journal, Version: version, Check: check,
		Params: frame.EncodeParams([]uint64{b.Position, b.Previous}), Payload: wordBytes * uint64(len(b.Words)),
	}
	return frame.Append(dst, h, frame.Numbers(b.Words))
}

// headerBytes is the length of a block's header.
const headerBytes = 64

// After returns the place after an encoded block, which is the Previous of the
// next block. A place consists of both checksums of the encoded block. The
// one in the header covers the position and Previous. The one at the end covers
// the header, the header's checksum and the words, but identifies only the
// words, because the CRC of any header followed by its own checksum is the same
// constant.
func After(encoded []byte) uint64 {
	return place(encoded[headerBytes-wordBytes:], encoded[len(encoded)-wordBytes:])
}

func place(header, end []byte) uint64 {
	return uint64(binary.LittleEndian.Uint32(header)) | uint64(binary.LittleEndian.Uint32(end))<<32
}

// AfterStructure returns the place after the structure in a file, which is the
// Previous of the first block. The structure ends at the offset at, and the
// place is the last eight bytes before it.
func AfterStructure(file io.ReaderAt, at int64) (uint64, error) {
	b := make([]byte, wordBytes)
	_, err := io.ReadFull(section(file, at-wordBytes, at), b)
	return binary.LittleEndian.Uint64(b), err
}

// read reads a block, and returns its length in bytes.
func read(r io.Reader, check uint64, m *fault.Maker) (Block, int64, error) {
	fr := frame.NewReader(r, m)
	h := fr.Header(frame.Journal, version, check)
	if err := fr.Err(); err != nil {
		return Block{}, fr.Bytes(), err
	}
	params, err := h.Words(m, 64, 64)
	if err != nil {
		return Block{}, fr.Bytes(), err
	}
	words := frame.Read[uint64](fr, h.Payload/wordBytes)
	return Block{params[0], params[1], words}, fr.Bytes(), fr.Err()
}

// ReadStart reads the start of a file.
func ReadStart(r io.Reader, check uint64, m *fault.Maker) error {
	b, _, err := read(r, check, m)
	switch {
	case err != nil:
		return err
	case b.Position != 0:
		return m.Field(hashfam.ErrCorrupt, "position", b.Position, "0 at the start of a journal")
	case b.Previous != 0:
		return m.Field(hashfam.ErrCorrupt, "previous checksum", b.Previous, "0 at the start of a journal")
	case len(b.Words) > 0:
		return m.Field(hashfam.ErrCorrupt, "words", len(b.Words), "none at the start of a journal")
	}
	return nil
}
