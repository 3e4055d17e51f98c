package countmin

import "github.com/filterfam/filterfam/hashfam"

// The log of a tracker is an array of words that holds its records one behind
// another, so that a key costs no allocation and no pointer, only its bytes and
// three words. Those of record r, which is the index of its first, are
//
//	r    its count: an upper bound of the truth
//	r+1  high half: how much of the count is estimate, what the tail said when
//	     the key was admitted (2^32-1: that or more);
//	     low half: the next record of its chain, as index+1, or 0
//	r+2  the digest
//	r+3  the key: a byte of length and the bytes, filled up with zeros; from
//	     255 bytes on that byte is 255, a word of length follows and then the
//	     bytes
type record int

const (
	none       = record(-1)
	recordHead = 3
	longKey    = 255
	overMax    = 1<<32 - 1 // test with != only: Go 1.26 on s390x takes x>>32 < 1<<32-1 for true
)

// A text is a key as the caller has it.
type text interface{ string | []byte }

// keyWords returns how many words a key of n bytes takes in the log.
func keyWords(n uint64) uint64 {
	if n < longKey {
		return (n + 8) / 8
	}
	return 2 + (n+7)/8
}

// appendRecord appends a record, which is not in a chain yet.
func appendRecord[K text](log []uint64, count, over uint64, d hashfam.Digest, key K) []uint64 {
	log = append(log, count, min(over, overMax)<<32, uint64(d))
	if n := uint64(len(key)); n < longKey {
		log = append(log, n)
	} else {
		log = append(log, longKey, n)
	}
	at := uint64(len(log)) * 8 // the next byte
	if len(key) < longKey {
		at -= 7
	}
	for i := range len(key) {
		if at%8 == 0 {
			log = append(log, 0)
		}
		log[at/8] |= uint64(key[i]) << (at % 8 * 8)
		at++
	}
	return log
}

// keyLen returns the length of the key of r.
func keyLen(log []uint64, r record) uint64 {
	if n := log[r+recordHead] & longKey; n < longKey {
		return n
	}
	return log[r+recordHead+1]
}

// size returns how many words r takes.
func size(log []uint64, r record) record {
	return recordHead + record(keyWords(keyLen(log, r)))
}

// appendKey appends the bytes of the key of r.
func appendKey(dst []byte, log []uint64, r record) []byte {
	n, at := keyLen(log, r), uint64(r+recordHead)*8+1
	if n >= longKey {
		at += 15
	}
	for ; n > 0; n, at = n-1, at+1 {
		dst = append(dst, byte(log[at/8]>>(at%8*8)))
	}
	return dst
}

// over returns how much of the count of r is estimate.
func over(log []uint64, r record) uint64 { return log[r+1] >> 32 }

// exact returns how much of the count of r was counted while it was tracked.
func exact(log []uint64, r record) uint64 { return log[r] - over(log, r) }
