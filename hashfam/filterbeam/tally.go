package filterbeam

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"iter"
	"maps"
	"slices"
)

// The books of a job. Each bundle tallies what it reads, and for each owner
// what it sends. Each owner tallies what arrives. The last task compares the
// two before it writes the output, and fails if they differ: then the engine,
// or this package, has lost, repeated or changed values. Keys that occur twice
// are read twice and sent twice, so they are no difference.

// A load counts values: their number, the items in them, and the sum of their
// checksums, so that it does not depend on their order.
type load struct{ Values, Items, Sum uint64 }

func (l *load) add(other load) {
	l.Values += other.Values
	l.Items += other.Items
	l.Sum += other.Sum
}

// itemBytes is the size of the number of items, which ends every value.
const itemBytes = 8

// sealed returns a value with its number of items.
func sealed(value []byte, items uint64) []byte {
	return binary.LittleEndian.AppendUint64(value, items)
}

// enter counts a sealed value, and returns it without its number of items.
func (l *load) enter(value []byte) []byte {
	n := max(len(value)-itemBytes, 0)
	l.Values++
	if n < len(value) {
		l.Items += binary.LittleEndian.Uint64(value[n:])
	}
	l.Sum += uint64(crc32.Checksum(value, castagnoli))
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

// A tally is what some bundles have read and sent.
type tally struct {
	totals
	sent map[int]load // to each owner
}

// The totals of a tally.
type totals struct {
	Keys   uint64 // read
	Items  uint64 // that these make
	Files  uint64 // read
	Bytes  uint64 // of these, after decompression
	Plain  uint64 // of the files that are not compressed
	Listed uint64 // files that are to be read
	Size   uint64 // of those that are not compressed
	Binary uint64 // files read whose first lines do not look like lines
	Wanted uint64 // listings of files
	Lists  uint64 // of these, made
}

// send counts a sealed value as sent.
func (t *tally) send(owner int, value []byte) {
	if t.sent == nil {
		t.sent = map[int]load{}
	}
	sum := t.sent[owner]
	sum.enter(value)
	t.sent[owner] = sum
}

// An ownerLoad is the load of one owner, as it is encoded.
type ownerLoad struct {
	Owner int64
	Load  load
}

// append appends the encoded tally: the totals, and the load of each owner.
func (t tally) append(dst []byte) []byte {
	dst = appendFixed(dst, t.totals)
	for owner, sum := range t.sent {
		dst = appendFixed(dst, ownerLoad{int64(owner), sum})
	}
	return dst
}

// appendFixed appends a struct of fixed size.
func appendFixed(dst []byte, v any) []byte {
	dst, err := binary.Append(dst, binary.LittleEndian, v)
	if err != nil {
		panic(err) // the size is not fixed
	}
	return dst
}

// The sizes of what is encoded.
var (
	totalsBytes = binary.Size(totals{})
	loadBytes   = binary.Size(ownerLoad{})
)

// add adds an encoded tally to t.
func (t *tally) add(encoded []byte) error {
	if len(encoded) < totalsBytes || (len(encoded)-totalsBytes)%loadBytes != 0 {
		return errs.Field(ErrCorrupt, "length of a tally", len(encoded), fmt.Sprintf("%d and a multiple of %d", totalsBytes, loadBytes))
	}
	var other totals
	if _, err := binary.Decode(encoded, binary.LittleEndian, &other); err != nil {
		return err
	}
	t.Keys += other.Keys
	t.Items += other.Items
	t.Files += other.Files
	t.Bytes += other.Bytes
	t.Plain += other.Plain
	t.Listed += other.Listed
	t.Size += other.Size
	t.Binary += other.Binary
	t.Wanted += other.Wanted
	t.Lists += other.Lists
	if t.sent == nil {
		t.sent = map[int]load{}
	}
	return eachLoad(encoded[totalsBytes:], t.sent)
}

// eachLoad adds encoded loads to those of their owners.
func eachLoad(encoded []byte, to map[int]load) error {
	for ; len(encoded) > 0; encoded = encoded[min(loadBytes, len(encoded)):] {
		var l ownerLoad
		if _, err := binary.Decode(encoded, binary.LittleEndian, &l); err != nil {
			return err
		}
		sum := to[int(l.Owner)]
		sum.add(l.Load)
		to[int(l.Owner)] = sum
	}
	return nil
}

// The first byte of a record.
const (
	tallyRecord = 't' // a tally
	valueRecord = 'v' // the load of an owner, and the record that it has made
)

// A ledger compares what arrived with what was sent, and that with what was
// read.
type ledger struct {
	tally   tally
	arrived map[int]load
	tasks   map[int]uint64 // that had values of an owner: one, unless the engine divides them
}

// records returns the records of the owners. It ends with an error if the books
// do not balance; otherwise sum then has what was read.
func (l *ledger) records(all iter.Seq[[]byte], sum *Summary) iter.Seq2[[]byte, error] {
	l.arrived, l.tasks = map[int]load{}, map[int]uint64{}
	return func(yield func([]byte, error) bool) {
		for record := range all {
			var err error
			switch {
			case len(record) > loadBytes && record[0] == valueRecord:
				l.tasks[int(int64(binary.LittleEndian.Uint64(record[1:])))]++
				err = eachLoad(record[1:1+loadBytes], l.arrived)
				if err == nil && !yield(record[1+loadBytes:], nil) {
					return
				}
			case len(record) > 0 && record[0] == tallyRecord:
				err = l.tally.add(record[1:])
			default:
				err = errs.Field(ErrCorrupt, "length of a record", len(record), "more")
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
		if err := l.check(); err != nil {
			yield(nil, err)
			return
		}
		t := l.tally
		sum.Keys, sum.Files, sum.Bytes, sum.Binary = t.Keys, t.Files, t.Bytes, t.Binary
	}
}

// check returns ErrCorrupt if the books do not balance. It names the first
// owner that differs.
func (l *ledger) check() error {
	owners := maps.Clone(l.arrived)
	maps.Copy(owners, l.tally.sent)
	items := uint64(0)
	for _, owner := range slices.Sorted(maps.Keys(owners)) {
		items += l.arrived[owner].Items
		if err := compare(owner, l.arrived[owner], l.tally.sent[owner]); err != nil {
			return err
		}
		if n := l.tasks[owner]; n > 1 {
			return differs(fmt.Sprintf("tasks of shard %d", owner), n, 1, "as every key has")
		}
	}
	t := l.tally
	switch {
	case items != t.Items:
		return differs("items that arrived", items, t.Items, "as read")
	case t.Lists != t.Wanted:
		return differs("listings of files", t.Lists, t.Wanted, "as wanted")
	case t.Files != t.Listed:
		return differs("files read", t.Files, t.Listed, "as listed")
	case t.Plain != t.Size:
		return differs("bytes read", t.Plain, t.Size, "as listed")
	}
	return nil
}

// compare compares what arrived at an owner with what was sent to it.
func compare(owner int, arrived, sent load) error {
	at := fmt.Sprintf(" that arrived at shard %d", owner)
	switch {
	case arrived.Items != sent.Items:
		return differs("items"+at, arrived.Items, sent.Items, "as sent")
	case arrived.Values != sent.Values:
		return differs("blocks"+at, arrived.Values, sent.Values, "as sent")
	case arrived.Sum != sent.Sum:
		return differs("sum of the checksums of the blocks"+at, arrived.Sum, sent.Sum, "as sent")
	}
	return nil
}

func differs(what string, got, want uint64, as string) error {
	return errs.Field(ErrCorrupt, what, got, fmt.Sprintf("%d, %s: the engine lost, repeated or changed some", want, as))
}
