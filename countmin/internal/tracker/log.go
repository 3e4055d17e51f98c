package tracker

import (
	"iter"
	"math"

	"github.com/filterfam/filterfam/hashfam"
)

// A log contains a tracker's records, one after another in a single array of
// words, so that keys do not need to be allocated separately. A key uses three
// words in addition to its bytes, and no pointer. A record r is the index of
// its first word:
//
//	     bit 63            32 31               0
//	r        +--------------------------------+
//	         |             count              |  never below the truth
//	r+1      +----------------+---------------+
//	         |     guess      |     next      |  see below
//	r+2      +----------------+---------------+
//	         |             digest             |
//	r+3      +------------------------+-------+
//	         |   key, up to 7 bytes   | length|  length: one byte
//	r+4      +------------------------+-------+
//	         |  more of the key, then zeros   |
//	         +--------------------------------+
//
// guess is the part of the count that is an estimate: the tail's count when the
// key was admitted, or maxGuess if this part may be larger. next is the next
// record of the chain, as index+1, or 0. If a key has 255 bytes or more, the
// length byte is 255, the rest of its word is zero, and the key follows a word
// with the length.
type log []uint64

// A record is the index of a record's first word in a log.
type record int

const (
	none       = record(-1)
	recordHead = 3         // words before the key
	longKey    = 255       // bytes
	maxGuess   = 1<<32 - 1 // compare with != only: in Go 1.26 on s390x, x>>32 < 1<<32-1 is always true
)

// A Key is a key as the caller passes it.
type Key interface{ string | []byte }

// keyWords returns the number of words in the log for a key of n bytes.
func keyWords(n uint64) uint64 {
	if n < longKey {
		return (n + 8) / 8
	}
	return 2 + (n+7)/8
}

// recordWords returns the number of words in the record for a key of n bytes.
func recordWords(n int) uint64 { return recordHead + keyWords(uint64(n)) }

func (l log) count(r record) uint64          { return l[r] }
func (l log) guess(r record) uint64          { return l[r+1] >> 32 }
func (l log) exact(r record) uint64          { return l.count(r) - l.guess(r) } // counted since admission
func (l log) digest(r record) hashfam.Digest { return hashfam.Digest(l[r+2]) }
func (l log) next(r record) record           { return record(uint32(l[r+1])) - 1 }

// setNext sets the record that follows r in its chain, or none.
func (l log) setNext(r, next record) { l[r+1] = l.guess(r)<<32 | uint64(next+1) }

// setCount sets the count of r and its guess.
func (l log) setCount(r record, count, guess uint64) {
	l[r] = count
	l[r+1] = min(guess, maxGuess)<<32 | l[r+1]&math.MaxUint32
}

// keyLen returns the length of r's key in bytes.
func (l log) keyLen(r record) uint64 {
	if n := l[r+recordHead] & longKey; n < longKey {
		return n
	}
	return l[r+recordHead+1]
}

// end returns the index of the first word after r.
func (l log) end(r record) record { return r + recordHead + record(keyWords(l.keyLen(r))) }

// key returns the words of r's key, including its length.
func (l log) key(r record) []uint64 { return l[r+recordHead : l.end(r)] }

// appendKey appends the bytes of r's key to dst.
func (l log) appendKey(dst []byte, r record) []byte {
	n := l.keyLen(r)
	at := uint64(r+recordHead)*8 + 1
	if n >= longKey {
		at += 15
	}
	for end := at + n; at < end; at++ {
		dst = append(dst, byte(l[at/8]>>(at%8*8)))
	}
	return dst
}

// all yields each record and the index of the first word after it. The loop may
// change a record's words, because its end is computed before it is yielded.
func (l log) all() iter.Seq2[record, record] {
	return func(yield func(r, end record) bool) {
		for r := record(0); int(r) < len(l); {
			end := l.end(r)
			if !yield(r, end) {
				return
			}
			r = end
		}
	}
}

// appendHead appends a record's words up to its key. The record is not in a
// chain yet.
func (l log) appendHead(count, guess uint64, d hashfam.Digest) log {
	return append(l, count, min(guess, maxGuess)<<32, uint64(d))
}

// countFreeing returns the lowest count, but at least low, for which the
// records with no higher count have the given number of words or more. It
// computes the difference from low byte by byte, beginning with the highest
// byte that is not zero. For each byte, it calls digit, which reads the whole
// log, but usually the difference is below 255, so a single call is enough.
func (l log) countFreeing(words, low uint64) uint64 {
	words = min(words, uint64(len(l)))
	shift := 0
	digit := l.digit(words, low, shift)
	for digit == maxDigit && shift < 56 {
		shift += 8
		digit = l.digit(words, low, shift)
	}
	for shift > 0 {
		low += digit << shift
		shift -= 8
		digit = l.digit(words, low, shift)
	}
	return low + digit
}

// digit returns the lowest d for which the records with a count below low +
// (d+1)<<shift have the given number of words or more, or maxDigit.
func (l log) digit(words, low uint64, shift int) (digit uint64) {
	var fill [maxDigit + 1]uint64
	filled := uint64(0)
	for r, end := range l.all() {
		if count := l.count(r); count < low {
			filled += uint64(end - r)
		} else {
			fill[min((count-low)>>shift, maxDigit)] += uint64(end - r)
		}
	}
	for filled += fill[0]; filled < words && digit < maxDigit; filled += fill[digit] {
		digit++
	}
	return digit
}

// appendRecord appends a record, which is not in a chain yet.
func appendRecord[K Key](l log, count, guess uint64, d hashfam.Digest, key K) log {
	l = l.appendHead(count, guess, d)
	at := uint64(len(l))*8 + 1 // the next byte
	if n := uint64(len(key)); n < longKey {
		l = append(l, n)
	} else {
		l = append(l, longKey, n)
		at += 15
	}
	for i := range len(key) {
		if at%8 == 0 {
			l = append(l, 0)
		}
		l[at/8] |= uint64(key[i]) << (at % 8 * 8)
		at++
	}
	return l
}

const maxDigit = 255
