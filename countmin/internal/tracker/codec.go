package tracker

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A tracker's payload, in words:
//
//	0  total
//	1  floor
//	2  missed
//	3  low half: the words of the tail; high half: its shift, 2 to 6
//	4  the number of records
//	5  the tail, row by row, the first counter of a word in its low bits
//	   the records, by ascending digest: count, guess, key as in a [log]
//
// The digests are not stored, since they can be computed using the keys. A
// tracker that has no memory yet has no payload.
const headWords = 5

// PayloadWords returns the number of words in the payload, in which a record
// has one word less than in the log because it does not contain the digest.
func (t *Tracker) PayloadWords() uint64 {
	if t.blank() {
		return 0
	}
	return headWords + uint64(t.tail.size) + uint64(len(t.log)-t.live)
}

// Payload yields the words of the payload. It first sorts the records, in O(r
// log r) time and O(r) memory for r records.
func (t *Tracker) Payload() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		put := func(words ...uint64) bool {
			for _, w := range words {
				if !yield(w) {
					return false
				}
			}
			return true
		}
		if t.blank() {
			return
		}
		shape := uint64(t.tail.size) | uint64(t.tail.shift)<<32
		if !put(t.total, t.floor, t.missed, shape, uint64(t.live)) {
			return
		}
		for word := range t.tail.all() {
			if !yield(word) {
				return
			}
		}
		for _, r := range t.byDigest() {
			if !put(t.log.count(r), t.log.guess(r)) || !put(t.log.key(r)...) {
				return
			}
		}
	}
}

// byDigest returns the records by ascending digest.
func (t *Tracker) byDigest() []record {
	records := make([]record, 0, t.live)
	for r := range t.log.all() {
		records = append(records, r)
	}
	slices.SortFunc(records, func(a, b record) int { return cmp.Compare(t.log.digest(a), t.log.digest(b)) })
	return records
}

// Decode returns the tracker with the given goal and payload, using digests
// computed by fam. It does not retain words. If no tracker can have this
// payload, Decode returns ErrCorrupt.
func Decode(r *frame.Reader, words []uint64, g Goal, fam hashfam.Family) (Tracker, error) {
	if len(words) < headWords {
		return Tracker{}, r.Corrupt("payload length", 8*len(words), fmt.Sprint("at least ", 8*headWords))
	}
	t := Tracker{Goal: g, want: g.wanted(), room: minLog, total: words[0], floor: words[1], missed: words[2]}
	if t.missed > t.total {
		return Tracker{}, r.Corrupt("missed", t.missed, fmt.Sprintf("at most the total, %d", t.total))
	}
	if t.floor > t.missed {
		return Tracker{}, r.Corrupt("floor", t.floor, fmt.Sprintf("at most missed, %d", t.missed))
	}
	rest := words[headWords:]
	if err := t.decodeTail(r, rest, words[3]&math.MaxUint32, words[3]>>32); err != nil {
		return Tracker{}, err
	}
	if err := t.decodeLog(r, rest[t.tail.size:], words[4], fam); err != nil {
		return Tracker{}, err
	}
	used := structBytes + g.headBytes() + 8*uint64(len(t.log)) + 8*uint64(t.tail.size)
	if !g.grows() && used > g.Memory {
		return Tracker{}, r.Corrupt("memory for records and counters", used, fmt.Sprintf("at most MemoryBytes, %d", g.Memory))
	}
	t.index = newIndex(1)
	if g.grows() {
		t.grow(uint64(len(t.log)))
	}
	t.settle()
	return t, nil
}

// decodeTail reads a tail with the given shape from the beginning of words.
func (t *Tracker) decodeTail(r *frame.Reader, words []uint64, size, shift uint64) error {
	if shift < tailShift || shift > tailMaxShift {
		return r.Corrupt("counter width", shift, fmt.Sprintf("%d to %d", tailShift, tailMaxShift))
	}
	if !t.fits(size, shift) {
		return r.Corrupt("number of counter words", size, "a size that follows from the parameters")
	}
	if size > uint64(len(words)) {
		return r.Corrupt("payload length", 8*(headWords+len(words)), fmt.Sprintf("at least %d, for the counters", 8*(headWords+size)))
	}
	t.tail = newTail(size, uint8(shift))
	t.tail.words = slices.Clone(words[:size])
	for i := range t.tail.cells() {
		if count := t.tail.get(i); count > t.total {
			return r.Corrupt("counter", count, fmt.Sprintf("at most the total, %d", t.total))
		}
	}
	return nil
}

// decodeLog reads the given number of records from words, which must not
// contain anything else.
func (t *Tracker) decodeLog(r *frame.Reader, words []uint64, records uint64, fam hashfam.Family) error {
	t.log = make(log, 0, len(words)+len(words)/3)
	var key []byte
	var last hashfam.Digest
	for live := range records {
		corrupt := func(field string, value any, want string) error {
			return r.Corrupt(fmt.Sprintf("%s of record %d of %d", field, live, records), value, want)
		}
		if len(words) < 3 {
			return corrupt("length", len(words), "3 words or more")
		}
		count := words[0]
		guess := words[1]
		if field, value, want := t.checkCount(count, guess); field != "" {
			return corrupt(field, value, want)
		}
		n, want := parseKeyLen(words[2:])
		if want != "" {
			return corrupt("key length", n, want)
		}
		at := record(len(t.log))
		t.log = append(t.log.appendHead(count, guess, 0), words[2:2+keyWords(n)]...)
		words = words[2+keyWords(n):]
		if pad := padding(t.log[len(t.log)-1], n); pad != 0 {
			return corrupt("padding", pad, "0")
		}
		key = t.log.appendKey(key[:0], at)
		d := fam.Sum(key)
		if live > 0 && d <= last {
			return corrupt("digest", d, fmt.Sprintf("above the previous one, %d", last))
		}
		if most := t.tail.count(d); guess > most {
			return corrupt("estimate", guess, fmt.Sprintf("at most the tail's count, %d", most))
		}
		t.log[at+2] = uint64(d)
		last = d
	}
	if len(words) > 0 {
		return r.Corrupt("number of records", records, fmt.Sprintf("more, because %d words follow", len(words)))
	}
	return nil
}

// checkCount returns the name of the invalid one of a record's numbers, if there
// is one, its value, and what it should be.
func (t *Tracker) checkCount(count, guess uint64) (field string, value uint64, want string) {
	switch {
	case count == 0 || count > t.total:
		return "count", count, fmt.Sprintf("1 to the total, %d", t.total)
	case guess > maxGuess:
		return "estimate", guess, fmt.Sprint("at most ", uint64(maxGuess))
	case guess > count:
		return "estimate", guess, fmt.Sprintf("at most the count, %d", count)
	}
	return "", 0, ""
}

// parseKeyLen returns the length of the key at the beginning of words, or what
// it should be if it is invalid.
func parseKeyLen(words []uint64) (n uint64, want string) {
	n = words[0] & longKey
	if n == longKey {
		if words[0] != longKey {
			return words[0], "255 if the length is in the next word"
		}
		if len(words) < 2 {
			return n, "the length in the next word"
		}
		n = words[1]
		if n < longKey {
			return n, "the short form below 255"
		}
	}
	if n > 8*uint64(len(words)) || keyWords(n) > uint64(len(words)) {
		return n, fmt.Sprintf("at most what fits in %d words", len(words))
	}
	return n, ""
}

// padding returns the bytes after a key of n bytes in its last word.
func padding(last, n uint64) uint64 {
	if n < longKey {
		n++ // for the byte that contains n
	}
	if n%8 == 0 {
		return 0
	}
	return last >> (n % 8 * 8)
}
