package filterbeam

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/filterfam/filterfam/hashfam"
)

// A design is a way to build a structure in three stages:
//
//	collect  each bundle of keys    sends values to owners, which are numbers
//	gather   each owner             makes one record of its values
//	finish   one task               makes the output of all records
//
// In frames, a value is a whole encoded structure and an owner merges some of
// them. In windows, a value is a block of digests or positions, and an owner
// fills its range of the array. In ranges, an owner sorts the digests of its
// range; in ribbons, an owner then solves the equations of some of them. In
// shards, an owner counts its keys. In apart, an owner builds a filter of its
// keys.
//
// The number of items in a value says how much of what was read is in it: keys,
// digests or positions.
type design interface {
	perKey() uint64 // items that a key makes
	collector(emit emitter) (collector, error)
	gather(ctx context.Context, out string, owner int, values iter.Seq[[]byte]) ([]byte, error)
	finish(ctx context.Context, out string, records iter.Seq2[record, error], sum *Summary) error
}

// A record is what an owner has made of its values.
type record struct {
	owner int
	value []byte
}

// A collector takes the keys of a bundle, and sends values.
type collector interface {
	add(digests []hashfam.Digest, keys [][]byte) error // keys is nil if they are not known
	flush() error
}

// An emitter sends a value with a number of items to the task that owns a
// number. The value then belongs to the engine: its memory is never written
// again. An engine that keeps elements in memory would read the change.
type emitter = func(owner int, items uint64, value []byte)

// perKey returns 1, as it is in most designs.
func (spec) perKey() uint64 { return 1 }

// design returns the design of the plan.
func (s spec) design() (design, error) {
	if _, err := s.family(); err != nil {
		return nil, err
	}
	switch {
	case s.Parts > 0:
		return apart{s}, nil
	case s.Sorted:
		return ribbons{ranges{s}}, nil
	case s.Kind == staticKind || s.Kind == cuckooKind:
		return ranges{s}, nil
	case s.Kind == topkKind:
		return shards{s}, nil
	case s.Kind == bloomKind || s.Kind == countingKind:
		if s.Windows > 0 || s.Bytes > frameLimit {
			a, err := s.array()
			return windows{s, a}, err
		}
	}
	return frames{s}, nil
}

// encoded returns the encoded form of a value that was made without an error.
func encoded(v any, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// byOwner returns the values of the records of all owners, numbers below n. An
// owner that got nothing has none.
func byOwner(records iter.Seq2[record, error], n int) ([][]byte, error) {
	all := make([][]byte, n)
	for r, err := range records {
		if err == nil && uint64(r.owner) >= uint64(n) {
			err = errs.Field(ErrCorrupt, "number of a shard", r.owner, fmt.Sprintf("below %d", n))
		}
		if err != nil {
			return nil, err
		}
		all[r.owner] = r.value
	}
	return all, nil
}

// decodeRecords returns the decoded values of all owners. That of an owner that
// got nothing is zero.
func decodeRecords[T any](records iter.Seq2[record, error], n int) ([]T, error) {
	values, err := byOwner(records, n)
	if err != nil {
		return nil, err
	}
	all := make([]T, n)
	for owner, value := range values {
		if value != nil {
			if err := json.Unmarshal(value, &all[owner]); err != nil {
				return nil, errs.Errorf("record of shard %d: %w", owner, err)
			}
		}
	}
	return all, nil
}

// tallyOwner is the number of the owner that adds up the tallies of all
// bundles.
const tallyOwner = -1

// A bundle is what a worker collects of one bundle of keys. Its exported fields
// travel to the workers as JSON.
type bundle struct {
	Spec spec

	family    hashfam.Family
	perKey    uint64 // items that a key makes
	collector collector
	emit      func(int, []byte) // of the call that the engine makes now
	tally     tally
	digests   []hashfam.Digest // of a batch
}

// StartBundle drops what a bundle that failed may have left.
func (b *bundle) StartBundle(func(int, []byte)) {
	b.collector, b.tally = nil, tally{}
}

// open makes the collector with the first key of a bundle.
func (b *bundle) open(emit func(int, []byte)) error {
	b.emit = emit
	if b.collector != nil {
		return nil
	}
	d, err := b.Spec.design()
	if err != nil {
		return err
	}
	b.perKey = d.perKey()
	if b.family, err = b.Spec.family(); err == nil {
		b.collector, err = d.collector(b.send)
	}
	return err
}

// send is the emitter of the collector. It counts what it sends.
func (b *bundle) send(owner int, items uint64, value []byte) {
	value = sealed(value, items)
	b.tally.send(owner, value)
	b.emit(owner, value)
}

// addKeys collects keys.
func (b *bundle) addKeys(ctx context.Context, keys [][]byte) error {
	b.digests = b.family.SumAll(b.digests[:0], keys)
	return b.add(ctx, b.digests, keys)
}

// add collects keys that are hashed already. keys is nil if they are not known.
func (b *bundle) add(ctx context.Context, digests []hashfam.Digest, keys [][]byte) error {
	n := uint64(len(digests))
	b.tally.Totals[keysRead] += n
	b.tally.Totals[itemsRead] += n * b.perKey
	progress.Inc(ctx, int64(n))
	return b.collector.add(digests, keys)
}

// FinishBundle sends what is left, and the tally of all that was sent.
func (b *bundle) FinishBundle(_ context.Context, emit func(int, []byte)) error {
	if b.collector == nil {
		return nil
	}
	b.emit = emit
	if err := b.collector.flush(); err != nil {
		return err
	}
	b.collector = nil
	emit(tallyOwner, b.tally.append(nil))
	return nil
}

// blockBytes is the size of the blocks in which items are sent, and of those in
// which files are read.
const blockBytes = 64 << 10

// blockSpace is the size of the memory of a block. It has room for the last
// item, unless that is a long key, and for what is put behind the items.
const blockSpace = blockBytes + 64

// The blocks collect the items of every owner, and send them when there are
// enough.
type blocks struct {
	of   []block // of each owner
	emit emitter
}

// A block is a value in the making.
type block struct {
	items uint64
	data  []byte
}

func newBlocks(owners int, emit emitter) *blocks { return &blocks{make([]block, owners), emit} }

func (b *blocks) put32(owner int, item uint32) {
	b.store(owner, binary.LittleEndian.AppendUint32(b.of[owner].data, item), 1)
}

func (b *blocks) put64(owner int, item uint64) {
	b.store(owner, binary.LittleEndian.AppendUint64(b.of[owner].data, item), 1)
}

// store makes data, which has some items more, the owner's block, or sends it
// if it is full. An owner that fills a block fills another one, so the memory
// of the next is made at once.
func (b *blocks) store(owner int, data []byte, items uint64) {
	to := &b.of[owner]
	to.data = data
	to.items += items
	if len(data) >= blockBytes {
		b.emit(owner, to.items, data)
		*to = block{data: make([]byte, 0, blockSpace)}
	}
}

// flush sends what is left. It returns nil.
func (b *blocks) flush() error {
	for owner, left := range b.of {
		if left.items > 0 {
			b.of[owner] = block{}
			b.emit(owner, left.items, left.data)
		}
	}
	return nil
}
