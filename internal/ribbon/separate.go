package ribbon

import (
	"context"

	"github.com/filterfam/filterfam/hashfam"
)

// OneColumn is the number of columns of a second ribbon, in units of 1/65536.
const OneColumn = 1 << 16

// Separate makes class, a ribbon of one column, the second ribbon of r. For
// each digest d that r contains so far, Contains will return whether class
// contains next(d), a digest that is derived from d. If inverse is true,
// Contains returns the opposite for all digests.
func (r *Ribbon) Separate(class *Ribbon, inverse bool) {
	r.class = class
	r.inverse = inverse
}

// Class returns the second ribbon of r, or nil if there is none.
func (r *Ribbon) Class() *Ribbon { return r.class }

// Inverse reports whether Contains returns the opposite of what both ribbons
// say.
func (r *Ribbon) Inverse() bool { return r.inverse }

// separate returns the result for d if the first ribbon returned found.
func (r *Ribbon) separate(found bool, d hashfam.Digest) bool {
	if found && r.class != nil {
		found = r.class.Contains(next(d))
	}
	return found != r.inverse
}

// separateBlock is the largest number of digests that ContainsAll looks up in
// the first ribbon before it uses the second one. The results for these digests
// remain in the cache.
const separateBlock = 256

// separateAll replaces the first ribbon's results for up to separateBlock
// digests by the results of both ribbons.
func (r *Ribbon) separateAll(results []bool, digests []hashfam.Digest) {
	var passed [separateBlock]hashfam.Digest
	var places [separateBlock]uint16
	n := 0
	for i, found := range results {
		passed[n] = next(digests[i])
		places[n] = uint16(i)
		if found { // compiled without a branch
			n++
		}
	}
	var found [separateBlock]bool
	for i, is := range r.class.containsAll(found[:0], passed[:n]) {
		results[places[i]] = is
	}
	if r.inverse {
		for i := range results {
			results[i] = !results[i]
		}
	}
}

// passBlock is the number of digests that a worker looks up at a time.
const passBlock = 1 << 14

// Separated builds a ribbon that contains members and none of the others, or,
// if inverse is true, all others and no member. Both lists must be in the order
// of [Sort] and disjoint. The first ribbon has the given number of columns, in
// units of 1/65536. Separated changes the order of others. In addition to the
// memory that [Members] uses, it needs 8 bytes for each digest in members, and
// for each digest in others that the first ribbon contains. It returns the
// errors of Members.
func Separated(ctx context.Context, b Build, columns uint32, members, others []hashfam.Digest, inverse bool) (*Ribbon, error) {
	r, err := Members(ctx, b, columns, members)
	if err != nil {
		return nil, err
	}
	var passed []hashfam.Digest
	if len(members) > 0 { // otherwise, no digest has to pass
		passed, err = r.passing(ctx, b, others)
	}
	if err != nil {
		return nil, err
	}
	class, err := classOf(ctx, b, members, passed)
	if err != nil {
		return nil, err
	}
	r.Separate(class, inverse)
	return r, nil
}

// classOf returns a second ribbon that contains next(d) for each digest d in
// members, and for none in others. To exclude the others, their values are the
// opposite of their fingerprints. The second ribbon does not use d itself,
// because the digests that pass the first ribbon are not spread evenly over the
// starts: more of them start in segments with r-1 columns.
func classOf(ctx context.Context, b Build, members, others []hashfam.Digest) (*Ribbon, error) {
	r := &Ribbon{columns: OneColumn, keys: uint64(len(members) + len(others))}
	lists := [][]hashfam.Digest{nextOf(members), nextOf(others)}
	quiet := b
	quiet.Did = nil
	if _, err := sortEach(ctx, quiet, lists); err != nil {
		return nil, err
	}
	return r, r.build(ctx, b, fingerprints(OneColumn), lists)
}

// nextOf returns next(d) for each digest d.
func nextOf(digests []hashfam.Digest) []hashfam.Digest {
	further := make([]hashfam.Digest, len(digests))
	for i, d := range digests {
		further[i] = next(d)
	}
	return further
}

// passing moves the digests that r contains to the front, in the same order,
// and returns them.
func (r *Ribbon) passing(ctx context.Context, b Build, digests []hashfam.Digest) ([]hashfam.Digest, error) {
	if r.columns == 0 {
		b.Report(len(digests))
		return digests, nil
	}
	blocks := (len(digests) + passBlock - 1) / passBlock
	passed := make([]int, blocks) // number in each block
	err := b.Parallel(ctx, blocks, func(i int) {
		block := digests[i*passBlock : min(len(digests), (i+1)*passBlock)]
		for j, d := range block {
			if r.Contains(d) {
				block[passed[i]], block[j] = d, block[passed[i]]
				passed[i]++
			}
		}
		b.Report(len(block))
	})
	n := 0
	for i, count := range passed {
		for j := range count {
			digests[n], digests[i*passBlock+j] = digests[i*passBlock+j], digests[n]
			n++
		}
	}
	return digests[:n], err
}

// EstimateSeparated is like [EstimateBytes] for the ribbon that [Separated]
// returns for these numbers of digests. rate is the rate of the first ribbon.
func EstimateSeparated(columns uint32, rate float64, members, others uint64) uint64 {
	if members == 0 {
		return 0
	}
	passed := uint64(float64(others) * rate)
	return EstimateBytes(columns, members) + EstimateBytes(OneColumn, members+passed)
}
