package countmin

import (
	"math"

	"github.com/filterfam/filterfam/hashfam"
)

// A tracker counts the keys that occur most exactly, from the moment it admits
// them, and all others in its tail. It is the common part of [HeavyHitters] and
// [TopK].
//
// A key that is not tracked is counted in the tail, and admitted when the
// tail's estimate of it exceeds floor. When there is no room, a sweep evicts
// the records that count least, so many that the next one is far off, and
// writes their counts back to the tail; floor is then the most that any of them
// counted. So at every moment
//
//   - the count of a record is no less than the truth: it began as an estimate
//     and has been exact since;
//   - no key without a record counts more than missed, which is floor but for
//     keys too long to be admitted;
//   - the tail's estimate of a key without a record is no less than the truth.
type tracker struct {
	total  uint64
	floor  uint64
	missed uint64
	tail   tail
	heads  []uint32 // the first record of each chain, as index+1, or 0
	spread uint64   // odd and random, so that nobody can choose keys that share a chain
	log    []uint64
	live   int // records in the log
	plan   plan

	refused refusal
	walks   uint64 // how often the log was walked for a bar
}

// A refusal remembers that a key of that many words was not admitted, because
// it did not count more than bar. Counts only rise and room only gets scarcer,
// until a sweep or more room: until then no key of as many words and no higher
// count can be admitted, and need not be looked into.
type refusal struct{ words, bar uint64 }

// sweepShare is the share of the log, one in so many words, that a sweep frees
// at least: little enough that memory is well used, enough that few updates
// pay for one.
const sweepShare = 16

// observe counts key n times.
func observe[K text](t *tracker, d hashfam.Digest, key K, n uint64) {
	if n == 0 || len(t.heads) == 0 {
		return
	}
	t.total = addSat(t.total, n)
	if r := t.find(d); r != none {
		t.log[r] = addSat(t.log[r], n)
		return
	}
	before, added := t.tail.add(d, n, min(t.floor, t.tail.limit()))
	if added {
		return // the key is known to count no more than floor
	}
	now := addSat(before, n)
	if now > t.floor && t.makeRoom(recordHead+keyWords(uint64(len(key))), now) {
		t.log = appendRecord(t.log, now, before, d, key)
		t.enlist(record(len(t.log)) - recordHead - record(keyWords(uint64(len(key)))))
		return
	}
	t.missed = max(t.missed, now)
	t.raise(d, now)
}

// find returns the record of the key with digest d.
func (t *tracker) find(d hashfam.Digest) record {
	r := record(t.heads[t.headOf(uint64(d))]) - 1
	for r >= 0 && t.log[r+2] != uint64(d) {
		r = record(uint32(t.log[r+1])) - 1
	}
	return r
}

// headOf returns the chain of a digest. A random odd multiple leaves any set of
// digests few in a chain (Dietzfelbinger et al., Journal of Algorithms 25,
// 1997); the digests themselves, under the public family, anybody can choose.
func (t *tracker) headOf(d uint64) uint64 {
	return hashfam.Reduce(d*t.spread, uint64(len(t.heads)))
}

// enlist counts r, the newest record, and puts it in its chain.
func (t *tracker) enlist(r record) {
	if t.live++; t.live > len(t.heads) && t.plan.grows {
		t.relink(make([]uint32, 2*t.live))
		return
	}
	t.chain(r)
}

// chain puts r, which is in no chain, at the end of its chain: a key that was
// admitted long ago is likely to come again, and is so found at once.
func (t *tracker) chain(r record) {
	t.log[r+1] = over(t.log, r) << 32
	head := &t.heads[t.headOf(t.log[r+2])]
	if *head == 0 {
		*head = uint32(r + 1)
		return
	}
	last := record(*head) - 1
	for next := uint32(t.log[last+1]); next != 0; next = uint32(t.log[last+1]) {
		last = record(next) - 1
	}
	t.log[last+1] |= uint64(r + 1)
}

// relink builds all chains anew, with these heads.
func (t *tracker) relink(heads []uint32) {
	clear(heads)
	t.heads, t.live = heads, 0
	for r := record(0); int(r) < len(t.log); r += size(t.log, r) {
		t.chain(r)
		t.live++
	}
}

// raise makes the tail's counters of a key at least to.
func (t *tracker) raise(d hashfam.Digest, to uint64) {
	for to > t.tail.limit() {
		t.widen(&t.tail)
	}
	t.tail.raise(d, to)
}

// widen makes the counters of a tail wider, as memory allows.
func (t *tracker) widen(l *tail) {
	if t.plan.grows {
		l.spread()
	} else {
		l.fold()
	}
}

// makeRoom finds room for a record of that many words that counts now. It
// reports false if there is none, or if the record would have to go at once. A
// long record, of more words than a sweep frees, must also count more than all
// that it would displace.
func (t *tracker) makeRoom(words, now uint64) bool {
	for uint64(len(t.log))+words > uint64(t.plan.room) {
		room := uint64(t.plan.room)
		need, share := uint64(len(t.log))+words-room, room/sweepShare
		long := words > share
		if !long {
			need = max(need, share)
		}
		switch eager := t.live < t.plan.want || long && t.plan.grows; {
		case eager && t.enlarge(words):
			continue
		case words >= t.refused.words && now <= t.refused.bar:
			return false
		}
		bar := t.barFreeing(need)
		switch {
		case t.plan.close(t, bar) && t.enlarge(words):
		case words > room:
			t.refused = refusal{words, math.MaxUint64}
			return false
		case long && bar >= now:
			t.refused = refusal{words, bar}
			return false
		default:
			t.sweep(bar)
			if now <= t.floor {
				return false
			}
		}
	}
	t.hold(words)
	return true
}

func (t *tracker) enlarge(words uint64) bool {
	t.refused = refusal{}
	return t.plan.enlarge(t, words)
}

// hold makes the array of the log large enough for that many more words, which
// are within the room.
func (t *tracker) hold(words uint64) {
	need := len(t.log) + int(words)
	if need <= cap(t.log) {
		return
	}
	grown := t.plan.room
	if t.plan.grows {
		grown = min(grown, max(need, 2*cap(t.log)))
	}
	t.log = append(make([]uint64, 0, grown), t.log...)
	if chains := t.plan.chains; chains > len(t.heads) {
		t.relink(make([]uint32, chains))
	}
}

// sweep evicts every record that counts at most bar.
func (t *tracker) sweep(bar uint64) {
	t.floor, t.missed = max(t.floor, bar), max(t.missed, bar)
	kept := t.log[:0]
	for r := record(0); int(r) < len(t.log); {
		next := r + size(t.log, r)
		if t.log[r] <= bar {
			t.raise(hashfam.Digest(t.log[r+2]), t.log[r])
		} else {
			kept = append(kept, t.log[r:next]...)
		}
		r = next
	}
	t.log = kept
	t.relink(t.heads)
	t.refused = refusal{}
}

// barFreeing returns the least count above floor such that the records that
// count no more fill that many words, or the log. It finds its bytes one by
// one, from the first of them up that is not all zeros: a walk over the log for
// each, and mostly the bar is less than 255 above the floor.
func (t *tracker) barFreeing(words uint64) uint64 {
	words = min(words, uint64(len(t.log)))
	bar, shift := addSat(t.floor, 1), 0
	digit := t.digit(words, bar, shift)
	for digit == math.MaxUint8 && shift < 56 {
		shift += 8
		digit = t.digit(words, bar, shift)
	}
	for ; shift > 0; digit = t.digit(words, bar, shift) {
		bar += digit << shift
		shift -= 8
	}
	return bar + digit
}

// digit returns the least d, at most 255, such that the records that count less
// than low + (d+1)<<shift fill that many words.
func (t *tracker) digit(words, low uint64, shift int) uint64 {
	t.walks++
	var fill [math.MaxUint8 + 1]uint64
	filled := uint64(0)
	for r := record(0); int(r) < len(t.log); {
		n := size(t.log, r)
		if count := t.log[r]; count < low {
			filled += uint64(n)
		} else {
			fill[min((count-low)>>shift, math.MaxUint8)] += uint64(n)
		}
		r += n
	}
	digit := uint64(0)
	for filled += fill[0]; filled < words && digit < math.MaxUint8; filled += fill[digit] {
		digit++
	}
	return digit
}

// missBound returns the most that a key without a record may count. A zero
// tracker knows of none.
func (t *tracker) missBound() uint64 {
	if len(t.heads) == 0 {
		return ^uint64(0)
	}
	return t.missed
}

// estimate returns what is known of the key with digest d.
func (t *tracker) estimate(d hashfam.Digest) Estimate {
	if len(t.heads) == 0 {
		return Estimate{Count: ^uint64(0), High: ^uint64(0)}
	}
	if r := t.find(d); r != none {
		return t.estimateOf(r)
	}
	high := min(t.tail.count(d), t.missed)
	return Estimate{Count: high, Low: 0, High: high}
}

// estimateOf returns what is known of the key of r.
func (t *tracker) estimateOf(r record) Estimate {
	e := Estimate{Count: t.log[r], Low: exact(t.log, r), High: t.log[r]}
	if over(t.log, r) == overMax {
		e.Low = 0
	}
	return e
}
