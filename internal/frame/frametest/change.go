package frametest

import (
	"bytes"
	"encoding/binary"
	"slices"

	"pgregory.net/rapid"
)

// Change returns a copy of the frame b with one to eight drawn changes and
// correct checksums. Half of the changes are in the header. They can copy words
// of another frame. The magic and the version stay the same.
func Change(t *rapid.T, b, another []byte) []byte {
	b = bytes.Clone(b)
	for range rapid.IntRange(1, 8).Draw(t, "number of changes") {
		b = change(t, b, another)
	}
	return Seal(b)
}

func change(t *rapid.T, b, another []byte) []byte {
	last := len(b) / 8
	if rapid.Bool().Draw(t, "in the header") {
		last = min(last, HeaderLen(b)/8)
	}
	at := 8 * rapid.IntRange(Payload/8, last-1).Draw(t, "word")
	switch w := b[at:]; rapid.SampledFrom([]string{"write a number", "add a number", "copy words", "resize", "length of the parameters"}).Draw(t, "change") {
	case "write a number":
		size := 1 << rapid.IntRange(0, 3).Draw(t, "log of its bytes")
		number := binary.LittleEndian.AppendUint64(nil, drawNumber(t))
		copy(w[rapid.IntRange(0, 8/size-1).Draw(t, "place")*size:][:size], number)
	case "add a number":
		binary.LittleEndian.PutUint64(w, binary.LittleEndian.Uint64(w)+drawNumber(t))
	case "copy words":
		from, words := b, rapid.IntRange(1, 8).Draw(t, "words")
		if rapid.Bool().Draw(t, "of another frame") {
			from = another
		}
		from = from[min(len(from), 8*rapid.IntRange(Payload/8, last-1).Draw(t, "from word")):]
		copy(w[:min(len(w), 8*words)], from)
	case "resize":
		return resize(t, b, rapid.SampledFrom([]int{at, len(b)}).Draw(t, "place"))
	default:
		b[paramLen] = rapid.Byte().Draw(t, "length")
	}
	return b
}

// drawNumber draws a small number, which can be negative, or a number near a
// power of two.
func drawNumber(t *rapid.T) uint64 {
	power := uint64(1) << rapid.IntRange(0, 63).Draw(t, "power")
	small := uint64(rapid.Int64Range(-128, 127).Draw(t, "number"))
	return rapid.SampledFrom([]uint64{power, power + 1, power - 1, small}).Draw(t, "plus")
}

// resize inserts words at offset i of the payload, or deletes words before i,
// and corrects the payload length.
func resize(t *rapid.T, b []byte, i int) []byte {
	start := HeaderLen(b)
	if start+8 > len(b) {
		return b
	}
	i = max(start, min(i, len(b)-8))
	if n := 8 * rapid.IntRange(-20, 20).Draw(t, "words more"); n > 0 {
		b = slices.Insert(b, i, make([]byte, n)...)
	} else {
		b = slices.Delete(b, max(start, i+n), i)
	}
	binary.LittleEndian.PutUint64(b[Payload:], uint64(len(b)-start-8))
	return b
}
