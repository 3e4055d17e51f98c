package pebblefilter

import (
	"fmt"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
)

// A Policy writes the filters of a database's tables and asks them. It
// implements [pebble.FilterPolicy]. Make one with [Static] or [Bloom]. Its
// methods may run at the same time.
type Policy struct {
	name   string
	hash   hashfam.Hasher
	frames reader
	builder
	*failures // a pointer, so that a Policy can be copied and printed by value
}

// failures are what [Policy.Errors] returns.
type failures struct {
	count atomic.Uint64
	last  atomic.Pointer[error]
}

var _ pebble.FilterPolicy = (*Policy)(nil)

// manyKeys is more than a table has. A rate that is possible for this number is
// possible for each smaller one.
const manyKeys = 1 << 24

// Static returns a policy that writes a static.Filter for each table. It is the
// policy to choose first: at a rate of 1 %, it takes 6.8 bits per key, where a
// Bloom filter takes 10.
//
// It returns [ErrParams] if rate, the false-positive rate of a filter as a
// fraction, is not above 2^-32 + 2^-40 and below 1.
func Static(rate float64) (*Policy, error) {
	c := static.Config{FPRate: rate, Workers: 1}
	if _, err := c.SizeBytes(manyKeys); err != nil {
		return nil, err
	}
	return ribbons(c).policy(hashfam.Family{}), nil
}

// Bloom returns a policy that writes a bloom.Filter of the given layout for
// each table. With bloom.Blocked, it takes a third of the time of [Static] to
// write a filter.
//
// It returns [ErrParams] if there is no such layout, or if rate, the
// false-positive rate of a filter as a fraction, is not above 2^-40 and below
// 1. A classic filter needs a rate that is at least a millionth above 2^-40.
func Bloom(layout bloom.Layout, rate float64) (*Policy, error) {
	c := bloom.Config{Capacity: manyKeys, FPRate: rate, Layout: layout}
	if _, err := c.Params(); err != nil {
		return nil, err
	}
	return blooms(c).policy(hashfam.Family{}), nil
}

func newPolicy(kind string, fam hashfam.Family, r reader, b builder) *Policy {
	name := fmt.Sprintf("filterfam.%s.v1.%016x", kind, fam.CheckValue())
	return &Policy{name: name, hash: fam.Hasher(0), frames: r, builder: b, failures: new(failures)}
}

// WithFamily returns a policy like p whose filters hash keys with fam. Use a
// keyed family if untrusted parties choose keys. Each time that the database is
// opened it needs the same family, since [Policy.Name] depends on it.
func (p *Policy) WithFamily(fam hashfam.Family) *Policy { return p.policy(fam) }

// Name returns the name that Pebble stores with each filter: the kind of
// filter, the version of its encoding, and the check value of the family. It
// does not depend on the rate or the layout, which an encoded filter contains,
// so each level can have its own.
func (p *Policy) Name() string { return p.name }

// MayContain reports whether key may be in the table that filter was written
// for. It answers true if filter is empty or unreadable; [Policy.Errors] counts
// the latter. It keeps neither filter nor key. O(1) time, no allocation.
func (p *Policy) MayContain(_ pebble.FilterType, filter, key []byte) bool {
	may, err := p.frames.ContainsDigest(filter, p.hash.Sum(key))
	if err != nil && len(filter) > 0 {
		p.fail(err)
	}
	return may
}

// fail counts an error.
func (f *failures) fail(err error) {
	f.last.Store(&err)
	f.count.Add(1)
}

// Errors returns the number of questions that met an unreadable filter, plus
// that of filters that could not be built, and the error of the last one. They
// cost reads of tables and lose no keys. If policies have the same name, Pebble
// asks the one in pebble.Options.Filters, or else that of the first level.
func (p *Policy) Errors() (n uint64, last error) {
	if err := p.last.Load(); err != nil {
		last = *err
	}
	return p.count.Load(), last
}

// String returns [Policy.Name]. It does not show the key of the family.
func (p Policy) String() string { return p.name }

// Format prints String for every verb, as [hashfam.Family.Format] explains.
func (p Policy) Format(s fmt.State, _ rune) { fmt.Fprint(s, p.name) }
