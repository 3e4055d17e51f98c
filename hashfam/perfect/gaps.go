package perfect

import (
	"encoding/binary"
	"math"
)

// A gaps is a list of ascending numbers. It stores only the gap before each
// number, which is the count of numbers that the list skips there. A gap below
// 255 is stored as one byte, and a longer gap as the byte 255 and a varint.
type gaps struct {
	bytes []byte
	next  uint64 // the last number that was added or taken, plus 1
}

const wideGap = 255

// append appends a number, which must be larger than the previous one.
func (g *gaps) append(i uint64) {
	gap := i - g.next
	g.next = i + 1
	if gap < wideGap {
		g.bytes = append(g.bytes, byte(gap))
	} else {
		g.bytes = binary.AppendUvarint(append(g.bytes, wideGap), gap)
	}
}

// rewound returns a list of the same numbers, from which they can be taken.
func (g *gaps) rewound() gaps { return gaps{bytes: g.bytes} }

// take removes the first number and returns it, or 2^64-1 if there is none.
func (g *gaps) take() uint64 {
	if len(g.bytes) == 0 {
		return math.MaxUint64
	}
	gap := uint64(g.bytes[0])
	g.bytes = g.bytes[1:]
	if gap == wideGap {
		wide, n := binary.Uvarint(g.bytes)
		g.bytes = g.bytes[n:]
		gap = wide
	}
	i := g.next + gap
	g.next = i + 1
	return i
}
