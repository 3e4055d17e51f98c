package static

import (
	"context"
	"fmt"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// NewExact returns a filter that contains the members, does not contain the
// absent keys, and finds other keys at c.FPRate. With an FPRate of 1, the
// filter is the smallest that NewExact can build for these lists. It then finds
// at most half of all other keys if there are at least as many absent keys as
// members, and at least half of them otherwise.
//
// Both lists contain digests computed by c.Family, in any order and with any
// number of copies, and can be empty. The same two sets always result in the
// same encoding. Without absent keys and with an FPRate below 1, NewExact
// returns the same filter as [New]. Like New, NewExact does not retain the
// lists, but changes their order. In addition to the memory that New needs, it
// uses up to 8 bytes for each member and for each absent key that a filter of
// the members alone would find.
//
// To be right about S absent keys, a filter of R members needs about R
// log2(1/FPRate) + 2 S FPRate bits. If S is so large that a lower rate makes
// the filter smaller, the filter has the lower rate. docs/theory.md compares
// these sizes with the least that is possible.
//
// NewExact returns [hashfam.ErrParams] if a digest is in both lists, and in the
// cases in which New does. A digest is in both lists if a key is, or if two
// different keys have the same digest, which has a probability of R*S/2^64. In
// the second case, use another family.
func NewExact(ctx context.Context, c Config, members, absent []hashfam.Digest) (*Filter, error) {
	if _, err := c.plan(0, 0); err != nil { // before digests are sorted
		return nil, err
	}
	if err := errs.Context(ctx); err != nil {
		return nil, err
	}
	all := uint64(len(members) + len(absent))
	b := c.options(all, all)
	members, err := sorted(ctx, b, members)
	if err != nil {
		return nil, err
	}
	absent, err = sorted(ctx, b, absent)
	if err != nil {
		return nil, err
	}
	// Without this check, no layer could place a digest from both lists,
	// because its two equations contradict each other.
	if n := inBoth(members, absent); n > 0 {
		return nil, paramError("absent", bothLists(n), "digests that are not in members")
	}
	p, err := c.plan(uint64(len(members)), uint64(len(absent)))
	if err != nil {
		return nil, err
	}
	if p.inverse {
		members, absent = absent, members
	}
	return c.build(b, p, func(p plan) (*ribbon.Ribbon, error) {
		if p.plain() {
			return ribbon.Members(ctx, b, p.columns, members)
		}
		if c.fills() { // another build may have reordered them
			if _, err := ribbon.Sort(ctx, ribbon.Build{Workers: b.Workers}, absent); err != nil {
				return nil, err
			}
		}
		return ribbon.Separated(ctx, b, p.columns, members, absent, p.inverse)
	})
}

// sorted sorts digests and returns the distinct ones. It returns ErrParams if
// they are not hashes.
func sorted(ctx context.Context, b ribbon.Build, digests []hashfam.Digest) ([]hashfam.Digest, error) {
	list, err := ribbon.Sort(ctx, b, digests)
	if err != nil {
		return nil, buildError(err)
	}
	return list, ribbon.CheckHashes(list, errs)
}

// inBoth returns the number of digests that are in both lists, which must have
// been sorted by [ribbon.Sort].
func inBoth(a, b []hashfam.Digest) (n int) {
	for len(a) > 0 && len(b) > 0 {
		x := a[0].Probe()
		y := b[0].Probe()
		if x == y {
			n++
		}
		if x <= y {
			a = a[1:]
		}
		if y <= x {
			b = b[1:]
		}
	}
	return n
}

// bothLists describes n digests that are in both lists.
func bothLists(n int) string {
	if n == 1 {
		return "1 digest that is also in members"
	}
	return fmt.Sprintf("%d digests that are also in members", n)
}
