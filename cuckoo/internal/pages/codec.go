package pages

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/filterfam/filterfam/cuckoo/internal/table"
	"github.com/filterfam/filterfam/hashfam"
)

// For each plot, the payload contains a word with the number of directories,
// and then the pages of each directory, from the newest to the oldest. The
// number of pages is not stored, because a directory ends when its pages cover
// all keys. A page is a word with its depth in the lowest byte and the tail
// length in the next one, followed by its buckets without padding.

const wordBytes = 8

func corrupt(field string, value any, allowed string) error {
	return table.Errs.Field(hashfam.ErrCorrupt, field, value, allowed)
}

// Payload yields the payload in pieces.
func (s *Set) Payload(yield func([]byte) bool) {
	word := make([]byte, wordBytes)
	for i := range s.plots {
		d := &s.plots[i]
		binary.LittleEndian.PutUint64(word, uint64(d.length()))
		if !yield(word) {
			return
		}
		for ; d != nil; d = d.older {
			for p := range d.all {
				binary.LittleEndian.PutUint64(word, uint64(p.depth)|uint64(p.tail)<<8)
				if !yield(word) || !yield(p.Bytes[:len(p.Bytes)-wordBytes]) {
					return
				}
			}
		}
	}
}

// Parse returns the Set with payload b.
func Parse(shape Shape, key uint64, b []byte) (*Set, error) {
	s := newSet(shape, key)
	for range s.Plots {
		length, err := cutWord(&b)
		if err != nil {
			return nil, err
		}
		if length < 1 || length > maxDepth {
			return nil, corrupt("number of directories", length, "1 to 48")
		}
		var newest *directory
		next := &newest
		for range length {
			d, err := s.parseDirectory(&b)
			if err != nil {
				return nil, err
			}
			*next = d
			next = &d.older
		}
		s.plots = append(s.plots, *newest)
	}
	if len(b) > 0 {
		return nil, corrupt("bytes after the last page", len(b), "0")
	}
	return s, nil
}

// cut removes n bytes from the front of b and returns them.
func cut(b *[]byte, n uint64) ([]byte, error) {
	if uint64(len(*b)) < n {
		return nil, corrupt("payload", "too short", "all pages")
	}
	front := (*b)[:n]
	*b = (*b)[n:]
	return front, nil
}

func cutWord(b *[]byte) (uint64, error) {
	w, err := cut(b, wordBytes)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(w), nil
}

// parseDirectory reads pages until they cover all keys. It allocates the
// directory last, and only if the directory is not too large for the number of
// pages.
func (s *Set) parseDirectory(b *[]byte) (*directory, error) {
	d := new(directory)
	var pages []*page
	next := uint64(0) // where the next page starts, of 2^63
	for next < 1<<63 {
		p, err := s.parsePage(b)
		if err != nil {
			return nil, err
		}
		size := uint64(1) << (63 - p.depth) // the range of the page's keys
		if next&(size-1) != 0 {
			return nil, corrupt("depth of a page", p.depth, "one for which the page can start where the previous page ends")
		}
		next += size
		d.depth = max(d.depth, p.depth)
		pages = append(pages, p)
	}
	d.distinct = len(pages)
	if int(d.depth) >= bits.Len(uint(d.distinct))+slack {
		return nil, corrupt("depth of a directory", d.depth, "one that so few pages can have")
	}
	s.bytes += directoryHeader + pointer<<d.depth
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
	depth := uint8(w)
	tail := uint8(w >> 8)
	if depth > maxDepth {
		return nil, corrupt("depth of a page", depth, "0 to 48")
	}
	if tail < minTail || tail > maxTail {
		return nil, corrupt("tail of a page", tail, "4 to 26 bits")
	}
	if rest := w >> 16; rest != 0 {
		return nil, corrupt("bytes after the tail of a page", fmt.Sprintf("%#x", rest), "0")
	}
	buckets, err := cut(b, s.pageBytes(tail)-wordBytes)
	if err != nil {
		return nil, err
	}
	s.bytes += pageHeader + s.pageBytes(tail)
	p := s.newPage(depth, tail)
	copy(p.Bytes, buckets)
	return p, s.countKeys(p)
}

// countKeys counts a decoded page's keys. It checks that the buckets are in
// order and that all fingerprints are valid.
func (s *Set) countKeys(p *page) error {
	if err := p.CheckOrder(s.Buckets); err != nil {
		return err
	}
	for i := range s.Buckets {
		for _, fp := range p.Fingerprints(i) {
			if fp == 0 {
				continue
			}
			partner, marked := p.parts(fp)
			if partner == 0 {
				return corrupt("partner of a fingerprint", 0, "1 to 31")
			}
			if marked == 0 {
				return corrupt("marker of a fingerprint", 0, "a bit that is set in or below the tail")
			}
			s.histogram[p.known(fp)]++
			s.keys++
			p.taken++
		}
	}
	return nil
}
