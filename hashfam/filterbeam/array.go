package filterbeam

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/nibbles"
)

// An array is the payload of a Bloom or counting filter, divided into windows.
// A window is a range of cells, which are bits or counters. Each window is
// filled by a task of its own.
//
// In a Blocked filter, all cells of a key are in the same line of 512 cells, so
// the task receives the digests of the keys whose lines are in its window. In
// other filters, it receives the positions of cells, relative to the window's
// start. A bundle can also send a copy of the window instead, as described at
// windowCollector. docs/format.md describes which cells belong to a key.
type array struct {
	frame.Array
	header  frame.Header
	blocked bool
	span    uint64 // range of the first position: number of lines, or of cells in a slice or in total
	slice   uint64 // Partitioned: cells in a slice; otherwise 0
	slices  int    // Partitioned: number of slices; otherwise 1
	window  uint64 // cells in a window

	items    uint64 // digests or positions that are sent for a key
	itemSize uint64 // bytes in each
}

// lineCells is the number of cells in a Blocked filter's line.
const lineCells = 512

// maxWindow is the largest number of cells in a window, because a position in a
// window is sent as four bytes. If the plan has too few windows for this limit,
// the array has more windows. Blocked filters have no limit, because their
// windows receive digests instead of positions.
const maxWindow = 1 << 32

// array returns the array for the plan's filter.
func (s spec) array() (array, error) {
	cells, err := s.cells()
	if err != nil {
		return array{}, err
	}
	a := array{Array: cells, header: cells.Header(s.Check), span: cells.Cells, slices: 1}
	a.items = uint64(a.Hashes)
	a.itemSize = 4
	a.window = (a.Cells-1)/uint64(s.tasks()) + 1
	grain := uint64(64) // whole words
	switch bloom.Layout(a.Layout) {
	case bloom.Blocked:
		a.blocked = true
		grain = lineCells
		a.span /= lineCells
		a.items = 1
		a.itemSize = 8
	case bloom.Partitioned:
		a.span /= uint64(a.Hashes)
		a.slice = a.span
		a.slices = a.Hashes
	}
	if !a.blocked {
		a.window = min(a.window, maxWindow)
	}
	a.window += -a.window % grain
	return a, nil
}

// cells returns the parameters of the plan's filter.
func (s spec) cells() (frame.Array, error) {
	if s.Kind == countingKind {
		p, err := params[counting.Params](s)
		return frame.Array{Kind: frame.Counting, Cells: p.Counters, Hashes: p.Hashes, Layout: uint8(p.Layout)}, err
	}
	p, err := params[bloom.Params](s)
	return frame.Array{Kind: frame.Bloom, Cells: p.Bits, Hashes: p.Hashes, Layout: uint8(p.Layout)}, err
}

// counts reports whether the cells are counters of four bits, and not bits.
func (a *array) counts() bool { return a.Kind == frame.Counting }

// windows returns the number of windows, each of which has a task.
func (a *array) windows() int { return int((a.Cells-1)/a.window) + 1 }

// payload returns the range of the payload's bytes that window w covers.
func (a *array) payload(w int) (from, to uint64) {
	size := a.window / 8
	if a.counts() {
		size = a.window / 2
	}
	from = uint64(w) * size
	return from, min(from+size, a.header.Payload)
}

// route sends each digest to the window with its line, or each of its positions
// to the window with that cell.
func (a *array) route(digests []hashfam.Digest, to *blocks) {
	for _, d := range digests {
		p := d.Probe()
		if a.blocked {
			to.put64(int(p.In(a.span)*lineCells/a.window), uint64(d))
			continue
		}
		base := uint64(0)
		for range a.Hashes {
			i := base + p.In(a.span)
			to.put32(int(i/a.window), uint32(i%a.window))
			base += a.slice
			p = p.Next()
		}
	}
}

// fill adds the keys in a block to window w.
func (a *array) fill(words []uint64, w int, block []byte) {
	if !a.blocked {
		for ; len(block) >= 4; block = block[4:] {
			a.mark(words, uint64(binary.LittleEndian.Uint32(block)))
		}
		return
	}
	for ; len(block) >= 8; block = block[8:] {
		p := hashfam.Digest(binary.LittleEndian.Uint64(block)).Probe()
		line := p.In(a.span)*lineCells - uint64(w)*a.window
		for range a.Hashes {
			p = p.Next()
			a.mark(words, line+uint64(p)>>55)
		}
	}
}

// mark sets bit i or increments counter i.
func (a *array) mark(words []uint64, i uint64) {
	if a.counts() {
		nibbles.Counters(words).Inc(i)
	} else {
		words[i>>6] |= 1 << (i & 63)
	}
}

// merge adds a window's copy, with other keys, to words.
func (a *array) merge(words, other []uint64) {
	if a.counts() {
		nibbles.Counters(words).AddAll(other)
		return
	}
	for i, word := range other {
		words[i] |= word
	}
}

// measure returns the sums for window w: the sum of the lines' rates if the
// filter is Blocked, and otherwise the number of nonzero cells in each slice.
func (a *array) measure(words []uint64, w int) []float64 {
	switch {
	case a.blocked:
		return []float64{a.lineRates(words)}
	case a.slice == 0:
		return []float64{float64(a.used(words))}
	}
	return a.usedInSlices(words, uint64(w)*a.window)
}

// lineRates returns the sum of the rates of all lines in words.
func (a *array) lineRates(words []uint64) (sum float64) {
	for line := range slices.Chunk(words, int(a.header.Payload/a.span/8)) {
		sum += math.Pow(float64(a.used(line))/lineCells, float64(a.Hashes))
	}
	return sum
}

// usedInSlices returns, for each slice of a Partitioned filter, the number of
// set bits in words. at is the array index of the first bit in words. All bits
// after the last slice are zero.
func (a *array) usedInSlices(words []uint64, at uint64) []float64 {
	used := make([]float64, a.slices)
	for _, word := range words {
		for i := at; word != 0; {
			n := a.slice - i%a.slice // bits up to the end of the slice
			used[i/a.slice] += float64(bits.OnesCount64(word & (1<<n - 1)))
			word >>= n
			i += n
		}
		at += 64
	}
	return used
}

// used returns the number of nonzero cells.
func (a *array) used(words []uint64) (n uint64) {
	if a.counts() {
		return nibbles.Counters(words).InUse()
	}
	for _, word := range words {
		n += uint64(bits.OnesCount64(word))
	}
	return n
}

// rate returns the false-positive rate of a filter with these windows.
func (a *array) rate(all []filledWindow) float64 {
	rate := 1.0
	for slice := range a.slices {
		sum := 0.0
		for _, w := range all {
			if w.Sums != nil {
				sum += w.Sums[slice]
			}
		}
		rate *= sum / float64(a.span)
	}
	if !a.blocked && a.slice == 0 {
		return math.Pow(rate, float64(a.Hashes))
	}
	return rate
}
