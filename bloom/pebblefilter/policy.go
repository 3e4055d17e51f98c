package pebblefilter

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
)

// A Policy writes and queries the filters in a database. It implements
// [pebble.FilterPolicy]. Use [Static] or [Bloom] to create one. Its methods may
// be called concurrently.
type Policy struct {
	name   string
	hash   hashfam.Hasher
	frames reader
	builder
	*failures // a pointer, so that a Policy can be copied and printed by value
}

// failures contains the results of [Policy.Errors].
type failures struct {
	count atomic.Uint64
	last  atomic.Pointer[error]
}

var _ pebble.FilterPolicy = (*Policy)(nil)

// manyKeys is more than the usual number of keys in a table. A rate that is
// possible for this number is also possible for fewer keys.
const manyKeys = 1 << 24

// Static returns a policy that writes a static.Filter for each table. Try this
// policy first, because at a rate of 1% it uses 6.8 bits per key, where a Bloom
// filter uses at least 9.6.
//
// The rate is a false-positive rate, as a fraction. Static returns
// [hashfam.ErrParams] if the rate is below about 2^-32 + 2^-40, or not below 1.
func Static(rate float64) (*Policy, error) {
	c := static.Config{FPRate: rate, Workers: 1}
	_, err := static.New(context.Background(), c, nil) // EstimatedBytes accepts 1
	if err == nil {
		_, err = c.EstimatedBytes(manyKeys, 0)
	}
	if err != nil {
		return nil, err
	}
	return ribbons(c).policy(hashfam.Family{}), nil
}

// Bloom returns a policy that writes a bloom.Filter with the given layout for
// each table. A filter with layout bloom.Blocked is written faster than a
// filter of [Static].
//
// The rate is a false-positive rate, as a fraction. Bloom returns
// [hashfam.ErrParams] if the layout is unknown, or if the rate is not above
// about 2^-40 and below 1.
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

// WithFamily returns a policy like p that uses fam to hash keys. Use a keyed
// family if untrusted parties can choose keys. The same family must be used
// whenever the database is opened, because [Policy.Name] depends on it.
func (p *Policy) WithFamily(fam hashfam.Family) *Policy { return p.policy(fam) }

// Name returns the name that Pebble stores with each filter. It consists of the
// filter kind, the encoding version and the family's check value. Each encoded
// filter contains its rate and layout, so these can differ between levels.
func (p *Policy) Name() string { return p.name }

// MayContain reports whether the table may contain key. It returns true if
// filter is empty or cannot be read; [Policy.Errors] counts the latter.
// MayContain does not retain filter or key.
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

// Errors returns the number of queries of filters that could not be read, plus
// the number of filters that could not be built, and the last error. Such
// errors cause unnecessary reads, but no keys are lost. If several policies
// have the same name, Pebble uses only one of them for all queries, so only
// this one counts errors of queries. It is the policy in pebble.Options.Filters
// or, if none there has this name, the policy of the first level with this
// name.
func (p *Policy) Errors() (n uint64, last error) {
	if err := p.last.Load(); err != nil {
		last = *err
	}
	return p.count.Load(), last
}

// String returns the result of [Policy.Name], which does not contain the
// family's key.
func (p Policy) String() string { return p.name }

// Format prints the result of String for every verb.
func (p Policy) Format(s fmt.State, _ rune) { fmt.Fprint(s, p.name) }
