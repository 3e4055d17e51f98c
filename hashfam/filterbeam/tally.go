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

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/index"
)

// A job has books. Each bundle tallies the keys that it reads and the values
// that it sends to each owner, and each owner tallies the values that arrive.
// Before the last task writes the output, it compares the two and fails if they
// differ, because values have then been lost, repeated or changed. Keys that
// occur twice cause no difference, since they are read twice and sent twice.

// A load counts values. Its checksum is a sum, so that it does not depend on
// their order.
type load struct {
	Values, Items, Sum uint64
	Tasks              uint64 // that received values: one, unless the engine divides them
}

// itemBytes is the size of the number of items at the end of each value.
const itemBytes = 8

// sealed returns a value with its number of items.
func sealed(value []byte, items uint64) []byte {
	return binary.LittleEndian.AppendUint64(value, items)
}

// enter counts a sealed value and returns it without its number of items. The
// checksum is a CRC-32, since all frames have the same CRC-32C.
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

// A tally counts the keys that some bundles have read, and the values that they
// have sent and that have arrived. It is encoded as JSON.
type tally struct {
	Totals  [totals]uint64
	Sent    map[int]load // by owner
	Arrived map[int]load // by owner
}

// The totals in a tally.
const (
	keysRead    = iota
	itemsRead   // items for these keys
	filesRead   // compressed or not
	bytesRead   // in these files, after decompression
	storedRead  // bytes in these files, before decompression
	filesListed // files to read
	bytesListed // in these files
	binaryFiles // files that do not seem to contain lines
	listsWanted // listings of files to make
	listsMade   // listings of files made
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
		panic(err) // impossible: every field can be encoded
	}
	return append(append(dst, encoded...), '\n')
}

// add adds an encoded tally to t, and returns it.
func (t *tally) add(encoded []byte) (tally, error) {
	var other tally
	if err := json.Unmarshal(encoded, &other); err != nil {
		return tally{}, errs.Field(hashfam.ErrCorrupt, "tally", fmt.Sprintf("%.20q", encoded), "the line that was sent")
	}
	for i, n := range other.Totals {
		t.Totals[i] += n
	}
	t.Sent = addLoads(t.Sent, other.Sent)
	t.Arrived = addLoads(t.Arrived, other.Arrived)
	return other, nil
}

// addLoads adds loads to sums.
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

// describe copies the totals of files and keys to the summary.
func (t *tally) describe(sum *Summary) {
	n := &t.Totals
	sum.Keys = n[keysRead]
	sum.Files = n[filesRead]
	sum.Bytes = n[bytesRead]
	sum.Binary = n[binaryFiles]
}

// records returns the records by owner. Each is encoded as a tally, which is
// added to t, and a value. If the numbers do not match at the end of the
// sequence, failed is set, and nothing must be written.
func (t *tally) records(all iter.Seq[[]byte], failed *error) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for encoded := range all {
			line, value, _ := bytes.Cut(encoded, []byte("\n"))
			own, err := t.add(line)
			if err != nil {
				*failed = err
				return
			}
			for owner := range own.Arrived { // one, or none in the tally of the bundles
				if !yield(owner, value) {
					return
				}
			}
		}
		*failed = t.check()
	}
}

// An entry is a number in a tally, with the number that it must equal.
type entry struct {
	name      string
	got, want uint64
	as        string
}

// check returns ErrCorrupt with the first entry that is wrong. The entries of
// the owners are first.
func (t *tally) check() error {
	var entries []entry
	items := uint64(0)
	for _, owner := range slices.Sorted(maps.Keys(addLoads(maps.Clone(t.Sent), t.Arrived))) {
		at := fmt.Sprintf(" that arrived at shard %d", owner)
		arrived := t.Arrived[owner]
		sent := t.Sent[owner]
		items += arrived.Items
		entries = append(entries,
			entry{"items" + at, arrived.Items, sent.Items, "as sent"},
			entry{"blocks" + at, arrived.Values, sent.Values, "as sent"},
			entry{"sum of the checksums of the blocks" + at, arrived.Sum, sent.Sum, "as sent"},
			entry{fmt.Sprintf("tasks of shard %d", owner), max(arrived.Tasks, 1), 1, "as every key has"})
	}
	for _, e := range append(entries,
		entry{"items that arrived", items, t.Totals[itemsRead], "as read"},
		entry{"listings of files", t.Totals[listsMade], t.Totals[listsWanted], "as wanted"},
		entry{"files read", t.Totals[filesRead], t.Totals[filesListed], "as listed"},
		entry{"bytes read", t.Totals[storedRead], t.Totals[bytesListed], "as listed"}) {
		if e.got != e.want {
			return errs.Field(hashfam.ErrCorrupt, e.name, e.got,
				fmt.Sprintf("%d, %s: the engine lost, repeated or changed some", e.want, e.as))
		}
	}
	return nil
}
