package conformance_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/fault"
)

// A bag is a multiset of digests that can become full and can delete, unlike a
// Bloom filter. It has at most one defect. Its encoding is sufficient for the
// properties of keys.
type bag struct {
	fam    hashfam.Family
	room   int
	copies map[hashfam.Digest]int
	defect string
}

func (b *bag) len() int {
	n := 0
	for _, c := range b.copies {
		n += c
	}
	return n
}

func (b *bag) insert(d hashfam.Digest) error {
	if b.len() < b.room {
		b.copies[d]++
		return nil
	}
	switch b.defect {
	case "a failed insertion evicts":
		for victim := range b.copies {
			delete(b.copies, victim)
			break
		}
	case "a failed insertion inserts":
		b.copies[d]++
	}
	return fault.ErrFull
}

func (b *bag) insertAll(keys [][]byte) error {
	for _, k := range keys {
		if err := b.insert(b.fam.Sum(k)); err != nil {
			return err
		}
	}
	return nil
}

func (b *bag) has(d hashfam.Digest) bool { return b.copies[d] > 0 }

func (b *bag) hasOrInsert(d hashfam.Digest) (bool, error) {
	if b.has(d) && b.defect != "a key that is found is inserted again" {
		return true, nil
	}
	return b.has(d), b.insert(d)
}

func (b *bag) delete(d hashfam.Digest) bool {
	switch {
	case b.copies[d] == 0:
		return b.defect == "an absent key is deleted"
	case b.copies[d] == 1 || b.defect == "every copy is deleted":
		delete(b.copies, d)
	default:
		b.copies[d]--
	}
	return true
}

func (b *bag) Reset() { clear(b.copies) }

func (b *bag) Clone() *bag {
	c := *b
	c.copies = maps.Clone(b.copies)
	if b.defect == "a clone forgets a key" {
		for d := range c.copies {
			delete(c.copies, d)
			break
		}
	}
	return &c
}

func (b *bag) Equal(o *bag) bool {
	return b.fam == o.fam && b.room == o.room && maps.Equal(b.copies, o.copies)
}

func (b *bag) Merge(o *bag) error {
	switch {
	case b.fam != o.fam, b.room != o.room && b.defect != "room is not compared":
		return hashfam.ErrIncompatible
	case b.len()+o.len() > b.room:
		return fault.ErrFull
	}
	if b.defect == "a merge adds a key" && len(o.copies) > 0 {
		b.copies[^hashfam.Digest(0)]++
	}
	for d, c := range o.copies {
		if b.defect == "a failed merge adds some keys" && b.len()+c > b.room-2 {
			return fault.ErrFull
		}
		if b.defect == "a merge takes the larger count" {
			b.copies[d] = max(b.copies[d], c)
			continue
		}
		b.copies[d] += c
	}
	return nil
}

func (b *bag) AppendBinary(dst []byte) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint64(dst, b.fam.CheckValue())
	dst = binary.LittleEndian.AppendUint64(dst, uint64(b.room))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(len(b.copies)))
	digests := slices.Collect(maps.Keys(b.copies))
	if b.defect != "the encoding depends on the map's order" {
		slices.Sort(digests)
	}
	for _, d := range digests {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(d))
		dst = binary.LittleEndian.AppendUint64(dst, uint64(b.copies[d]))
	}
	return dst, nil
}

func (b *bag) AppendText(dst []byte) ([]byte, error) {
	data, _ := b.AppendBinary(nil)
	return hex.AppendEncode(dst, data), nil
}

func (b *bag) MarshalText() ([]byte, error) { return b.AppendText(nil) }

func (b *bag) MarshalJSON() ([]byte, error) { return []byte(`"text"`), nil }

func (b *bag) UnmarshalText(text []byte) error {
	data, err := hex.DecodeString(string(text))
	if err != nil {
		return err
	}
	return b.UnmarshalBinary(data)
}

func (b *bag) LogValue() slog.Value { return slog.StringValue("bag") }

func (b *bag) MarshalBinary() ([]byte, error) { return b.AppendBinary(nil) }

func (b *bag) UnmarshalBinary(data []byte) error {
	r := bytes.NewReader(data)
	if _, err := b.ReadFrom(r); err != nil || r.Len() > 0 {
		return fmt.Errorf("%w: %w, %d bytes left", hashfam.ErrCorrupt, err, r.Len())
	}
	return nil
}

func (b *bag) WriteTo(w io.Writer) (int64, error) {
	data, _ := b.AppendBinary(nil)
	n, err := w.Write(data)
	return int64(n), err
}

func (b *bag) ReadFrom(r io.Reader) (int64, error) {
	n := int64(0)
	var failed error
	next := func() uint64 {
		var w [8]byte
		k, err := io.ReadFull(r, w[:])
		n += int64(k)
		if failed == nil {
			failed = err
		}
		return binary.LittleEndian.Uint64(w[:])
	}
	if check := next(); failed == nil && check != b.fam.CheckValue() {
		return n, hashfam.ErrFamily
	}
	c := &bag{fam: b.fam, room: int(next()), copies: map[hashfam.Digest]int{}, defect: b.defect}
	for left := next(); left > 0 && failed == nil; left-- {
		d := hashfam.Digest(next())
		c.copies[d] = int(next())
	}
	if failed == nil {
		*b = *c
	}
	return n, failed
}

// reordered returns the suite of bags without the requirement that a merged bag
// equals the one built from all keys.
func reordered(defect string) conformance.Suite[*bag] {
	s := bags(defect)
	s.MergeReorders = true
	return s
}

func bags(defect string) conformance.Suite[*bag] {
	empty := func(fam hashfam.Family, room int) *bag {
		return &bag{fam, room, map[hashfam.Digest]int{}, defect}
	}
	return conformance.Suite[*bag]{
		Encoded: conformance.Encoded[*bag]{
			Fresh: func(t *rapid.T, fam hashfam.Family) *bag {
				return empty(fam, rapid.IntRange(1, 60).Draw(t, "room"))
			},
			Receiver:  func(fam hashfam.Family) *bag { return empty(fam, 0) },
			Insert:    func(b *bag, key []byte) error { return b.insert(b.fam.Sum(key)) },
			Has:       func(b *bag, key []byte) bool { return b.has(b.fam.Sum(key)) },
			HasString: func(b *bag, key string) bool { return b.has(b.fam.SumString(key)) },
			HasDigest: (*bag).has,
			HasAll: func(b *bag, dst []bool, keys [][]byte) []bool {
				for _, k := range keys {
					dst = append(dst, b.has(b.fam.Sum(k)))
				}
				return dst
			},
			Reads: func(*bag) {},
		},
		Like: func(b *bag) *bag { return empty(b.fam, b.room) },
		Variants: func(b *bag) []*bag {
			return []*bag{empty(b.fam, b.room+1), empty(b.fam.Derive("another"), b.room)}
		},
		Reset:        (*bag).Reset,
		Clone:        (*bag).Clone,
		Merge:        (*bag).Merge,
		InsertString: func(b *bag, key string) error { return b.insert(b.fam.SumString(key)) },
		InsertDigest: (*bag).insert,
		InsertAll:    (*bag).insertAll,
		HasOrInsert:  func(b *bag, key []byte) (bool, error) { return b.hasOrInsert(b.fam.Sum(key)) },
		HasOrInsertString: func(b *bag, key string) (bool, error) {
			return b.hasOrInsert(b.fam.SumString(key))
		},
		HasOrInsertDigest: (*bag).hasOrInsert,
		Delete:            func(b *bag, key []byte) bool { return b.delete(b.fam.Sum(key)) },
		Count:             func(b *bag, key []byte) uint64 { return uint64(b.copies[b.fam.Sum(key)]) },
	}
}
