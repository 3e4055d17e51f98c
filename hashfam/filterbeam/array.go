package filterbeam

import (
	"encoding/binary"
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
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
	cellBits  uint64 // 1 in a Bloom filter, 4 in a counting one
	hashes    int
	blocked   bool
	slice     uint64 // Partitioned: cells of a slice, otherwise 0
	group     uint64 // bits of a line, of a slice, or of all cells of a Classic filter
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
		a.span, a.group = a.slice, a.slice
	case uint8(bloom.Blocked):
		a.blocked = true
		a.span /= lineCells
		a.units, a.group = a.span, lineCells*a.cellBits
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
		p, err := params[bloom.Params](s)
		if err != nil {
			return a, err
		}
		a.described = frame.Array{Kind: frame.Bloom, Cells: p.Bits, Hashes: p.Hashes, Layout: uint8(p.Layout)}
	} else {
		p, err := params[counting.Params](s)
		if err != nil {
			return a, err
		}
		a.cellBits = 4
		a.described = frame.Array{Kind: frame.Counting, Cells: p.Counters, Hashes: p.Hashes, Layout: uint8(p.Layout)}
	}
	a.header, a.hashes = a.described.Header(s.Check), a.described.Hashes
	a.span, a.units, a.group = a.described.Cells, a.described.Cells, a.described.Cells*a.cellBits
	return a, nil
}

// windows returns the number of windows.
func (a *array) windows() int { return int((a.units-1)/a.window) + 1 }

// bytes returns the range of the payload that window w covers.
func (a *array) bytes(w int) (from, to uint64) {
	unit := a.cellBits
	if a.blocked {
		unit = a.group
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
	for i := range words {
		if word := binary.LittleEndian.Uint64(other[8*i:]); a.cellBits == 1 {
			words[i] |= word
		} else {
			words[i] = sumCounters(words[i], word)
		}
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

// A fill computes the false-positive rate of an array from its bytes, which
// pass through it in order, as FalsePositiveRate of the filter does.
type fill struct {
	*array
	passed uint64   // bits of a group
	marked uint64   // cells of these that are not zero
	groups []uint64 // marked cells of each group; of a Blocked filter, lines with that many
}

// passing returns the pieces, whole words, and counts their cells.
func (f *fill) passing(pieces iter.Seq[[]byte]) frame.Payload {
	return func(yield func([]byte) bool) {
		for piece := range pieces {
			for i := 0; i < len(piece); i += 8 {
				f.pass(binary.LittleEndian.Uint64(piece[i:]))
			}
			if !yield(piece) {
				return
			}
		}
	}
}

// pass counts the cells of a word, in which a group may end.
func (f *fill) pass(word uint64) {
	if f.cellBits == 4 {
		word |= word >> 1 // one bit for each counter
		word = (word | word>>2) & 0x1111111111111111
	}
	for n := uint64(64); n > 0; {
		some := min(n, f.group-f.passed)
		f.marked += uint64(bits.OnesCount64(word & (1<<some - 1)))
		word >>= some
		n -= some
		if f.passed += some; f.passed == f.group {
			f.next()
		}
	}
}

// next begins a group.
func (f *fill) next() {
	if f.blocked {
		f.groups = slices.Grow(f.groups, lineCells+1)[:lineCells+1]
		f.groups[f.marked]++
	} else {
		f.groups = append(f.groups, f.marked)
	}
	f.marked, f.passed = 0, 0
}

// rate returns the chance that a key that was not added is found.
func (f *fill) rate() float64 {
	k := float64(f.hashes)
	switch {
	case f.blocked:
		sum := 0.0
		for marked, lines := range f.groups {
			sum += float64(lines) * math.Pow(float64(marked)/lineCells, k)
		}
		return sum / float64(f.span)
	case f.slice > 0: // behind the slices are zeros
		rate := 1.0
		for _, marked := range f.groups[:f.hashes] {
			rate *= float64(marked) / float64(f.slice)
		}
		return rate
	}
	return math.Pow(float64(f.groups[0])/float64(f.described.Cells), k)
}
