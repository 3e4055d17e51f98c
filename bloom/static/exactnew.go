package static

import (
	"context"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// NewExact returns an Exact that contains the members and not the others. Both
// lists may have copies of a key, and either may be empty. The order does not
// matter: the same two sets of keys give the same bytes. NewExact does not keep
// the keys. O(n) time for n keys, 0.03 to 0.15 microseconds each, and 8 bytes
// of memory for each in addition to the result.
//
// It returns [ErrParams] if a key is in both lists, and names the first one by
// its place, such as "others[3] = members[7]". It also returns [ErrParams] if
// two different keys, one of each list, have the same digest: take another
// family then. The chance of that is R*S/2^64 for R members and S others.
func NewExact(c ExactConfig, members, others [][]byte) (*Exact, error) {
	m, o, err := sortBoth(c.Family.SumAll(nil, members), c.Family.SumAll(nil, others))
	if err != nil {
		return nil, err
	}
	if both := common(m, o); len(both) > 0 {
		return nil, overlap(members, others, both, c.Family.Sum)
	}
	return buildExact(c.Family, m, o)
}

// NewExactFromDigests is [NewExact] for keys already hashed by the family of c.
// It overwrites both lists, and needs no memory for copies of them. If a digest
// is in both, it returns [ErrParams] without a place.
func NewExactFromDigests(c ExactConfig, members, others []hashfam.Digest) (*Exact, error) {
	m, o, err := sortBoth(members, others)
	if err != nil {
		return nil, err
	}
	if both := common(m, o); len(both) > 0 {
		return nil, paramError("others", "a digest of members", "digests that are not in members")
	}
	return buildExact(c.Family, m, o)
}

// NewExactReceiver returns an empty Exact to decode into. It accepts encodings
// made under fam, as a zero Exact accepts those made under the public family.
// Until then it behaves like a zero Exact. O(1) time.
func NewExactReceiver(fam hashfam.Family) *Exact {
	return &Exact{params: ExactParams{Family: fam}}
}

// sequential is how both levels are built.
var sequential = ribbon.Build{Workers: 1}

// sortBoth sorts both lists and removes copies.
func sortBoth(members, others []hashfam.Digest) (m, o []hashfam.Digest, err error) {
	if m, err = ribbon.Sort(context.Background(), sequential, members); err == nil {
		o, err = ribbon.Sort(context.Background(), sequential, others)
	}
	return m, o, err
}

// buildExact builds both levels. The lists are sorted, without copies, and have
// no digest in common. It overwrites the list of the more common class with the
// digests that pass the first level.
func buildExact(fam hashfam.Family, members, others []hashfam.Digest) (*Exact, error) {
	e := &Exact{params: ExactParams{Members: uint64(len(members)), Others: uint64(len(others)), Family: fam}}
	rare, common := members, others
	if !e.params.direct() {
		rare, common = others, members
	}
	if len(rare) == 0 {
		common = nil // the class of every key is known
	}
	filter, err := ribbon.Members(context.Background(), sequential, filterColumns(e.params.classes()), rare)
	if err != nil {
		return nil, tooManyLayers(err)
	}
	passed := common[:0]
	for _, d := range common {
		if filter.Contains(d) {
			passed = append(passed, d)
		}
	}
	class, err := ribbon.Values(context.Background(), sequential, classColumns, passed, rare)
	if err != nil {
		return nil, tooManyLayers(err)
	}
	e.set(filter, class)
	return e, nil
}

// set sets both levels of e, whose numbers of keys are known.
func (e *Exact) set(filter, class *ribbon.Ribbon) {
	e.filter, e.class, e.direct = *filter, *class, e.params.direct()
	e.params.Bytes = filter.PayloadBytes() + class.PayloadBytes()
}

// tooManyLayers returns the error of digests that do not fit into 32 layers.
func tooManyLayers(err error) error {
	return paramError("digests", err, "digests that a secret family made")
}
