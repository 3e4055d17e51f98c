package filterbeam

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"iter"
	"maps"
	"slices"

	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/index"
)

// The books of a job. Each bundle tallies what it reads, and for each owner
// what it sends. Each owner tallies what arrives. The last task compares the
// two before it writes the output, and fails if they differ: then the engine,
// or this package, has lost, repeated or changed values. Keys that occur twice
// are read twice and sent twice, so they are no difference.

// A load counts values: their number, the items in them, and the sum of their
// checksums, so that it does not depend on their order.
type load struct {
	Values, Items, Sum uint64
	Tasks              uint64 // that got the values: one, unless the engine divides them
}

// itemBytes is the size of the number of items, which ends every value.
const itemBytes = 8

// sealed returns a value with its number of items.
func sealed(value []byte, items uint64) []byte {
	return binary.LittleEndian.AppendUint64(value, items)
}

// enter counts a sealed value, and returns it without its number of items. Its
// CRC-32 is that of an index, because the CRC-32C of all frames is the same.
func (l *load) enter(value []byte) []byte {
	n := max(len(value)-itemBytes, 0)
	l.Values++
	if n < len(value) {
		l.Items += binary.LittleEndian.Uint64(value[n:])
	}
	l.Sum += uint64(crc32.Checksum(value, index.Table))
	return value[:n:n]
}

// arriving returns the values without their numbers of items, and counts them.
func (l *load) arriving(values iter.Seq[[]byte]) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for value := range values {
			if !yield(l.enter(value)) {
				return
			}
		}
	}
}

// A tally is what some bundles have read and sent, and what arrived of that. It
// travels as JSON.
type tally struct {
	Totals  [totals]uint64
	Sent    map[int]load // to each owner
	Arrived map[int]load // at each owner
}

// The totals of a tally.
const (
	keysRead    = iota
	itemsRead   // that these make
	filesRead   // compressed or not
	bytesRead   // of these, after decompression
	plainRead   // bytes of the files that are not compressed
	filesListed // that are to be read
	bytesListed // of those that are not compressed
	binaryFiles // files read whose first lines do not look like lines
	listsWanted // listings of files
	listsMade   // of these
	totals
)

// send counts a sealed value as sent.
func (t *tally) send(owner int, value []byte) {
	if t.Sent == nil {
		t.Sent = map[int]load{}
	}
	sum := t.Sent[owner]
	sum.enter(value)
	t.Sent[owner] = sum
}

// append appends the encoded tally, which is one line.
func (t tally) append(dst []byte) []byte {
	encoded, err := json.Marshal(t)
	if err != nil {
		panic(err) // a type has no encoding
	}
	return append(append(dst, encoded...), '\n')
}

// add adds an encoded tally to t, and returns it.
func (t *tally) add(encoded []byte) (tally, error) {
	var other tally
	if err := json.Unmarshal(encoded, &other); err != nil {
		return tally{}, errs.Field(ErrCorrupt, "tally", fmt.Sprintf("%.20q", encoded), "the line that was sent")
	}
	for i, n := range other.Totals {
		t.Totals[i] += n
	}
	t.Sent, t.Arrived = addLoads(t.Sent, other.Sent), addLoads(t.Arrived, other.Arrived)
	return other, nil
}

// addLoads adds the loads of owners to those in sums.
func addLoads(sums, loads map[int]load) map[int]load {
	if sums == nil {
		return loads
	}
	for owner, l := range loads {
		sum := sums[owner]
		sums[owner] = load{sum.Values + l.Values, sum.Items + l.Items, sum.Sum + l.Sum, sum.Tasks + l.Tasks}
	}
	return sums
}

// describe sets what the summary tells of the files and keys.
func (t *tally) describe(sum *Summary) {
	n := &t.Totals
	sum.Keys, sum.Files, sum.Bytes, sum.Binary = n[keysRead], n[filesRead], n[bytesRead], n[binaryFiles]
}

// records returns the records of the owners. A record is encoded as a tally,
// which t adds up, and the value. The sequence ends with an error if the books
// do not balance; otherwise sum then has what was read.
func (t *tally) records(all iter.Seq[[]byte], sum *Summary) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for encoded := range all {
			line, value, _ := bytes.Cut(encoded, []byte("\n"))
			own, err := t.add(line)
			if err != nil {
				yield(record{}, err)
				return
			}
			for owner := range own.Arrived { // one, unless this is the tally of bundles
				if !yield(record{owner, value}, nil) {
					return
				}
			}
		}
		t.describe(sum)
		if err := t.check(); err != nil {
			yield(record{}, err)
		}
	}
}

// check returns ErrCorrupt if the books do not balance. It names the first
// owner that differs.
func (t *tally) check() error {
	owners := map[int]load{}
	maps.Copy(owners, t.Arrived)
	maps.Copy(owners, t.Sent)
	items := uint64(0)
	for _, owner := range slices.Sorted(maps.Keys(owners)) {
		items += t.Arrived[owner].Items
		if err := compare(owner, t.Arrived[owner], t.Sent[owner]); err != nil {
			return err
		}
	}
	return equal([]entry{
		{"items that arrived", items, t.Totals[itemsRead], "as read"},
		{"listings of files", t.Totals[listsMade], t.Totals[listsWanted], "as wanted"},
		{"files read", t.Totals[filesRead], t.Totals[filesListed], "as listed"},
		{"bytes read", t.Totals[plainRead], t.Totals[bytesListed], "as listed"},
	})
}

// compare compares what arrived at an owner with what was sent to it.
func compare(owner int, arrived, sent load) error {
	at := fmt.Sprintf(" that arrived at shard %d", owner)
	return equal([]entry{
		{"items" + at, arrived.Items, sent.Items, "as sent"},
		{"blocks" + at, arrived.Values, sent.Values, "as sent"},
		{"sum of the checksums of the blocks" + at, arrived.Sum, sent.Sum, "as sent"},
		{fmt.Sprintf("tasks of shard %d", owner), max(arrived.Tasks, 1), 1, "as every key has"},
	})
}

// An entry is one of the books, with what it should be.
type entry struct {
	what      string
	got, want uint64
	as        string
}

// equal returns ErrCorrupt with the first entry that is not what it should be.
func equal(entries []entry) error {
	for _, e := range entries {
		if e.got != e.want {
			return errs.Field(ErrCorrupt, e.what, e.got,
				fmt.Sprintf("%d, %s: the engine lost, repeated or changed some", e.want, e.as))
		}
	}
	return nil
}
