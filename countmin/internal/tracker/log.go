package tracker

import (
	"iter"
	"math"

	"github.com/filterfam/filterfam/hashfam"
)

// A log holds the records of a tracker back to back in one array of words, so
// that a key costs no allocation and no pointer, only its bytes and three words
// more. A record r is the index of its first word:
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
// guess is how much of the count is estimate: what the tail said when the key
// was admitted. At maxGuess it was that or more. next is the next record of the
// chain, as index+1, or 0. If a key has 255 bytes or more, the byte of length
// is 255, the rest of that word is zero, a word of length follows and then the
// key.
type log []uint64

// A record is the index of a record's first word in a log.
type record int

const (
	none       = record(-1)
	recordHead = 3         // words before the key
	longKey    = 255       // bytes
	maxGuess   = 1<<32 - 1 // test with != only: Go 1.26 on s390x takes x>>32 < 1<<32-1 for true
)

// A Key is a key as the caller has it.
type Key interface{ string | []byte }

// keyWords returns how many words a key of n bytes takes in the log.
func keyWords(n uint64) uint64 {
	if n < longKey {
		return (n + 8) / 8
	}
	return 2 + (n+7)/8
}

// recordWords returns how many words the record of a key of n bytes takes.
func recordWords(n int) uint64 { return recordHead + keyWords(uint64(n)) }

func (l log) count(r record) uint64          { return l[r] }
func (l log) guess(r record) uint64          { return l[r+1] >> 32 }
func (l log) exact(r record) uint64          { return l.count(r) - l.guess(r) } // counted since admission
func (l log) digest(r record) hashfam.Digest { return hashfam.Digest(l[r+2]) }
func (l log) next(r record) record           { return record(uint32(l[r+1])) - 1 }

// add counts the key of r n times more.
func (l log) add(r record, n uint64) { l[r] = AddSat(l[r], n) }

// setNext makes next, or none, the record that follows r in its chain.
func (l log) setNext(r, next record) { l[r+1] = l.guess(r)<<32 | uint64(next+1) }

// setCount makes count the count of r, and guess how much of it is estimate.
func (l log) setCount(r record, count, guess uint64) {
	l[r], l[r+1] = count, min(guess, maxGuess)<<32|l[r+1]&math.MaxUint32
}

// keyLen returns the length of the key of r in bytes.
func (l log) keyLen(r record) uint64 {
	if n := l[r+recordHead] & longKey; n < longKey {
		return n
	}
	return l[r+recordHead+1]
}

// end returns the index of the word after r.
func (l log) end(r record) record { return r + recordHead + record(keyWords(l.keyLen(r))) }

// key returns the words of the key of r, its length included.
func (l log) key(r record) []uint64 { return l[r+recordHead : l.end(r)] }

// appendKey appends the bytes of the key of r to dst.
func (l log) appendKey(dst []byte, r record) []byte {
	n, at := l.keyLen(r), uint64(r+recordHead)*8+1
	if n >= longKey {
		at += 15
	}
	for ; n > 0; n, at = n-1, at+1 {
		dst = append(dst, byte(l[at/8]>>(at%8*8)))
	}
	return dst
}

// all yields each record and the index of the word after it. The words of a
// record may change while it is yielded, so its end is read before.
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

// appendHead appends the words before the key of a record, which is not in a
// chain yet.
func (l log) appendHead(count, guess uint64, d hashfam.Digest) log {
	return append(l, count, min(guess, maxGuess)<<32, uint64(d))
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

// countFreeing returns the least count from low on such that the records that
// count no more fill that many words. It finds the count's distance from low
// byte by byte, with a walk over the log for each: up to the first byte that is
// zero from there on, and down again. Most often the distance is below 255, and
// one walk is enough. O(records) time. walks is how many there were.
func (l log) countFreeing(words, low uint64) (count uint64, walks int) {
	words = min(words, uint64(len(l)))
	shift, digit := 0, l.digit(words, low, 0)
	for walks = 1; digit == maxDigit && shift < 56; walks++ {
		shift += 8
		digit = l.digit(words, low, shift)
	}
	for ; shift > 0; walks++ {
		low += digit << shift
		shift -= 8
		digit = l.digit(words, low, shift)
	}
	return low + digit, walks
}

const maxDigit = 255

// digit returns the least d, or maxDigit, such that the records that count less
// than low + (d+1)<<shift fill that many words.
func (l log) digit(words, low uint64, shift int) uint64 {
	var fill [maxDigit + 1]uint64
	filled := uint64(0)
	for r, end := range l.all() {
		if count := l.count(r); count < low {
			filled += uint64(end - r)
		} else {
			fill[min((count-low)>>shift, maxDigit)] += uint64(end - r)
		}
	}
	digit := uint64(0)
	for filled += fill[0]; filled < words && digit < maxDigit; filled += fill[digit] {
		digit++
	}
	return digit
}
