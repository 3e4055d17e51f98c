package perfect

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// maxLevels is the maximum number of levels with buckets. A billion random
// digests need about eight, since large levels bump one key in 25, and small
// ones up to one in three. A build that would need more than maxLevels returns
// an error. This happens only if somebody chose digests that share a bucket in
// every level.
const maxLevels = 24

// build builds a structure of the given shape, which has no levels yet. keys
// yields the distinct digests in the order of Digest.Probe, and their values.
//
// The first level places most keys (at least 24 of 25 in a large set) as they
// arrive, and also writes their slots. The other keys wait until this level is
// complete. Then the later levels are built from their digests, and finally
// their slots are written.
func build(ctx context.Context, sh shape, fam hashfam.Family, keys iter.Seq2[hashfam.Digest, uint64]) (stored, error) {
	b, err := newBuilder(sh)
	if err != nil {
		return stored{}, err
	}
	if err := b.readKeys(ctx, keys); err != nil {
		return stored{}, err
	}
	if err := b.addLevels(ctx); err != nil {
		return stored{}, err
	}
	s, err := open(b.shape, b.encodeMapping(), b.slots.bits, fam)
	if err == nil && sh.slot.width > 0 {
		b.setWaiting(&s)
	}
	return s, err
}

// A builder contains the parts of a structure that is being built.
type builder struct {
	shape   shape
	levels  int     // the maximum number of levels
	seeds   []byte  // of all levels, in a slice with room for the mapping
	free    []gaps  // the free places of each level
	first   *filler // the first level, or nil if all keys are in the last level
	waiting keyList // the keys that the first level has bumped, or all keys
	slots   slots
}

// newBuilder allocates a builder. It returns ErrParams if the structure is too
// large for this platform.
func newBuilder(sh shape) (*builder, error) {
	if err := checkLen(sh.keys); err != nil {
		return nil, err
	}
	expected := sh.expected()
	size := expected.mappingBytes()
	bumped := uint64(min(maxLast, sh.keys))
	if len(expected.bumped) > 0 {
		bumped = expected.bumped[0]
	}
	bumped += bumped/32 + 64
	if err := errs.Fits(hashfam.ErrParams, "keys", sh.keys, size+sh.slot.bytes(sh.keys)+8*bumped); err != nil {
		return nil, err
	}
	b := &builder{shape: sh, levels: maxLevels}
	b.slots = newSlots(sh.slot, make([]byte, sh.slot.bytes(sh.keys)))
	b.waiting = newKeyList(bumped, sh.slot.value > 0)
	if sh.keys > maxLast {
		b.seeds = make([]byte, bucketsOf(sh.keys), size+size/64+64)
		b.first = newFiller(newLevel(sh.keys, 0, sh.compact, b.seeds), &b.waiting)
		b.first.free.bytes = make([]byte, 0, bumped)
		if sh.slot.width > 0 {
			b.first.slots = &b.slots
		}
	}
	return b, nil
}

// readKeys passes the keys to the first level, if there is one, and then ends
// this level.
func (b *builder) readKeys(ctx context.Context, keys iter.Seq2[hashfam.Digest, uint64]) error {
	a := arrival{keys: b.shape.keys, most: b.slots.valueMask(), copies: b.shape.slot.width > 0}
	for d, value := range keys {
		isNew, err := a.check(ctx, d, value)
		switch {
		case err != nil:
			return err
		case !isNew:
		case b.first != nil:
			b.first.add(d, value)
		default:
			b.waiting.append(d, value)
		}
	}
	if err := a.end(); err != nil {
		return err
	}
	if b.first != nil {
		b.endLevel(b.first, b.shape.keys)
	}
	return nil
}

// endLevel ends a level for n keys.
func (b *builder) endLevel(f *filler, n uint64) {
	f.end(n)
	b.free = append(b.free, f.free)
	b.shape.bumped = append(b.shape.bumped, uint64(len(f.bumped.digests)))
}

// addLevels builds the remaining levels for the waiting keys, which changes the
// order of the digests. If the keys have values, addLevels uses a copy of the
// digests, so that b.waiting still has each digest at the position of its
// value.
func (b *builder) addLevels(ctx context.Context) error {
	digests := b.waiting.digests
	if b.waiting.values != nil {
		digests = slices.Clone(digests)
	}
	for len(digests) > maxLast && len(b.shape.bumped) < b.levels {
		bumped, err := b.addLevel(ctx, digests)
		if err != nil {
			return err
		}
		digests = bumped
	}
	return b.addLast(digests)
}

// addLevel builds a level, and returns the digests for the next one. It changes
// the order of digests, which must be distinct.
func (b *builder) addLevel(ctx context.Context, digests []hashfam.Digest) ([]hashfam.Digest, error) {
	sorted, err := sortDigests(ctx, digests)
	if err != nil {
		return nil, err
	}
	n := uint64(len(sorted))
	seeds := make([]byte, bucketsOf(n))
	f := newFiller(newLevel(n, 0, b.shape.compact, seeds), new(keyList))
	for block := range slices.Chunk(sorted, testEvery) {
		if err := canceled(ctx); err != nil {
			return nil, err
		}
		for _, d := range block {
			f.add(d, 0)
		}
	}
	b.endLevel(f, n)
	b.seeds = append(b.seeds, seeds...)
	return f.bumped.digests, nil
}

// addLast finds the last level's seed. It returns ErrParams if there are too
// many digests, or if there is no seed.
func (b *builder) addLast(digests []hashfam.Digest) error {
	if len(digests) > maxLast {
		return paramError("digests", fmt.Sprintf("%d left after %d levels", len(digests), b.levels), "random digests: use a keyed Family")
	}
	last := lastLevel{n: uint64(len(digests))}
	if !last.search(digests) {
		return paramError("digests", fmt.Sprintf("%d in the last level have no seed", len(digests)), "random digests: use a keyed Family")
	}
	b.shape.seed = last.seed
	b.free = append(b.free, gaps{})
	return nil
}

// encodeMapping returns the encoded mapping: the seeds, the list of free places
// and zeros. For each place in a later level that has a key, the list contains
// the next place that the first level left free. For a place without a key, the
// list repeats the previous number.
func (b *builder) encodeMapping() []byte {
	start := len(b.seeds)
	end := int(b.shape.mappingBytes())
	mapped := slices.Grow(b.seeds, end-start)[:end]
	clear(mapped[start:])
	list := b.shape.newList()
	list.setBytes(mapped[start:])
	targets := b.free[0].rewound()
	i := uint64(0)
	current := uint64(0)
	for level, n := range b.shape.bumped {
		free := b.free[level+1].rewound()
		unused := free.take()
		for place := range n {
			if place == unused {
				unused = free.take()
			} else {
				current = targets.take()
			}
			list.put(i, current)
			i++
		}
	}
	return mapped
}

// setWaiting sets the slots of the waiting keys.
func (b *builder) setWaiting(s *stored) {
	if b.first == nil {
		for d, value := range b.waiting.all {
			s.slots.set(s.index(d), fingerprint(d), value)
		}
		return
	}
	for d, value := range b.waiting.all { // d is the digest for the second level, so it is the fingerprint
		s.slots.set(s.indexIn(s.levels[1:], d.Probe()), uint64(d), value)
	}
}
