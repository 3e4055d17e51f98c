package perfect

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// maxLevels is the maximum number of levels with buckets. Random digests need
// about six for a billion keys, since each level bumps one key in 25. Only
// digests that somebody chose can need many more, but there are few of them,
// because the high bits of their probe sequences must agree in every level.
const maxLevels = 24

// testEvery is the number of digests after which a build tests whether it was
// canceled.
const testEvery = 1 << 16

// A builder builds a structure in one pass over its keys, which are added in
// the order of Digest.Probe. The first level places 24 of 25 keys as they
// arrive, and also writes their slots. The other keys wait until this level is
// complete, and their slots are written when all levels are.
type builder struct {
	shape  shape
	family hashfam.Family
	levels int // the maximum number of levels

	mapping []byte // the seeds of the levels
	slots   fingerprints
	first   filler // the first level, unless all keys are in the last level
	rest    rest   // the keys that it has bumped; all keys if there is no first level
	free    []gaps // the free places of each level

	n      uint64 // number of distinct digests that were added
	added  uint64 // number of digests that were added, including copies
	last   hashfam.Digest
	before uint64 // the value of last
	bits   ribbon.Bits
}

// build builds a structure with l's keys and slots. keys yields the distinct
// digests in the order of Digest.Probe, and their values.
func build(ctx context.Context, l shape, fam hashfam.Family, keys iter.Seq2[hashfam.Digest, uint64]) (stored, error) {
	b, err := newBuilder(l, fam)
	if err != nil {
		return stored{}, err
	}
	for d, value := range keys {
		if err := b.add(ctx, d, value); err != nil {
			return stored{}, err
		}
	}
	return b.finish(ctx)
}

// withZeros yields each digest with the value 0.
func withZeros(digests iter.Seq[hashfam.Digest]) iter.Seq2[hashfam.Digest, uint64] {
	return func(yield func(hashfam.Digest, uint64) bool) {
		digests(func(d hashfam.Digest) bool { return yield(d, 0) })
	}
}

// newBuilder returns a builder for a structure with l's keys and slots. It
// returns ErrParams if the structure is too large for this platform.
func newBuilder(l shape, fam hashfam.Family) (*builder, error) {
	if err := checkLen(l.keys); err != nil {
		return nil, err
	}
	expected := l.expected()
	size := expected.mappingBytes()
	bumped := uint64(min(maxLast, l.keys))
	if len(expected.bumped) > 0 {
		bumped = expected.bumped[0]
	}
	bumped += bumped/32 + 64
	if err := errs.Fits(hashfam.ErrParams, "keys", l.keys, size+l.slots.bytes(l.keys)+8*bumped); err != nil {
		return nil, err
	}
	b := &builder{shape: l, family: fam, levels: maxLevels}
	b.slots = newFingerprints(l.slots, make([]byte, l.slots.bytes(l.keys)))
	b.rest.digests = make([]hashfam.Digest, 0, bumped)
	if l.slots.value > 0 {
		b.rest.values = make([]uint64, 0, bumped)
	}
	if l.keys > maxLast {
		seeds := bucketsOf(l.keys)
		b.mapping = make([]byte, seeds, size+size/64+64)
		b.first.start(newLevel(l.keys, 0, l.compact, b.mapping[:seeds:seeds]))
		b.first.bumped = b.rest
		b.first.free.bytes = make([]byte, 0, bumped)
		if l.slots.width > 0 {
			b.first.slots = &b.slots
		}
	}
	return b, nil
}

// add adds a key. It returns ErrParams if the key is not valid here, and the
// error of ctx if ctx is canceled.
func (b *builder) add(ctx context.Context, d hashfam.Digest, value uint64) error {
	if b.added > 0 && d.Probe() <= b.last.Probe() {
		return b.repeated(ctx, d, value)
	}
	if b.n%testEvery == 0 {
		if err := canceled(ctx); err != nil {
			return err
		}
	}
	if b.n == b.shape.keys {
		return paramError("n", b.shape.keys, "the number of distinct digests, which is larger")
	}
	if most := b.slots.valueMask(); value > most {
		return valueError(b.added, value, most)
	}
	b.last = d
	b.before = value
	b.added++
	b.n++
	b.bits.Add(d)
	if b.shape.keys > maxLast {
		b.first.add(d, value)
	} else {
		b.rest.add(d, value)
	}
	return nil
}

// canceled returns the error of a build if ctx is canceled.
func canceled(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return errs.Errorf("building: %w", err)
	}
	return nil
}

// repeated returns ErrParams for a digest that is not larger than the previous
// one. But copies with the same value are allowed in a filter. There can be any
// number of them, so it also returns the error of ctx if ctx is canceled.
func (b *builder) repeated(ctx context.Context, d hashfam.Digest, value uint64) error {
	if d != b.last {
		return paramError(fmt.Sprintf("digest %d", b.added), "out of order", "ascending by Digest.Probe")
	}
	if b.shape.slots.width == 0 {
		return paramError(fmt.Sprintf("digest %d", b.added), fmt.Sprintf("equal to digest %d", b.added-1), "distinct digests")
	}
	if value != b.before {
		return copyError(b.added, b.added-1, value, b.before)
	}
	b.added++
	if b.added%testEvery == 0 {
		return canceled(ctx)
	}
	return nil
}

// finish returns the structure. It returns ErrParams if keys are missing, if
// the digests are not hashes or need too many levels, or if there is no seed for
// the last level.
func (b *builder) finish(ctx context.Context) (stored, error) {
	l := &b.shape
	if b.n != l.keys {
		return stored{}, paramError("n", l.keys, fmt.Sprintf("the number of distinct digests, which is %d", b.n))
	}
	if err := b.bits.Check(errs); err != nil {
		return stored{}, err
	}
	from := 0
	if l.keys > maxLast {
		b.first.finish(l.keys)
		b.rest = b.first.bumped
		b.free = append(b.free, b.first.free)
		l.bumped = append(l.bumped, uint64(len(b.rest.digests)))
		from = 1
	}
	digests := b.rest.digests
	if b.rest.values != nil {
		digests = slices.Clone(digests)
	}
	digests, err := sortDigests(ctx, digests)
	if err != nil {
		return stored{}, err
	}
	if err := b.place(ctx, digests); err != nil {
		return stored{}, err
	}
	b.mapping = l.appendList(b.mapping, b.free)
	zeros := l.mappingBytes() - uint64(len(b.mapping))
	b.mapping = append(b.mapping, make([]byte, zeros)...)
	s, err := open(*l, b.mapping, b.slots.bits, b.family)
	if err != nil {
		return stored{}, err
	}
	if l.slots.width > 0 {
		b.late(&s, from)
	}
	return s, nil
}

// place builds the levels for bumped digests, which must be distinct and
// sorted.
func (b *builder) place(ctx context.Context, digests []hashfam.Digest) error {
	l := &b.shape
	for len(digests) > maxLast && len(l.bumped) < b.levels {
		n := uint64(len(digests))
		seeds := make([]byte, bucketsOf(n))
		var f filler
		f.start(newLevel(n, 0, l.compact, seeds))
		for block := range slices.Chunk(digests, testEvery) {
			if err := canceled(ctx); err != nil {
				return err
			}
			for _, d := range block {
				f.add(d, 0)
			}
		}
		f.finish(n)
		var err error
		digests, err = sortDigests(ctx, f.bumped.digests)
		if err != nil {
			return err
		}
		b.mapping = append(b.mapping, seeds...)
		b.free = append(b.free, f.free)
		l.bumped = append(l.bumped, uint64(len(digests)))
	}
	if len(digests) > maxLast {
		return paramError("digests", fmt.Sprintf("%d left after %d levels", len(digests), b.levels), "random digests: use a keyed Family")
	}
	end := lastLevel{n: uint64(len(digests))}
	if !end.search(digests) {
		return paramError("digests", fmt.Sprintf("%d in the last level have no seed", len(digests)), "random digests: use a keyed Family")
	}
	l.seed = end.seed
	return nil
}

// late sets the slots of the keys that the first level has not placed. Their
// digests are those for the level from.
func (b *builder) late(s *stored, from int) {
	for i, d := range b.rest.digests {
		third := d
		if from == 0 {
			third = after(d)
		}
		index := s.indexIn(s.levels[from:], d.Probe())
		s.slots.set(index, uint64(third), b.rest.value(i))
	}
}

// A rest contains keys that a level has bumped, with their digests for the next
// level.
type rest struct {
	digests []hashfam.Digest
	values  []uint64 // nil if the keys have no values
}

func (r *rest) add(d hashfam.Digest, value uint64) {
	r.digests = append(r.digests, d)
	if r.values != nil {
		r.values = append(r.values, value)
	}
}

// value returns the value of key i.
func (r *rest) value(i int) uint64 {
	if r.values == nil {
		return 0
	}
	return r.values[i]
}

// appendList appends the list of the places that the first level left free. The
// list maps each used place in a later level to the next free place, and each
// unused one to the same as the place before it. free has the free places of
// each level.
func (l *shape) appendList(payload []byte, free []gaps) []byte {
	if len(free) == 0 {
		return payload
	}
	list := l.free()
	start, size := len(payload), int(list.bytes())
	payload = slices.Grow(payload, size)[:start+size]
	clear(payload[start:])
	list.use(payload[start:])
	targets := free[0]
	targets.rewind()
	i, current := uint64(0), uint64(0)
	for level, n := range l.bumped {
		var others gaps // the unused places in this level
		if level+1 < len(free) {
			others = free[level+1]
			others.rewind()
		}
		unused := others.take()
		for place := range n {
			if place == unused {
				unused = others.take()
			} else {
				current = targets.take()
			}
			list.put(i, current)
			i++
		}
	}
	return payload
}

// sortDigests sorts digests and returns the distinct ones, as [ribbon.Sort]
// does. It returns ErrParams if there are too many. If ctx is canceled, it
// returns its error.
func sortDigests(ctx context.Context, digests []hashfam.Digest) ([]hashfam.Digest, error) {
	if err := checkLen(uint64(len(digests))); err != nil {
		return nil, err
	}
	sorted, err := ribbon.Sort(ctx, ribbon.Build{Workers: 1}, digests)
	if err != nil {
		return nil, errs.Errorf("building: %w", err)
	}
	return sorted, nil
}

// checkLen returns ErrParams if there are more than maxKeys keys.
func checkLen(n uint64) error {
	if n > maxKeys {
		return paramError("number of keys", n, fmt.Sprintf("at most %d", uint64(maxKeys)))
	}
	return nil
}
