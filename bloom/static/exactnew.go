package static

import (
	"context"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// NewExact returns an Exact that contains the members and not the others. Both
// lists may have copies of a key, and either may be empty. The order does not
// matter: the same two sets of keys give the same bytes. NewExact does not keep
// the keys. O(n) time for n keys of both lists, about 0.1 microseconds for each
// key and worker. Besides the result it takes 8 bytes of memory for each key,
// and 1.5 MB for each worker.
//
// It returns [ErrParams] if a key is in both lists, and names the first one by
// its place, such as "others[3] = members[7]". It also returns [ErrParams] if
// two different keys, one of each list, have the same digest: take another
// family then. The chance of that is R*S/2^64 for R members and S others.
func NewExact(c ExactConfig, members, others [][]byte) (*Exact, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	m, err := hash(context.Background(), c.build(), c.Family, members)
	if err != nil {
		return nil, err
	}
	o, err := hash(context.Background(), c.build(), c.Family, others)
	if err != nil {
		return nil, err
	}
	e, both, err := c.fromDigests(m, o)
	if len(both) > 0 {
		return nil, overlap(members, others, both, c.Family.Sum)
	}
	return e, err
}

// NewExactFromDigests is [NewExact] for keys already hashed by c.Family. It
// overwrites both lists, so it needs no memory for copies of them. If a digest
// is in both, it returns [ErrParams] without a place.
func NewExactFromDigests(c ExactConfig, members, others []hashfam.Digest) (*Exact, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	e, both, err := c.fromDigests(members, others)
	if len(both) > 0 {
		return nil, paramError("others", "a digest of members", "digests that are not in members")
	}
	return e, err
}

// NewExactReceiver returns an empty Exact to decode into. It accepts encodings
// made under fam, as a zero Exact accepts those made under the public family.
// Until then it behaves like a zero Exact. O(1) time.
func NewExactReceiver(fam hashfam.Family) *Exact {
	return &Exact{params: ExactParams{Family: fam}}
}

// fromDigests builds an Exact, or returns the digests that are in both lists.
// Without that check no layer could place them: their two equations contradict
// each other. c is valid.
func (c ExactConfig) fromDigests(members, others []hashfam.Digest) (e *Exact, both []hashfam.Digest, err error) {
	ctx, b := context.Background(), c.build()
	if members, err = ribbon.Sort(ctx, b, members); err != nil {
		return nil, nil, err
	}
	if others, err = ribbon.Sort(ctx, b, others); err != nil {
		return nil, nil, err
	}
	if both = common(members, others); len(both) > 0 {
		return nil, both, nil
	}
	e = &Exact{params: ExactParams{Members: uint64(len(members)), Others: uint64(len(others)), Family: c.Family}}
	if e.params.direct() {
		err = e.fill(ctx, b, members, others)
	} else {
		err = e.fill(ctx, b, others, members)
	}
	if err != nil {
		return nil, nil, buildError(err, 0)
	}
	return e, nil, nil
}

// fill builds both levels of e from the lists of [ribbon.Sort], which have no
// digest in common. It overwrites the second one.
func (e *Exact) fill(ctx context.Context, b ribbon.Build, rare, other []hashfam.Digest) error {
	if len(rare) == 0 {
		other = nil // every key is of the other class
	}
	filter, err := ribbon.Members(ctx, b, filterColumns(e.params.classes()), rare)
	if err != nil {
		return err
	}
	passed, err := passing(ctx, b, filter, other)
	if err != nil {
		return err
	}
	class, err := ribbon.Values(ctx, b, classColumns, passed, rare)
	if err != nil {
		return err
	}
	e.set(filter, class)
	return nil
}

// set sets the levels of e, whose numbers of keys are known.
func (e *Exact) set(filter, class *ribbon.Ribbon) {
	e.filter, e.class, e.direct = *filter, *class, e.params.direct()
	e.params.Bytes = filter.PayloadBytes() + class.PayloadBytes()
}

// passing returns the digests that pass the filter, in the same order and
// memory.
func passing(ctx context.Context, b ribbon.Build, filter *ribbon.Ribbon, digests []hashfam.Digest) ([]hashfam.Digest, error) {
	blocks := (len(digests) + hashBlock - 1) / hashBlock
	passed := make([][]hashfam.Digest, blocks)
	err := b.Parallel(ctx, blocks, func(next func() (int, bool)) {
		for i, ok := next(); ok; i, ok = next() {
			block := digests[i*hashBlock : min(len(digests), (i+1)*hashBlock)]
			passed[i] = block[:0]
			for _, d := range block {
				if filter.Contains(d) {
					passed[i] = append(passed[i], d)
				}
			}
		}
	})
	all := digests[:0]
	for _, block := range passed {
		all = append(all, block...)
	}
	return all, err
}
