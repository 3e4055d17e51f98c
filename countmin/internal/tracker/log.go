package tracker

import (
	"cmp"
	"encoding/binary"
	"iter"
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
)

// A log contains a tracker's records, one after another in a single array, so
// that keys do not need to be allocated separately. The index r of a record's
// count identifies the record. All numbers are in little-endian order. The
// bytes from r on are the record's encoding, so an encoded record has neither
// of the first two fields:
//
//	r-12  next    4 bytes: the next record of the chain, or none
//	r-8   digest  8
//	r     count   8: never below the truth
//	r+8   guess   8: the part of the count that is an estimate, which is the
//	                 tail's count of the key when the key was admitted or,
//	                 after a merge, the merged tail's
//	r+16  length  4: of the key
//	r+20  key
type log []byte

// A record is the index of a record's count in a log.
type record uint32

const (
	none      = record(0)
	linkBytes = 12 // before the count
	headBytes = 20 // from the count to the key
)

// A Key is a key as the caller passes it.
type Key interface{ string | []byte }

// recordBytes returns the size of the record for a key of n bytes.
func recordBytes(n uint64) uint64 { return linkBytes + headBytes + n }

func (l log) next(r record) record { return record(binary.LittleEndian.Uint32(l[r-12:])) }
func (l log) digest(r record) hashfam.Digest {
	return hashfam.Digest(binary.LittleEndian.Uint64(l[r-8:]))
}
func (l log) count(r record) uint64  { return binary.LittleEndian.Uint64(l[r:]) }
func (l log) guess(r record) uint64  { return binary.LittleEndian.Uint64(l[r+8:]) }
func (l log) length(r record) uint64 { return uint64(binary.LittleEndian.Uint32(l[r+16:])) }

func (l log) setNext(r, next record)          { binary.LittleEndian.PutUint32(l[r-12:], uint32(next)) }
func (l log) setCount(r record, count uint64) { binary.LittleEndian.PutUint64(l[r:], count) }
func (l log) setGuess(r record, guess uint64) { binary.LittleEndian.PutUint64(l[r+8:], guess) }

// exact returns how often r's key was counted since its admission.
func (l log) exact(r record) uint64 { return l.count(r) - l.guess(r) }

// key returns the key of r.
func (l log) key(r record) []byte { return l[r+headBytes:][:l.length(r)] }

// size returns the number of bytes of r.
func (l log) size(r record) uint64 { return recordBytes(l.length(r)) }

// bytes returns all bytes of r.
func (l log) bytes(r record) []byte { return l[r-linkBytes:][:l.size(r)] }

// encoded returns the encoding of r.
func (l log) encoded(r record) []byte { return l[r:][:headBytes+l.length(r)] }

// all yields the records. The loop may move a record to an earlier place.
func (l log) all() iter.Seq[record] {
	return func(yield func(record) bool) {
		for r := record(linkBytes); uint64(r) < uint64(len(l)); {
			next := r + record(l.size(r))
			if !yield(r) {
				return
			}
			r = next
		}
	}
}

// appendRecord appends a record, which is not in a chain yet.
func appendRecord[K Key](l log, count, guess uint64, d hashfam.Digest, key K) log {
	l = binary.LittleEndian.AppendUint64(append(l, 0, 0, 0, 0), uint64(d))
	l = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(l, count), guess)
	return append(binary.LittleEndian.AppendUint32(l, uint32(len(key))), key...)
}

// A rank determines which records are evicted first: those with the lowest
// counts and, since the order of the stream should not matter, those with the
// highest digests among equal counts.
type rank struct {
	count  uint64
	digest hashfam.Digest
}

// rank returns the rank of r.
func (l log) rank(r record) rank { return rank{l.count(r), l.digest(r)} }

// after reports whether r is evicted after the records of the given rank.
func (l log) after(r record, last rank) bool {
	if count := l.count(r); count != last.count {
		return count > last.count
	}
	return l.digest(r) < last.digest
}

// compare is negative if r is evicted before s.
func (l log) compare(r, s record) int {
	if a, b := l.count(r), l.count(s); a != b {
		return cmp.Compare(a, b)
	}
	return cmp.Compare(l.digest(s), l.digest(r))
}

// countFreeing returns the lowest count c, but at least low, for which evicting
// all records with a count of c or less frees the given number of bytes, or
// empties the log.
//
// countFreeing adds up the records' bytes in buckets, by the difference between
// count and low. Each difference below 16 has a bucket of its own. The result
// is usually one of these, so one pass over the log is enough. Any other bucket
// is for all differences that have the same number of bits and the same four
// leading bits. If the result is in such a bucket, countFreeing begins again
// with the bucket's lowest count as low.
func (l log) countFreeing(size, low uint64) uint64 {
	var buckets [8 * 64]uint64
	for r := range l.all() {
		over := l.count(r) - min(l.count(r), low)
		shift := max(0, bits.Len64(over)-4)
		buckets[uint64(8*shift)+over>>shift] += l.size(r)
	}
	b := 0
	for sum := buckets[0]; sum < min(size, uint64(len(l))); sum += buckets[b] {
		b++
	}
	shift := max(0, b/8-1)
	low += uint64(b-8*shift) << shift
	if shift == 0 {
		return low
	}
	return l.countFreeing(size, low)
}
