package filterbeam

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/filterfam/filterfam/hashfam"
)

// A design divides a job's work among tasks, in three stages:
//
//	collect  each bundle of keys   sends values to owners, which are numbers
//	gather   each owner            turns its values into one record
//	finish   a single task         builds the output from all records
//
// The designs differ in the values that they send. Those that send digests are
// in one file, and so are those that merge structures:
//
//	frames   encoded structures, which an owner merges
//	shards   counts of keys; an owner counts the keys in its shard
//	windows  blocks of digests or positions; an owner fills part of an array
//	ranges   blocks of digests; an owner sorts the digests in its range
//	ribbons  shards of a static filter, whose equations an owner solves
//	apart    blocks of digests; an owner builds a filter from them
//
// Each value carries its number of items, which are keys, digests or positions.
// The tally compares these numbers with the number of keys that were read.
type design interface {
	perKey() uint64 // items per key
	collector(emit emitter) (collector, error)
	gather(ctx context.Context, out string, owner int, values iter.Seq[[]byte]) ([]byte, error)
	finish(ctx context.Context, records iter.Seq2[int, []byte], sum *Summary) (io.WriterTo, error)
}

// A collector adds a bundle's keys and sends values.
type collector interface {
	add(digests []hashfam.Digest, keys [][]byte) error // keys is nil if only the digests are known
	flush() error
}

// An emitter sends a value with its number of items to an owner. The value then
// belongs to the engine and must not be changed: an engine may hold it in
// memory.
type emitter = func(owner int, items uint64, value []byte)

// perKey returns the number of items per key in most designs.
func (spec) perKey() uint64 { return 1 }

// design returns the design for the plan.
func (s spec) design() (design, error) {
	if _, err := s.family(); err != nil {
		return nil, err
	}
	if err := s.checkMemory(); err != nil {
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
	case s.inWindows():
		a, err := s.array()
		return windows{s, a}, err
	}
	return frames{s}, nil
}

// encoded returns the encoding of v, or err if that is not nil.
func encoded(v any, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// decodeRecords returns the decoded records of the owners 0 to n-1. It is zero
// for an owner that received nothing.
func decodeRecords[T any](records iter.Seq2[int, []byte], n int) ([]T, error) {
	all := make([]T, n)
	for owner, record := range records {
		if uint64(owner) >= uint64(n) {
			return nil, errs.Field(hashfam.ErrCorrupt, "number of a shard", owner, fmt.Sprintf("below %d", n))
		}
		if err := json.Unmarshal(record, &all[owner]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// tallyOwner is the owner that adds up the tallies of all bundles.
const tallyOwner = -1

// A bundle collects one bundle's keys in a worker. Its exported field is sent
// to the workers as JSON.
type bundle struct {
	Spec spec

	family    hashfam.Family
	perKey    uint64
	collector collector
	emit      func(int, []byte) // of the engine's current call
	tally     tally
	digests   []hashfam.Digest // of a batch
}

// StartBundle drops the state that a failed bundle may have left.
func (b *bundle) StartBundle(func(int, []byte)) {
	b.collector = nil
	b.tally = tally{}
}

// open creates the collector when the bundle's first key arrives.
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

// send is the collector's emitter. It counts the values that it sends.
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

// add collects keys by their digests. keys may be nil.
func (b *bundle) add(ctx context.Context, digests []hashfam.Digest, keys [][]byte) error {
	n := uint64(len(digests))
	b.tally.Totals[keysRead] += n
	b.tally.Totals[itemsRead] += n * b.perKey
	progress.Inc(ctx, int64(n))
	return b.collector.add(digests, keys)
}

// FinishBundle sends the values that are left, and then the bundle's tally.
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

// blockBytes is the size of the blocks in which items are sent and files are
// read.
const blockBytes = 64 << 10

// blockSpace is a block's capacity. It leaves room for the last item, unless
// that is a long key, and for the bytes that follow the items.
const blockSpace = blockBytes + 64

// The blocks collect the items for each owner and send them when a block is
// full.
type blocks struct {
	of   []block // indexed by owner
	emit emitter
}

// A block is a value that is not complete.
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

// store sets the data of the owner's block, to which items were appended, or
// sends the block if it is full. It then allocates the next block at its full
// size, because an owner that fills a block usually fills another.
func (b *blocks) store(owner int, data []byte, items uint64) {
	to := &b.of[owner]
	to.data = data
	to.items += items
	if len(data) >= blockBytes {
		b.emit(owner, to.items, data)
		*to = block{data: make([]byte, 0, blockSpace)}
	}
}

// flush sends all blocks that have items. It returns nil.
func (b *blocks) flush() error {
	for owner, left := range b.of {
		if left.items > 0 {
			b.of[owner] = block{}
			b.emit(owner, left.items, left.data)
		}
	}
	return nil
}
