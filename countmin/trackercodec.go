package countmin

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// The payload of a tracker, in words:
//
//	0  total
//	1  floor
//	2  missed
//	3  low half: the words of the tail; high half: its shift, 2 to 6
//	4  the number of records
//	5  the tail, row by row, the first counter of a word in its low bits
//	   the records, in rising order of their digests: count, estimate before
//	   admission (2^32-1: that or more), key (a byte of length and the bytes,
//	   filled up with zeros; from 255 bytes on that byte is 255, a word of
//	   length follows and then the bytes)
//
// The digests are not stored: they follow from the keys.
const trackerWords = 5

// payloadWords returns how many words the payload has. In the log a record has
// one word more, its digest, and the link of its chain.
func (t *tracker) payloadWords() uint64 {
	return uint64(trackerWords + len(t.tail.words) + len(t.log) - t.live)
}

// payload yields the words of the payload.
func (t *tracker) payload() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		head := []uint64{t.total, t.floor, t.missed,
			uint64(len(t.tail.words)) | uint64(t.tail.shift)<<32, uint64(t.live)}
		for _, words := range [][]uint64{head, t.tail.words} {
			for _, w := range words {
				if !yield(w) {
					return
				}
			}
		}
		for _, r := range t.byDigest() {
			if !yield(t.log[r]) || !yield(over(t.log, r)) {
				return
			}
			for _, w := range t.log[r+recordHead : r+size(t.log, r)] {
				if !yield(w) {
					return
				}
			}
		}
	}
}

// byDigest returns the records in rising order of their digests.
func (t *tracker) byDigest() []record {
	rs := make([]record, 0, t.live)
	for r := record(0); int(r) < len(t.log); r += size(t.log, r) {
		rs = append(rs, r)
	}
	slices.SortFunc(rs, func(a, b record) int { return cmp.Compare(t.log[a+2], t.log[b+2]) })
	return rs
}

// decodeTracker reads the payload of a verified header.
func decodeTracker(r *frame.Reader, h frame.Header, p plan, fam hashfam.Family) (tracker, error) {
	words := r.Words(h.Payload / 8)
	if err := r.Err(); err != nil {
		return tracker{}, err
	}
	if len(words) < trackerWords {
		return tracker{}, r.Corrupt("payload length", h.Payload, fmt.Sprint("at least ", 8*trackerWords))
	}
	t := tracker{total: words[0], floor: words[1], missed: words[2], plan: p, spread: newSpread()}
	shape, live := words[3], words[4]
	words = words[trackerWords:]
	tailWords, shift := shape&math.MaxUint32, shape>>32
	if !p.fits(tailWords, shift) || tailWords > uint64(len(words)) {
		return tracker{}, r.Corrupt("tail", shape, "a size and a width that follow from the parameters")
	}
	t.tail = tail{slices.Clone(words[:tailWords]), uint8(shift)}
	if most := t.tail.max(); most > t.total {
		return tracker{}, r.Corrupt("counter", most, fmt.Sprintf("at most the total, %d", t.total))
	}
	if t.floor > t.missed || t.missed > t.total {
		return tracker{}, r.Corrupt("floor, missed, total", []uint64{t.floor, t.missed, t.total}, "rising numbers")
	}
	if err := t.readLog(r, words[tailWords:], live, fam); err != nil {
		return tracker{}, err
	}
	if used := structBytes + p.headBytes() + 8*len(t.log) + 8*len(t.tail.words); !p.grows && used > p.memory {
		return tracker{}, r.Corrupt("memory for records and counters", used, fmt.Sprintf("at most MemoryBytes, %d", p.memory))
	}
	if p.grows {
		t.plan.roomFor(uint64(len(t.log)))
	}
	t.settle()
	return t, nil
}

// fits reports whether a tail of that size and shift can have come about.
func (p plan) fits(words, shift uint64) bool {
	if shift < tailShift || shift > tailMaxShift {
		return false
	}
	start := p.tailWords()
	if p.grows {
		return words == uint64(start)<<(shift-tailShift)
	}
	for uint64(start) > words && p.canHalve(start) {
		start /= 2
	}
	return words == uint64(start)
}

// readLog reads live records from all of words.
func (t *tracker) readLog(r *frame.Reader, words []uint64, live uint64, fam hashfam.Family) error {
	corrupt := func(field string, value any, want string) error {
		return r.Corrupt(fmt.Sprintf("%s of record %d", field, t.live), value, want)
	}
	t.log = make([]uint64, 0, len(words)+len(words)/3)
	var key []byte
	last := uint64(0)
	for ; len(words) > 0; t.live++ {
		if uint64(len(words)) < 3 {
			return corrupt("length", len(words), "3 words or more")
		}
		count, before, rest := words[0], words[1], words[2:]
		n := rest[0] & longKey
		if n == longKey {
			if n = 0; len(rest) > 1 {
				n = rest[1]
			}
			if rest[0] != longKey || n < longKey {
				return corrupt("key length", n, "at least 255 in its long form")
			}
		}
		if n > 8*uint64(len(rest)) || keyWords(n) > uint64(len(rest)) {
			return corrupt("key length", n, fmt.Sprintf("what %d words hold", len(rest)))
		}
		if count == 0 || count > t.total || before > overMax || before > count {
			return corrupt("count", count, "from its estimate up to the total")
		}
		at := record(len(t.log))
		t.log = append(t.log, count, before<<32, 0)
		t.log = append(t.log, rest[:keyWords(n)]...)
		words = rest[keyWords(n):]
		if pad := t.padding(at); pad != 0 {
			return corrupt("padding", pad, "0")
		}
		key = appendKey(key[:0], t.log, at)
		d := uint64(fam.Sum(key))
		if t.live > 0 && d <= last {
			return corrupt("digest", d, fmt.Sprintf("above the one before, %d", last))
		}
		t.log[at+2], last = d, d
	}
	if uint64(t.live) != live {
		return r.Corrupt("records", live, fmt.Sprint(t.live))
	}
	return nil
}

// padding returns the bits behind the bytes of the key of r, the last record.
func (t *tracker) padding(r record) uint64 {
	n := keyLen(t.log, r)
	if n < longKey {
		n++
	}
	if n%8 == 0 {
		return 0
	}
	return t.log[len(t.log)-1] >> (n % 8 * 8)
}
