package pages

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
	"github.com/filterfam/filterfam/hashfam"
)

// The payload of an encoded Set has for each plot a word with the number of its
// directories, and for each directory its pages in order. A page is a word with
// its depth in the lowest byte and the length of its tails in the next one, and
// its buckets, without padding. The depths tell where a directory ends: its
// pages cover all keys.

const wordBytes = 8

func corrupt(field string, value any, allowed string) error {
	return table.Errs.Field(hashfam.ErrCorrupt, field, value, allowed)
}

// Payload yields the payload in pieces.
func (s *Set) Payload(yield func([]byte) bool) {
	word := make([]byte, wordBytes)
	for i := range s.plots {
		pl := &s.plots[i]
		binary.LittleEndian.PutUint64(word, uint64(pl.levels()))
		if !yield(word) {
			return
		}
		for l := range pl.levels() {
			for p := range pl.level(l).all {
				binary.LittleEndian.PutUint64(word, uint64(p.depth)|uint64(p.tail)<<8)
				if !yield(word) || !yield(p.Bytes()[:len(p.Bytes())-wordBytes]) {
					return
				}
			}
		}
	}
}

// Parse returns the Set whose payload is b.
func Parse(g Geometry, key uint64, b []byte) (*Set, error) {
	s := newSet(g, key)
	return s, s.parse(b)
}

// parse reads the payload into a Set without plots.
func (s *Set) parse(b []byte) error {
	s.plots = make([]plot, s.Roots)
	for i := range s.plots {
		levels, err := cutWord(&b)
		if err != nil {
			return err
		}
		if levels < 1 || levels > maxDepth {
			return corrupt("number of directories", levels, "1 to 48")
		}
		for l := range int(levels) {
			d, err := s.parseDirectory(&b)
			if err != nil {
				return err
			}
			if l == 0 {
				s.plots[i].directory = d
			} else {
				s.plots[i].older = append(s.plots[i].older, d)
			}
		}
	}
	if len(b) > 0 {
		return corrupt("bytes after the last page", len(b), "0")
	}
	s.bytes = s.measure()
	return nil
}

// cutWord removes a word from the front of b.
func cutWord(b *[]byte) (uint64, error) {
	if len(*b) < wordBytes {
		return 0, corrupt("payload", "too short", "all pages")
	}
	w := binary.LittleEndian.Uint64(*b)
	*b = (*b)[wordBytes:]
	return w, nil
}

// parseDirectory reads pages until they cover all keys. It makes the directory
// at the end, if it is not larger than the pages warrant.
func (s *Set) parseDirectory(b *[]byte) (d directory, err error) {
	var pages []*page
	for next, more := uint64(0), true; more; {
		p, err := s.parsePage(b)
		if err != nil {
			return d, err
		}
		size := uint64(1) << (63 - p.depth) // of its share of the keys
		if next&(size-1) != 0 {
			return d, corrupt("depth of a page", p.depth, "that of a page that follows the one before")
		}
		next += size
		more = next < 1<<63
		d.depth = max(d.depth, p.depth)
		pages = append(pages, p)
	}
	d.count = len(pages)
	if int(d.depth) >= bits.Len(uint(d.count))+slack {
		return d, corrupt("depth of a directory", d.depth, "one that so few pages reach")
	}
	d.pages = make([]*page, 0, 1<<d.depth)
	for _, p := range pages {
		d.pages = append(d.pages, slices.Repeat([]*page{p}, 1<<(d.depth-p.depth))...)
	}
	return d, nil
}

// parsePage reads a page and counts its keys.
func (s *Set) parsePage(b *[]byte) (*page, error) {
	w, err := cutWord(b)
	if err != nil {
		return nil, err
	}
	depth, tail := uint8(w), uint8(w>>8)
	if depth > maxDepth || tail < minTail || tail > maxTail || w>>16 != 0 {
		return nil, corrupt("depth and tail of a page", w, "a depth up to 48 and a tail of 4 to 26 bits")
	}
	size := s.pageBytes(tail) - wordBytes
	if uint64(len(*b)) < size {
		return nil, corrupt("payload", "too short", "all pages")
	}
	p := s.newPage(depth, tail)
	copy(p.Bytes(), (*b)[:size])
	*b = (*b)[size:]
	return p, s.takeStock(p)
}

// takeStock counts the keys of a decoded page, and checks that each slot is one
// that adding keys can lead to.
func (s *Set) takeStock(p *page) error {
	if err := p.CheckOrder(s.Buckets); err != nil {
		return err
	}
	for i := range s.Buckets {
		for _, stored := range p.Fingerprints(i) {
			if stored == 0 {
				continue
			}
			v := stored ^ p.free
			if v>>(p.tail+1) == 0 || v&(2*p.free-1) == 0 {
				return corrupt("fingerprint", v, "a partner and a marker")
			}
			s.known[p.depth+p.tail-uint8(bits.TrailingZeros64(v))]++
			s.count++
			p.taken++
		}
	}
	return nil
}
