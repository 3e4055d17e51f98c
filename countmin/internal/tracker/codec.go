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

// PayloadWords returns the number of words in the payload. Records in the log
// have one word more for the digest. The link to the next record has no word of
// its own.
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

// Decode returns the tracker with the given goal and payload, whose digests are
// computed by fam. It does not retain words. The rest of the budget will be
// allocated when it is first needed. If no tracker can have this payload,
// ErrCorrupt is returned, using r.
func Decode(r *frame.Reader, words []uint64, g Goal, fam hashfam.Family) (Tracker, error) {
	if len(words) < headWords {
		return Tracker{}, r.Corrupt("payload length", 8*len(words), fmt.Sprint("at least ", 8*headWords))
	}
	t := Tracker{Goal: g, want: g.wanted(), room: minLog, total: words[0], floor: words[1], missed: words[2]}
	tailWords, shift, rest := words[3]&math.MaxUint32, words[3]>>32, words[headWords:]
	switch {
	case !g.fits(tailWords, shift) || tailWords > uint64(len(rest)):
		return Tracker{}, r.Corrupt("tail", words[3], "a size and a width that follow from the parameters")
	case t.floor > t.missed || t.missed > t.total:
		return Tracker{}, r.Corrupt("floor, missed, total", []uint64{t.floor, t.missed, t.total}, "ascending numbers")
	}
	t.tail = newTail(tailWords, uint8(shift))
	t.tail.words = slices.Clone(rest[:tailWords])
	for i := range t.tail.cells() {
		if count := t.tail.get(i); count > t.total {
			return Tracker{}, r.Corrupt("counter", count, fmt.Sprintf("at most the total, %d", t.total))
		}
	}
	if err := t.decodeLog(r, rest[tailWords:], words[4], fam); err != nil {
		return Tracker{}, err
	}
	if used := structBytes + g.headBytes() + 8*uint64(len(t.log)) + 8*tailWords; !g.grows() && used > g.Memory {
		return Tracker{}, r.Corrupt("memory for records and counters", used, fmt.Sprintf("at most MemoryBytes, %d", g.Memory))
	}
	if t.index = newIndex(1); g.grows() {
		t.grow(uint64(len(t.log)))
	}
	t.settle()
	return t, nil
}

// decodeLog reads the given number of records from words, which must not
// contain anything else.
func (t *Tracker) decodeLog(r *frame.Reader, words []uint64, records uint64, fam hashfam.Family) error {
	t.log = make(log, 0, len(words)+len(words)/3)
	key, last := []byte(nil), hashfam.Digest(0)
	for live := uint64(0); len(words) > 0 || live != records; live++ {
		corrupt := func(field string, value any, want string) error {
			return r.Corrupt(fmt.Sprintf("%s of record %d of %d", field, live, records), value, want)
		}
		if len(words) < 3 || live == records {
			return corrupt("length", len(words), "3 words or more, and none after the last")
		}
		count, guess := words[0], words[1]
		if count == 0 || count > t.total || guess > maxGuess || guess > count {
			return corrupt("count", count, "from its estimate up to the total")
		}
		n, ok := parseKeyLen(words[2:])
		if !ok {
			return corrupt("key length", n, fmt.Sprintf("at most what fits in %d words, in the short form below 255", len(words)-2))
		}
		at := record(len(t.log))
		t.log = append(t.log.appendHead(count, guess, 0), words[2:2+keyWords(n)]...)
		words = words[2+keyWords(n):]
		key = t.log.appendKey(key[:0], at)
		if n < longKey {
			n++ // for the byte that contains n
		}
		if pad := t.log[len(t.log)-1] >> (n % 8 * 8); n%8 != 0 && pad != 0 {
			return corrupt("padding", pad, "0")
		}
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
	return nil
}

// parseKeyLen returns the length of the key at the beginning of words. It also
// reports whether the length is in its shortest form and the words contain the
// key.
func parseKeyLen(words []uint64) (n uint64, ok bool) {
	if n = words[0] & longKey; n == longKey {
		if words[0] != longKey || len(words) < 2 || words[1] < longKey {
			return words[0], false
		}
		n = words[1]
	}
	return n, n <= 8*uint64(len(words)) && keyWords(n) <= uint64(len(words))
}
