package ribbon

import (
	"context"
	"errors"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/filterfam/filterfam/hashfam"
)

// ErrLayers is returned if digests do not fit into 32 layers. This happens if a
// digest is in both lists of [Separated], and can happen if somebody chose the
// digests, but not with random digests.
var ErrLayers = errors.New("the digests need more than 32 layers")

// A Build configures how to build. The result does not depend on it.
type Build struct {
	Workers int // number of goroutines, at least 1

	// If Did is not nil, it is called, even concurrently, with the number of
	// digests that have been sorted, placed or looked up since the last call.
	// Only [Sort] counts copies.
	Did func(n int)
}

// Report calls b.Did if it is set and n is above zero.
func (b Build) Report(n int) {
	if b.Did != nil && n > 0 {
		b.Did(n)
	}
}

// Parallel calls do for the tasks 0 to tasks-1. Up to b.Workers goroutines each
// take the next task until none is left. It stops when ctx is canceled, and
// returns ctx's error.
func (b Build) Parallel(ctx context.Context, tasks int, do func(task int)) error {
	var taken atomic.Int64
	work := func() {
		for ctx.Err() == nil {
			task := int(taken.Add(1)) - 1
			if task >= tasks {
				return
			}
			do(task)
		}
	}
	var group sync.WaitGroup
	for range min(b.Workers, tasks) - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
	return ctx.Err()
}

// Members returns a ribbon that contains digests, which must be in the order of
// [Sort]. columns is in units of 1/65536, up to [MaxColumns]. In addition to
// the result and the memory that Sort uses, Members needs memory for 2.5% of
// the digests, and 0.8 MB per worker. It returns [ErrLayers], or ctx's error if
// ctx is canceled.
func Members(ctx context.Context, b Build, columns uint32, digests []hashfam.Digest) (*Ribbon, error) {
	r := &Ribbon{columns: columns, keys: uint64(len(digests))}
	err := r.build(ctx, b, fingerprints(columns), [][]hashfam.Digest{digests})
	return r, err
}

// fingerprints returns a mask of the fingerprint bits that a ribbon with this
// number of columns stores.
func fingerprints(columns uint32) uint32 {
	return uint32(uint64(1)<<((uint64(columns)+1<<16-1)>>16) - 1)
}

// build adds layers to r until no digest is left. The value of each digest in
// lists[i] is its fingerprint XOR i. fingerprints is the mask of the
// fingerprint bits that are stored. The lists are in the order of [Sort].
func (r *Ribbon) build(ctx context.Context, b Build, fingerprints uint32, lists [][]hashfam.Digest) error {
	if r.columns == 0 {
		b.Report(int(count(lists)))
		return ctx.Err()
	}
	for count(lists) > 0 {
		if len(r.layers) == MaxLayers {
			return ErrLayers
		}
		l := newLayer(len(r.layers), count(lists), r.columns)
		bumped, err := l.build(ctx, b, fingerprints, lists)
		if err != nil {
			return err
		}
		r.layers = append(r.layers, l)
		b.Did = nil // it has been called for all digests
		lists, err = sortEach(ctx, b, bumped)
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// sortEach sorts each list, in which there are no copies.
func sortEach(ctx context.Context, b Build, lists [][]hashfam.Digest) ([][]hashfam.Digest, error) {
	for _, list := range lists {
		if _, err := Sort(ctx, b, list); err != nil {
			return nil, err
		}
	}
	return lists, nil
}

func count(lists [][]hashfam.Digest) (n uint64) {
	for _, list := range lists {
		n += uint64(len(list))
	}
	return n
}

// systems pools systems, because a small filter needs more memory for its
// system than for itself.
var systems = sync.Pool{New: func() any { return new(system) }}

// For n digests, build allocates memory for n/enough bumped digests beforehand,
// because a large layer bumps fewer than that.
const enough = 40

// build builds the shards of l. It returns the bumped digests in any order.
func (l *layer) build(ctx context.Context, b Build, fingerprints uint32, lists [][]hashfam.Digest) ([][]hashfam.Digest, error) {
	bumped := make([][]hashfam.Digest, len(lists))
	for i, list := range lists {
		bumped[i] = make([]hashfam.Digest, 0, len(list)/enough)
	}
	var lock sync.Mutex
	err := b.Parallel(ctx, int(l.shards()), func(shard int) {
		s := systems.Get().(*system)
		defer systems.Put(s)
		s.reset(fingerprints, emptied(s.bumped, len(lists)))
		digests := l.inside(uint64(shard), lists)
		n := count(digests)
		s.build(l, uint64(shard), digests)
		b.Report(int(n))
		lock.Lock()
		defer lock.Unlock()
		for i, list := range s.bumped {
			bumped[i] = append(bumped[i], list...)
		}
	})
	return bumped, err
}

// emptied returns n empty lists in the memory of lists.
func emptied(lists [][]hashfam.Digest, n int) [][]hashfam.Digest {
	lists = slices.Grow(lists[:0], n)[:n]
	for i, list := range lists {
		lists[i] = list[:0]
	}
	return lists
}

// inside returns the digests in each list that start in a shard.
func (l *layer) inside(shard uint64, lists [][]hashfam.Digest) [][]hashfam.Digest {
	inside := make([][]hashfam.Digest, len(lists))
	for i, list := range lists {
		inside[i] = list[l.before(shard, list):l.before(shard+1, list)]
	}
	return inside
}

// before returns the number of digests in list that start before a shard.
func (l *layer) before(shard uint64, list []hashfam.Digest) int {
	return sort.Search(len(list), func(i int) bool { return list[i].Probe().In(l.starts) >= shard*shardStarts })
}
