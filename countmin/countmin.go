package countmin

import (
	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
)

// A Sketch is a count-min sketch. Make one with [New] or [NewFromParams]. It
// must not be copied by value; use [Sketch.Clone].
type Sketch struct{ reader }

// New returns an empty sketch for c: [Config.Params] and [NewFromParams] in
// one. It returns their errors. O(w d) time.
func New(c Config) (*Sketch, error) {
	p, err := c.Params()
	if err != nil {
		return nil, err
	}
	return NewFromParams(p)
}

// NewFromParams returns an empty sketch of Width*Depth*CounterBits/8 bytes. O(w
// d) time. It returns an [ErrParams] error that names the field if the
// parameters are invalid or if the sketch is too large for the platform: 1 GiB
// is the limit if addresses have 32 bits. If the machine does not have the
// memory, the program ends: check [Params.SizeBytes] first if the parameters
// come from elsewhere.
func NewFromParams(p Params) (*Sketch, error) {
	if err := p.check("Params", ErrParams); err != nil {
		return nil, err
	}
	if err := p.fits(ErrParams); err != nil {
		return nil, err
	}
	s := &Sketch{newReader(p, 0)}
	s.rows().make(p.cells())
	return s, nil
}

// NewReceiver returns an empty sketch to decode into. It accepts encodings made
// under fam; the zero Sketch accepts those of the public family. O(1) time.
func NewReceiver(fam hashfam.Family) *Sketch {
	return &Sketch{reader{params: Params{Family: fam}}}
}

// Add counts key once. O(depth) time, at most one cache miss a row, no
// allocation; key is not kept.
func (s *Sketch) Add(key []byte) { s.AddNDigest(s.hash.Sum(key), 1) }

// AddString is [Sketch.Add] for a string.
func (s *Sketch) AddString(key string) { s.AddNDigest(s.hash.SumString(key), 1) }

// AddDigest is [Sketch.Add] for a digest under its family. A digest of another
// family is another key.
func (s *Sketch) AddDigest(d hashfam.Digest) { s.AddNDigest(d, 1) }

// AddN counts key n times at once. It is like [Sketch.Add] in time. Counters
// stop at their maximum and never wrap.
func (s *Sketch) AddN(key []byte, n uint64) { s.AddNDigest(s.hash.Sum(key), n) }

// AddNDigest is [Sketch.AddN] for a digest under its family.
func (s *Sketch) AddNDigest(d hashfam.Digest, n uint64) {
	s.total = tracker.AddSat(s.total, n)
	switch p := &s.params; {
	case p.CounterBits == 32:
		s.of32.add(p, d, n)
	case p.CounterBits == 64:
		s.of64.add(p, d, n)
	case p.CounterBits == 16:
		s.of16.add(p, d, n)
	case p.CounterBits == 8:
		s.of8.add(p, d, n)
	default:
		zero()
	}
}

// Count returns how often key was counted, or more, but never less: the least
// of its counters (Cormode and Muthukrishnan, Journal of Algorithms 55, 2005,
// section 4.1). A count at the maximum of [Params].CounterBits means that or
// more. [Sketch.Bounds] says how much too high a count may be. O(depth) time,
// at most one cache miss a row, no allocation. In a sketch larger than the
// cache a single call mostly waits for memory. If you have many keys at once,
// [Sketch.CountAll] overlaps the cache misses.
func (r *reader) Count(key []byte) uint64 { return r.CountDigest(r.hash.Sum(key)) }

// CountString is [Sketch.Count] for a string.
func (r *reader) CountString(key string) uint64 { return r.CountDigest(r.hash.SumString(key)) }

// CountDigest is [Sketch.Count] for a digest under its family.
func (r *reader) CountDigest(d hashfam.Digest) uint64 {
	switch p := &r.params; {
	case p.CounterBits == 32:
		return r.of32.least(p.Width, d)
	case p.CounterBits == 64:
		return r.of64.least(p.Width, d)
	case p.CounterBits == 16:
		return r.of16.least(p.Width, d)
	case p.CounterBits == 8:
		return r.of8.least(p.Width, d)
	}
	zero()
	return 0
}
