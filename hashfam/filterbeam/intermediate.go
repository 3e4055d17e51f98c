package filterbeam

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/index"
	"github.com/filterfam/filterfam/internal/frame"
)

// A part describes an intermediate file. Each attempt uses another name, so
// that concurrent attempts do not interfere. A part without a name contains
// only zeros.
type part struct {
	Name  fileName
	Bytes uint64
	CRC   uint32 // CRC-32, as in an index
}

// A writerTo is a function that implements io.WriterTo.
type writerTo func(io.Writer) (int64, error)

func (write writerTo) WriteTo(w io.Writer) (int64, error) { return write(w) }

// writePart writes a part, to a file in out's folder.
func writePart(ctx context.Context, out, purpose string, content io.WriterTo) (part, error) {
	fs, err := filesystem.New(ctx, out)
	if err != nil {
		return part{}, err
	}
	defer fs.Close()
	name := unique(out, purpose)
	p, err := writeFile(ctx, fs, name, content)
	if err != nil {
		return part{}, errs.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// writeWords writes a part that consists of words.
func writeWords[W ~uint64](ctx context.Context, out string, words []W) (part, error) {
	return writePart(ctx, out, partPurpose, writerTo(func(w io.Writer) (int64, error) {
		buffer := make([]byte, 0, blockBytes)
		for some := range slices.Chunk(words, blockBytes/8) {
			buffer = buffer[:0]
			for _, word := range some {
				buffer = binary.LittleEndian.AppendUint64(buffer, uint64(word))
			}
			if _, err := w.Write(buffer); err != nil {
				return 0, err
			}
		}
		return int64(8 * len(words)), nil
	}))
}

// pieces returns the bytes of all parts, a multiple of 8 bytes at a time. If a
// file differs from its description, the sequence ends and failed is set.
func pieces(ctx context.Context, parts []part, failed *error) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		going := true
		for _, p := range parts {
			*failed = p.read(ctx, func(piece []byte) bool {
				going = yield(piece)
				return going
			})
			if !going || *failed != nil {
				return
			}
		}
	}
}

// read yields the part's bytes.
func (p part) read(ctx context.Context, yield func([]byte) bool) error {
	if len(p.Name) == 0 {
		return p.readFrom(zeros{}, yield)
	}
	return readFile(ctx, string(p.Name), func(file io.Reader) error { return p.readFrom(file, yield) })
}

func (p part) readFrom(file io.Reader, yield func([]byte) bool) error {
	buffer := make([]byte, min(p.Bytes, blockBytes))
	for crc, left := uint32(0), p.Bytes; left > 0; {
		piece := buffer[:min(left, blockBytes)]
		if _, err := io.ReadFull(file, piece); err != nil {
			return errs.Errorf("%s: %w", p.Name, err)
		}
		crc = crc32.Update(crc, index.Table, piece)
		left -= uint64(len(piece))
		if left == 0 && crc != p.CRC && len(p.Name) > 0 {
			return errs.Field(ErrCorrupt, "checksum of "+string(p.Name), crc, fmt.Sprint(p.CRC))
		}
		if !yield(piece) {
			break
		}
	}
	return nil
}

// A zeros reader returns zeros without end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// parseWords appends the words in a block to words, which may be digests.
func parseWords[W ~uint64](words []W, block []byte) []W {
	for ; len(block) >= 8; block = block[8:] {
		words = append(words, W(binary.LittleEndian.Uint64(block)))
	}
	return words
}

// wordsOf returns the number of words in all parts.
func wordsOf(parts []part) (n uint64) {
	for _, p := range parts {
		n += p.Bytes / 8
	}
	return n
}

// wordsIn returns the words in all parts.
func wordsIn[W ~uint64](ctx context.Context, parts []part) (words []W, err error) {
	for piece := range pieces(ctx, parts, &err) {
		words = parseWords(words, piece)
	}
	return words, err
}

// joined returns a frame whose payload contains the bytes of all parts.
func joined(ctx context.Context, h frame.Header, parts []part, payload func(frame.Payload) frame.Payload) writerTo {
	return func(w io.Writer) (int64, error) {
		var failed error
		n, err := frame.Write(w, h, payload(pieces(ctx, parts, &failed)))
		return n, cmp.Or(failed, err)
	}
}
