package filterbeam

import (
	"bytes"
	"cmp"
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

// Each bundle tallies the keys that it reads and the values that it sends to
// each task, and each task tallies the values that arrive. Before the last task
// writes the output, it compares what was sent with what arrived. If they
// differ, values have been lost, repeated or changed, and the task fails. Keys
// that occur twice cause no difference, since they are read twice and sent
// twice.

// A load counts values that were sent to a task.
type load struct {
	Values    uint64
	Items     uint64
	Checksums uint64 // their sum, which does not depend on the order of the values
	Runs      uint64 // of the task: one, unless the engine divides its values
}

// plus returns the sum of two loads.
func (l load) plus(other load) load {
	l.Values += other.Values
	l.Items += other.Items
	l.Checksums += other.Checksums
	l.Runs += other.Runs
	return l
}

// itemBytes is the size of the number of items at the end of each value.
const itemBytes = 8

// sealed returns a value with its number of items.
func sealed(value []byte, items uint64) []byte {
	return binary.LittleEndian.AppendUint64(value, items)
}

// enter counts a sealed value and returns it without its number of items. See
// [index.Table] for the reason why the checksum is not a CRC-32C.
func (l *load) enter(value []byte) []byte {
	n := max(len(value)-itemBytes, 0)
	l.Values++
	if n < len(value) {
		l.Items += binary.LittleEndian.Uint64(value[n:])
	}
	l.Checksums += uint64(crc32.Checksum(value, index.Table))
	return value[:n:n]
}

// entering returns the values without their numbers of items, and counts them.
func (l *load) entering(values iter.Seq[[]byte]) iter.Seq[[]byte] {
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
	Sent    map[int]load // by task
	Arrived map[int]load // by task
}

// The totals in a tally.
const (
	keysRead    = iota
	itemsRead   // items for these keys
	filesRead   // compressed or not
	bytesRead   // in these files, after decompression, or in the keys of a collection
	storedRead  // bytes in these files, before decompression
	filesListed // files to read
	bytesListed // in these files
	binaryFiles // files that do not seem to contain lines
	listsWanted // listings of files to make
	listsMade   // listings of files made
	totals
)

// tallyTask is the task that adds up the tallies of all bundles.
const tallyTask = -1

// send counts a sealed value as sent.
func (t *tally) send(task int, value []byte) {
	if t.Sent == nil {
		t.Sent = map[int]load{}
	}
	sent := t.Sent[task]
	sent.enter(value)
	t.Sent[task] = sent
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

// addLoads adds loads to sums, which it returns.
func addLoads(sums, loads map[int]load) map[int]load {
	if sums == nil {
		sums = map[int]load{}
	}
	for task, l := range loads {
		sums[task] = sums[task].plus(l)
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

// The records of all tasks arrive at the last task, each preceded by a tally.
type records struct {
	arriving iter.Seq[[]byte]
	tally    tally // of the records that have been yielded
	err      error // set if the tallies do not match: then nothing must be written
}

// all yields the records by task, and then compares the tallies.
func (r *records) all(yield func(task int, record []byte) bool) {
	for encoded := range r.arriving {
		line, record, _ := bytes.Cut(encoded, []byte("\n"))
		var own tally
		own, r.err = r.tally.add(line)
		if r.err != nil {
			return
		}
		for task := range own.Arrived { // one, or none in the tally of the bundles
			if !yield(task, record) {
				return
			}
		}
	}
	r.err = r.tally.check()
}

// tasks returns the tasks in t in ascending order.
func (t *tally) tasks() []int {
	all := slices.Collect(maps.Keys(t.Sent))
	all = slices.AppendSeq(all, maps.Keys(t.Arrived))
	slices.Sort(all)
	return slices.Compact(all)
}

// check returns ErrCorrupt with the first number that is wrong. It checks the
// tasks before the totals.
func (t *tally) check() error {
	items := uint64(0)
	for _, task := range t.tasks() {
		if err := t.checkTask(task); err != nil {
			return err
		}
		items += t.Arrived[task].Items
	}
	n := &t.Totals
	return cmp.Or(
		same("items that arrived", items, n[itemsRead], "as read"),
		same("listings of files", n[listsMade], n[listsWanted], "as wanted"),
		same("files read", n[filesRead], n[filesListed], "as listed"),
		same("bytes read", n[storedRead], n[bytesListed], "as listed"))
}

// checkTask returns ErrCorrupt unless everything that was sent to a task has
// arrived there.
func (t *tally) checkTask(task int) error {
	at := fmt.Sprintf(" that arrived at task %d", task)
	arrived := t.Arrived[task]
	sent := t.Sent[task]
	return cmp.Or(
		same("items"+at, arrived.Items, sent.Items, "as sent"),
		same("blocks"+at, arrived.Values, sent.Values, "as sent"),
		same("sum of the checksums of the blocks"+at, arrived.Checksums, sent.Checksums, "as sent"),
		same(fmt.Sprintf("runs of task %d", task), max(arrived.Runs, 1), 1, "as every task has"))
}

// same returns ErrCorrupt unless a number is the one that it must be.
func same(name string, got, want uint64, as string) error {
	if got == want {
		return nil
	}
	return errs.Field(hashfam.ErrCorrupt, name, got, fmt.Sprintf("%d, %s: the engine lost, repeated or changed some", want, as))
}
