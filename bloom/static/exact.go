package static

import (
	"context"
	"fmt"
	"math/bits"
	"sort"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
	"github.com/filterfam/filterfam/internal/sizing"
)

// NewExact returns a filter that contains the members, does not contain the
// absent keys, and finds other keys at c.FPRate. An FPRate of 1 makes the
// filter as small as possible: it then finds at most half of all other keys if
// there are at least as many absent keys as members, and at least half of them
// otherwise.
//
// Both lists contain digests computed by c.Family, in any order and with any
// number of copies, and can be empty. The same two sets always have the same
// encoding, and without absent keys it is that of [New], unless FPRate is 1.
// Like New, NewExact does not retain the lists, but changes their order, and
// needs the same time and memory per digest.
//
// A filter of R members needs about R log2(1/FPRate) + 2 S FPRate bits to be
// right about S absent keys. If S is so large that a lower rate makes the
// filter smaller, it has this rate. docs/theory.md compares these sizes with
// the least that is possible.
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

// lists contains the numbers of keys in both lists of a filter. The first ribbon
// contains the keys of one list. A part of the others passes it, too, so a second
// ribbon of one column separates the keys that pass.
type lists struct {
	inside  uint64 // keys that the first ribbon contains: the members, unless inverse is true
	others  uint64
	inverse bool // the filter contains the others instead
}

// plain reports whether the filter needs no second ribbon.
func (l lists) plain() bool { return l.others == 0 && !l.inverse }

// members returns the number of keys that the filter contains.
func (l lists) members() uint64 {
	if l.inverse {
		return l.others
	}
	return l.inside
}

// absent returns the number of keys that the filter was told not to contain.
func (l lists) absent() uint64 { return l.inside + l.others - l.members() }

// A plan describes a filter before it is built.
//
// A stranger passes the first ribbon with the probability 2^-columns, and then
// finds a random bit in the second one. So one column less is needed for a rate,
// which is the column that the second ribbon costs.
type plan struct {
	lists
	columns uint32 // of the first ribbon, in units of 1/65536
}

// bytes estimates the filter size.
func (p plan) bytes() uint64 {
	if p.plain() {
		return ribbon.EstimateBytes(p.columns, p.inside)
	}
	return ribbon.EstimateSeparated(p.columns, sizing.RibbonRate(p.columns, 0), p.inside, p.others)
}

// plan returns the plan for these numbers of keys, or ErrParams, naming the
// field, if c is invalid for them. If the memory determines the rate, the
// columns are an estimate.
func (c Config) plan(members, absent uint64) (plan, error) {
	if absent > ribbon.MaxKeys {
		return plan{}, paramError("absent", absent, fmt.Sprint("at most ", uint64(ribbon.MaxKeys)))
	}
	if c.FPRate == 1 {
		return c.smallestPlan(members, absent)
	}
	columns, err := c.columns(members)
	if err != nil {
		return plan{}, err
	}
	p := plan{lists: lists{inside: members, others: absent}, columns: columns}
	if p.plain() {
		return p, nil
	}
	if c.fills() {
		within, ok := p.within(c.MemoryBytes)
		if !ok {
			return plan{}, c.tooSmall(within.bytes(), 1)
		}
		return within, nil
	}
	p.columns = max(columnsBeside(c.FPRate, members), p.smallest())
	return p, c.checkSize(p)
}

// smallestPlan returns the plan of the smallest filter: the first ribbon contains
// the shorter list.
func (c Config) smallestPlan(members, absent uint64) (plan, error) {
	if err := c.check(members); err != nil {
		return plan{}, err
	}
	p := plan{lists: lists{inside: members, others: absent}}
	if absent < members {
		p.lists = lists{inside: absent, others: members, inverse: true}
	}
	p.columns = p.smallest()
	if p.plain() { // there are no keys, but only a ribbon with columns contains none
		p.columns = ribbon.OneColumn
	}
	return p, c.checkSize(p)
}

// checkSize returns ErrParams if the planned filter is too large for any
// platform.
func (c Config) checkSize(p plan) error {
	if p.bytes() <= sizing.MaxBits/8 {
		return nil
	}
	return paramError("keys", p.inside+p.others, fmt.Sprintf("numbers that fit in %d bits at FPRate %g", uint64(sizing.MaxBits), c.FPRate))
}

// columnsBeside returns the columns of the first ribbon for a rate. An absent
// key with a member's digest is found without a random bit.
func columnsBeside(rate float64, n uint64) uint32 {
	columns, ok := sizing.RibbonColumns(2*rate-sizing.DigestRate(n), n)
	if !ok {
		return 0 // the second ribbon alone has a rate of 1/2
	}
	return columns
}

// smallest returns the number of columns, in units of 1/65536, with which the
// filter is smallest: floor(log2(others/inside)). A column needs one bit for
// each key inside, and halves the number of other keys that need a bit in the
// second ribbon. Between two integers, the size is linear in the number of
// columns, so a fraction of a column would not save memory.
func (l lists) smallest() uint32 {
	if l.inside == 0 {
		return 0
	}
	return min(uint32(max(1, bits.Len64(l.others/l.inside))-1)<<16, ribbon.MaxColumns)
}

// rate returns the rate of the planned filter, without equal digests.
func (p plan) rate() float64 {
	rate := sizing.RibbonRate(p.columns, 0)
	if !p.plain() {
		rate /= 2
	}
	if p.inverse {
		return 1 - rate
	}
	return rate
}

// within returns p with the most columns for which the estimated size does not
// exceed memory. If there is no such number, it returns p at its smallest and
// false.
func (p plan) within(memory uint64) (plan, bool) {
	least := p.smallest()
	p.columns = least
	if p.bytes() > memory {
		return p, false
	}
	more := sort.Search(int(ribbon.MaxColumns-least), func(i int) bool {
		p.columns = least + uint32(i) + 1
		return p.bytes() > memory
	})
	p.columns = least + uint32(more)
	return p, true
}
