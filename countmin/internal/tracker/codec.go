package tracker

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A payload begins with these fields, in little-endian order. Then it contains:
//
//   - the words of the tail, unless missed is 0: all counters of the first row,
//     then those of the second. A word's first counter is in its lowest bits.
//   - the records in ascending order of their digests. Each contains count,
//     guess, length and key as in a [log].
//   - zeros up to a multiple of 8 bytes.
//
// The digests are not stored, since they can be computed using the keys. A
// blank tracker has no payload.
type payloadFields struct {
	Total   uint64 // offset 0
	Floor   uint64 // 8
	Missed  uint64 // 16
	Words   uint32 // 24: of the tail
	Shift   uint32 // 28: of the tail, 2 to 6
	Records uint64 // 32: their number
}

const fixedBytes = 40 // the size of the payloadFields

// PayloadBytes returns the size of the payload.
func (t *Tracker) PayloadBytes() uint64 {
	if t.blank() {
		return 0
	}
	size := fixedBytes + uint64(len(t.log)-linkBytes*t.live)
	if t.missed > 0 {
		size += 8 * uint64(t.tail.size)
	}
	return (size + 7) / 8 * 8
}

// Payload returns the payload. It first copies and sorts the records, in O(r
// log r) time and O(r) memory for r records.
func (t *Tracker) Payload() frame.Payload {
	return func(yield func([]byte) bool) {
		if t.blank() {
			return
		}
		var records []byte
		for _, r := range t.byDigest() {
			records = append(records, t.log.encoded(r)...)
		}
		fields := frame.EncodeParams(payloadFields{t.total, t.floor, t.missed, t.tail.size, uint32(t.tail.shift), uint64(t.live)})
		for _, part := range []frame.Payload{frame.Numbers(fields), frame.Numbers(t.tail.words), frame.Numbers(records)} {
			for piece := range part {
				if !yield(piece) {
					return
				}
			}
		}
	}
}

// byDigest returns the records by ascending digest.
func (t *Tracker) byDigest() []record {
	return slices.SortedFunc(t.log.all(), func(a, b record) int { return cmp.Compare(t.log.digest(a), t.log.digest(b)) })
}

// Decode returns the tracker with the given goal and payload, and computes the
// digests of the keys using fam. Decode does not retain data. It compares each
// field with the goal, the other fields and the length of data, and returns
// ErrCorrupt if they do not agree.
func Decode(r *frame.Reader, data []byte, g Goal, fam hashfam.Family) (Tracker, error) {
	if len(data) < fixedBytes {
		return Tracker{}, r.Corrupt("payload length", len(data), fmt.Sprint("at least ", fixedBytes))
	}
	var fields payloadFields
	binary.Decode(data, binary.LittleEndian, &fields)
	t := New(g)
	if err := t.decodeFields(r, fields); err != nil {
		return Tracker{}, err
	}
	rest, err := t.decodeTail(r, data[fixedBytes:])
	if err == nil {
		err = t.decodeLog(r, rest, fields.Records, fam)
	}
	if err == nil && uint64(len(t.log)) > t.room() {
		err = r.Corrupt("memory for records", len(t.log), fmt.Sprint("at most ", t.room()))
	}
	if err == nil && len(data)%8 != 0 { // in a window
		err = r.Corrupt("payload length", len(data), "a multiple of 8")
	}
	return t, err
}

// decodeFields sets total, floor and missed, and gives the tail its shape.
func (t *Tracker) decodeFields(r *frame.Reader, f payloadFields) error {
	t.total = f.Total
	t.floor = f.Floor
	t.missed = f.Missed
	if t.missed > t.total {
		return r.Corrupt("missed", t.missed, fmt.Sprintf("at most the total, %d", t.total))
	}
	if t.floor > t.missed {
		return r.Corrupt("floor", t.floor, fmt.Sprintf("at most missed, %d", t.missed))
	}
	if f.Shift < tailShift || f.Shift > tailMaxShift {
		return r.Corrupt("counter width", f.Shift, fmt.Sprintf("%d to %d", tailShift, tailMaxShift))
	}
	for uint32(t.tail.shift) < f.Shift {
		t.tail.widen()
	}
	for t.tail.size > f.Words && t.canHalve(t.tail.size) {
		t.tail.halve()
	}
	if t.tail.size != f.Words {
		return r.Corrupt("number of counter words", f.Words, "a number that follows from the parameters")
	}
	return nil
}

// decodeTail reads the tail from the beginning of data, and returns the rest.
func (t *Tracker) decodeTail(r *frame.Reader, data []byte) ([]byte, error) {
	if t.missed == 0 {
		return data, nil
	}
	size := 8 * int(t.tail.size)
	if size > len(data) {
		return nil, r.Corrupt("payload length", fixedBytes+len(data), fmt.Sprintf("at least %d, for the counters", fixedBytes+size))
	}
	t.tail.allocate()
	binary.Decode(data, binary.LittleEndian, t.tail.words)
	for i := range t.tail.cells() {
		if count := t.tail.get(i); count > t.total {
			return nil, r.Corrupt("counter", count, fmt.Sprintf("at most the total, %d", t.total))
		}
	}
	return data[size:], nil
}

// decodeLog reads the given number of records from data, which must not contain
// anything else.
func (t *Tracker) decodeLog(r *frame.Reader, data []byte, records uint64, fam hashfam.Family) error {
	if records > uint64(len(data)/headBytes) {
		return r.Corrupt("number of records", records, fmt.Sprintf("at most what fits in %d bytes", len(data)))
	}
	t.resize(uint64(len(data)) + linkBytes*records)
	last := hashfam.Digest(0)
	for i := range records {
		rest, d, err := t.decodeRecord(place{r, i, records}, data, last, fam)
		if err != nil {
			return err
		}
		data = rest
		last = d
	}
	if len(data) > 7 || slices.ContainsFunc(data, func(b byte) bool { return b != 0 }) {
		return r.Corrupt("bytes after the records", len(data), "zeros up to a multiple of 8")
	}
	t.resize(uint64(len(t.log)))
	return nil
}

// A place identifies a record in a payload: number i, counted from 0, of the
// given number of records.
type place struct {
	r          *frame.Reader
	i, records uint64
}

// corrupt returns ErrCorrupt for a field of the record.
func (p place) corrupt(field string, value any, allowed string) error {
	return p.r.Corrupt(fmt.Sprintf("%s of record %d of %d", field, p.i, p.records), value, allowed)
}

// decodeRecord admits the record at the beginning of data. It returns the rest
// of data and the record's digest, which must be above last, the digest of the
// previous record.
func (t *Tracker) decodeRecord(at place, data []byte, last hashfam.Digest, fam hashfam.Family) ([]byte, hashfam.Digest, error) {
	if len(data) < headBytes {
		return nil, 0, at.corrupt("length", len(data), fmt.Sprint("at least ", headBytes))
	}
	r := record(0)
	l := log(data)
	if length := l.length(r); length > uint64(len(data)-headBytes) {
		return nil, 0, at.corrupt("key length", length, fmt.Sprint("at most ", len(data)-headBytes))
	}
	key := l.key(r)
	d := fam.Sum(key)
	count := l.count(r)
	guess := l.guess(r)
	switch most := t.tail.count(d); {
	case count == 0 || count > t.total:
		return nil, 0, at.corrupt("count", count, fmt.Sprintf("1 to the total, %d", t.total))
	case guess > min(count, most):
		return nil, 0, at.corrupt("estimate", guess, fmt.Sprintf("at most the count, %d, and the tail's, %d", count, most))
	case at.i > 0 && d <= last:
		return nil, 0, at.corrupt("digest", d, fmt.Sprintf("above the previous one, %d", last))
	}
	admit(t, count, guess, d, key)
	return data[len(l.encoded(r)):], d, nil
}
