package filterbeam

import (
	"encoding/binary"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// An array is the payload of a Bloom or counting filter, cut into windows that
// tasks fill apart. docs/format.md says which cells a key changes.
//
// A unit of the array is what the first position of a key selects: a line of a
// Blocked filter, otherwise a single cell. A window is a range of units. It
// gets the digests of the keys whose line it owns, or the positions that fall
// into it.
type array struct {
	described frame.Array
	header    frame.Header
	family    hashfam.Family
	cellBits  uint64 // 1 in a Bloom filter, 4 in a counting one
	hashes    int
	blocked   bool
	slice     uint64 // Partitioned: cells of a slice, otherwise 0
	span      uint64 // the range of a position, in units
	units     uint64 // units of the whole array
	window    uint64 // units of a window
}

// lineCells is the number of cells in a line of a Blocked filter.
const lineCells = 512

// maxWindow is the number of cells of a window at most: a place in it is sent
// in four bytes. If the plan asks for fewer windows, there are more.
const maxWindow = 1 << 32

// array returns the array of the plan's filter.
func (s spec) array() (array, error) {
	a, err := s.newArray()
	if err != nil {
		return a, err
	}
	switch a.described.Layout {
	case uint8(bloom.Partitioned):
		a.slice = a.span / uint64(a.hashes)
		a.span = a.slice
	case uint8(bloom.Blocked):
		a.blocked = true
		a.span /= lineCells
		a.units = a.span
	}
	a.window = (a.units-1)/uint64(s.windows()) + 1
	if !a.blocked {
		a.window = min(a.window, maxWindow)
		a.window += -a.window % 64 // whole words
	}
	return a, nil
}

// newArray returns the array of a Classic filter with the plan's cells.
func (s spec) newArray() (array, error) {
	a := array{cellBits: 1}
	if s.Kind == bloomKind {
		p, err := params(s, familyOfBloom)
		if err != nil {
			return a, err
		}
		a.family = p.Family
		a.described = frame.Array{Kind: frame.Bloom, Cells: p.Bits, Hashes: p.Hashes, Layout: uint8(p.Layout)}
	} else {
		p, err := params(s, familyOfCounting)
		if err != nil {
			return a, err
		}
		a.cellBits, a.family = 4, p.Family
		a.described = frame.Array{Kind: frame.Counting, Cells: p.Counters, Hashes: p.Hashes, Layout: uint8(p.Layout)}
	}
	a.header, a.hashes = a.described.Header(s.Check), a.described.Hashes
	a.span, a.units = a.described.Cells, a.described.Cells
	return a, nil
}

// windows returns the number of windows.
func (a *array) windows() int { return int((a.units-1)/a.window) + 1 }

// bytes returns the range of the payload that window w covers.
func (a *array) bytes(w int) (from, to uint64) {
	unit := a.cellBits
	if a.blocked {
		unit *= lineCells
	}
	from = uint64(w) * a.window * unit / 8
	return from, min(from+a.window*unit/8, a.header.Payload)
}

// route sends to the windows what d changes in them: a digest to one window, or
// the place of each cell in its window.
func (a *array) route(d hashfam.Digest, to *blocks) {
	p := d.Probe()
	if a.blocked {
		to.put64(int(p.In(a.span)/a.window), uint64(d))
		return
	}
	base := uint64(0)
	for range a.hashes {
		i := base + p.In(a.span)
		to.put32(int(i/a.window), uint32(i%a.window))
		base += a.slice
		p = p.Next()
	}
}

// copied reports whether a bundle may keep a copy of the array.
func (a *array) copied() bool { return a.header.Payload <= copyLimit }

// fill applies a block to the words of window w.
func (a *array) fill(words []uint64, w int, block []byte) {
	if !a.blocked {
		for ; len(block) >= 4; block = block[4:] {
			a.mark(words, uint64(binary.LittleEndian.Uint32(block)))
		}
		return
	}
	for ; len(block) >= 8; block = block[8:] {
		p := hashfam.Digest(binary.LittleEndian.Uint64(block)).Probe()
		line := (p.In(a.span) - uint64(w)*a.window) * lineCells
		for range a.hashes {
			p = p.Next()
			a.mark(words, line+uint64(p)>>55)
		}
	}
}

// mark sets bit i, or adds one to counter i.
func (a *array) mark(words []uint64, i uint64) {
	if a.cellBits == 1 {
		words[i>>6] |= 1 << (i & 63)
	} else {
		increment(words, i)
	}
}

// merge adds a copy of a window to its words.
func (a *array) merge(words []uint64, other []byte) {
	union := func(x, y uint64) uint64 { return x | y }
	if a.cellBits == 4 {
		union = sumCounters
	}
	for i := range words {
		words[i] = union(words[i], binary.LittleEndian.Uint64(other[8*i:]))
	}
}

// sumCounters adds the 16 counters of y to those of x. A sum above 15 becomes
// 15.
func sumCounters(x, y uint64) uint64 {
	const even = 0x0f0f0f0f0f0f0f0f // every other counter, with room for a carry
	low, high := x&even+y&even, x>>4&even+y>>4&even
	return stick(low) | stick(high)<<4
}

// stick replaces each byte above 15 by 15.
func stick(bytes uint64) uint64 {
	carries := bytes & 0x1010101010101010
	return (bytes | (carries - carries>>4)) & 0x0f0f0f0f0f0f0f0f
}

// increment adds one to the counter i of four bits, unless it is stuck at 15.
func increment(words []uint64, i uint64) {
	shift := i & 15 * 4
	if word := words[i>>4]; word>>shift&15 < 15 {
		words[i>>4] = word + 1<<shift
	}
}
