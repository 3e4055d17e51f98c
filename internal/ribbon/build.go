package ribbon

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/filterfam/filterfam/hashfam"
)

// ErrLayers is the error of digests that 32 layers do not place. Random digests
// never come near it. Digests that someone chose can, and a digest in two lists
// of [Values] does.
var ErrLayers = errors.New("the digests need more than 32 layers")

// The errors of a sequence that [Stream] reads.
var (
	ErrOrder = errors.New("the digests are not in ascending order of their probe sequences")
	ErrCount = errors.New("the number of distinct digests is not the given one")
)

// A Build says how to build. The result does not depend on it.
type Build struct {
	Workers int         // goroutines, at least 1
	Did     func(n int) // if not nil, called for every n digests, from any goroutine
}

func (b Build) did(n int) {
	if b.Did != nil {
		b.Did(n)
	}
}

// parallel calls work in at most b.Workers goroutines. They share the tasks: in
// each, next returns the number of a task until there is none or ctx ends. It
// returns the error of ctx.
func (b Build) parallel(ctx context.Context, tasks int, work func(next func() (int, bool))) error {
	var taken atomic.Int64
	next := func() (int, bool) {
		i := int(taken.Add(1)) - 1
		return i, i < tasks && ctx.Err() == nil
	}
	var group sync.WaitGroup
	for range min(b.Workers, tasks) - 1 {
		group.Add(1)
		go func() {
			defer group.Done()
			work(next)
		}()
	}
	work(next)
	group.Wait()
	return ctx.Err()
}

// Members returns a ribbon that contains digests, which are in the order of
// [Sort]. The columns are in units of 1/65536, at most [MaxColumns]. O(n) time;
// besides the result, memory for 2 % of the digests and 0.8 MB for each worker.
// It returns [ErrLayers], or the error of ctx if that ends first.
func Members(ctx context.Context, b Build, columns uint32, digests []hashfam.Digest) (*Ribbon, error) {
	r := &Ribbon{columns: columns, keys: uint64(len(digests))}
	return r, r.fill(ctx, b, r.fingerprints(), [][]hashfam.Digest{digests})
}

// Values returns a ribbon in which the value of each digest of lists[i] is i.
// Each list is in the order of [Sort], and no digest is in two of them. The
// columns are in units of 1/65536, and a multiple of that. Cost and errors are
// those of [Members].
func Values(ctx context.Context, b Build, columns uint32, lists ...[]hashfam.Digest) (*Ribbon, error) {
	r := &Ribbon{columns: columns}
	for _, list := range lists {
		r.keys += uint64(len(list))
	}
	return r, r.fill(ctx, b, 0, lists)
}

// Stream is [Members] for a sequence of n distinct digests. Its memory, besides
// the result, is that for 2 % of the digests and for those of one shard, 1.3
// MB. It also returns [ErrOrder] and [ErrCount].
func Stream(ctx context.Context, b Build, columns uint32, n uint64, digests iter.Seq[hashfam.Digest]) (*Ribbon, error) {
	r := &Ribbon{columns: columns, keys: n}
	l := newLayer(0, n, columns)
	if columns > 0 && n > 0 {
		l.allocate()
		r.layers = append(r.layers, l)
	}
	s := system{fingerprints: r.fingerprints(), bumped: make([][]hashfam.Digest, 1)}
	err := l.chunks(ctx, n, digests, func(shard uint64, chunk []hashfam.Digest) {
		if columns > 0 {
			s.build(&l, shard, [][]hashfam.Digest{chunk})
		}
		b.did(len(chunk))
	})
	if err != nil {
		return nil, err
	}
	return r, r.rest(ctx, b, s.fingerprints, s.bumped)
}

// chunks calls do with the digests of each shard, without copies. There are n.
func (l *layer) chunks(ctx context.Context, n uint64, digests iter.Seq[hashfam.Digest], do func(uint64, []hashfam.Digest)) error {
	var chunk []hashfam.Digest
	shard, last, seen := uint64(0), uint64(0), uint64(0)
	for d := range digests {
		x := rank(d)
		switch {
		case seen > 0 && x == last:
			continue
		case x < last:
			return ErrOrder
		case seen == n:
			return ErrCount
		}
		seen, last = seen+1, x
		for d.Probe().In(l.starts)/shardStarts > shard {
			if err := ctx.Err(); err != nil {
				return err
			}
			do(shard, chunk)
			shard, chunk = shard+1, chunk[:0]
		}
		chunk = append(chunk, d)
	}
	if seen != n {
		return ErrCount
	}
	for ; n > 0 && shard < l.shards(); shard, chunk = shard+1, chunk[:0] {
		do(shard, chunk)
	}
	return ctx.Err()
}

// fingerprints returns the bits of a fingerprint that r stores.
func (r *Ribbon) fingerprints() uint32 {
	return uint32(uint64(1)<<((uint64(r.columns)+1<<16-1)>>16) - 1)
}

// fill builds the layers of r for lists of digests, each in the order of
// [Sort].
func (r *Ribbon) fill(ctx context.Context, b Build, fingerprints uint32, lists [][]hashfam.Digest) error {
	if r.columns == 0 || count(lists) == 0 {
		b.did(int(count(lists)))
		return ctx.Err()
	}
	if len(r.layers) == MaxLayers {
		return ErrLayers
	}
	l := newLayer(len(r.layers), count(lists), r.columns)
	l.allocate()
	bumped, err := l.fill(ctx, b, fingerprints, lists)
	if err != nil {
		return err
	}
	r.layers = append(r.layers, l)
	return r.rest(ctx, b, fingerprints, bumped)
}

// rest builds the layers of bumped digests.
func (r *Ribbon) rest(ctx context.Context, b Build, fingerprints uint32, bumped [][]hashfam.Digest) error {
	quiet := Build{Workers: b.Workers}
	for i := range bumped {
		var err error
		if bumped[i], err = Sort(ctx, quiet, bumped[i]); err != nil {
			return err
		}
	}
	return r.fill(ctx, quiet, fingerprints, bumped)
}

// count returns the number of digests in the lists.
func count(lists [][]hashfam.Digest) (n uint64) {
	for _, list := range lists {
		n += uint64(len(list))
	}
	return n
}

// fill builds the shards of l, and returns the digests that it bumps, in any
// order.
func (l *layer) fill(ctx context.Context, b Build, fingerprints uint32, lists [][]hashfam.Digest) ([][]hashfam.Digest, error) {
	bumped := make([][]hashfam.Digest, len(lists))
	var lock sync.Mutex
	err := b.parallel(ctx, int(l.shards()), func(next func() (int, bool)) {
		s := system{fingerprints: fingerprints, bumped: make([][]hashfam.Digest, len(lists))}
		for i, ok := next(); ok; i, ok = next() {
			part := l.part(uint64(i), lists)
			n := count(part)
			s.build(l, uint64(i), part)
			b.did(int(n))
			lock.Lock()
			for i := range bumped {
				bumped[i] = append(bumped[i], s.bumped[i]...)
				s.bumped[i] = s.bumped[i][:0]
			}
			lock.Unlock()
		}
	})
	return bumped, err
}

// part returns the digests of each list that start in a shard.
func (l *layer) part(shard uint64, lists [][]hashfam.Digest) [][]hashfam.Digest {
	part := make([][]hashfam.Digest, len(lists))
	for i, list := range lists {
		part[i] = list[l.before(shard, list):l.before(shard+1, list)]
	}
	return part
}

// before returns the number of digests of a list that start before a shard.
func (l *layer) before(shard uint64, list []hashfam.Digest) int {
	n, _ := slices.BinarySearchFunc(list, shard*shardStarts, func(d hashfam.Digest, start uint64) int {
		if d.Probe().In(l.starts) < start {
			return -1
		}
		return 1
	})
	return n
}
