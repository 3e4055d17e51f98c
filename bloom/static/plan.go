package static

import (
	"fmt"
	"math/bits"
	"sort"

	"github.com/filterfam/filterfam/internal/ribbon"
	"github.com/filterfam/filterfam/internal/sizing"
)

// lists describes the two lists from which a filter is built, the members and
// the absent keys. The first ribbon contains the keys of one list. Some keys of
// the other list also pass it, so a second ribbon of one column separates these
// keys from the keys that the first ribbon contains.
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
// A key from neither list passes a first ribbon of c columns with probability
// 2^-c, and then the second ribbon with probability 1/2. So for a given rate,
// the first ribbon needs one column less, which makes up for the column of the
// second.
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

// plan returns the plan for these numbers of distinct keys, or ErrParams,
// naming the field, if c is invalid for them. If the memory determines the
// rate, the columns are an estimate.
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

// smallestPlan returns the plan of the smallest filter, whose first ribbon
// contains the shorter list.
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

// columnsBeside returns the number of columns that the first ribbon needs for a
// rate when there is a second ribbon. Since the second ribbon rejects half of
// the keys that pass the first, the first can have about twice the rate. But
// keys with a member's digest always pass both, so they count only once.
func columnsBeside(rate float64, n uint64) uint32 {
	columns, ok := sizing.RibbonColumns(2*rate-sizing.DigestRate(n), n)
	if !ok {
		return 0 // the second ribbon alone has a rate of 1/2
	}
	return columns
}

// smallest returns the number of columns, in units of 1/65536, with which the
// filter is smallest: floor(log2(others/inside)) whole columns, or 0 if others
// is smaller. One more column needs a bit for each key inside, but halves the
// number of other keys that need a bit in the second ribbon. Between two
// integers, the size is linear in the number of columns, so a fraction of a
// column would not save memory.
func (l lists) smallest() uint32 {
	if l.inside == 0 {
		return 0
	}
	return min(uint32(max(1, bits.Len64(l.others/l.inside))-1)<<16, ribbon.MaxColumns)
}

// rate returns the rate of the planned filter, without keys whose digest is
// equal to a member's.
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
// exceed memory. If even the smallest plan exceeds it, within returns this plan
// and false.
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
