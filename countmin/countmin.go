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
// parameters are invalid. If the machine does not have the memory, the program
// ends: check [Params.SizeBytes] first if the parameters come from elsewhere.
func NewFromParams(p Params) (*Sketch, error) {
	if err := p.check("Params", ErrParams); err != nil {
		return nil, err
	}
	s := &Sketch{newReader(p, 0)}
	if p.CounterBits == 32 {
		s.narrow = make([]uint32, p.cells())
	} else {
		s.wide = make([]uint64, p.cells())
	}
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
	switch w := s.params.Width; {
	case s.params.Conservative && s.wide == nil:
		raise(s.narrow, w, d, tracker.AddSat(least(s.narrow, w, d), saturate[uint32](n)))
	case s.params.Conservative:
		raise(s.wide, w, d, tracker.AddSat(least(s.wide, w, d), n))
	case s.wide == nil:
		add(s.narrow, w, d, saturate[uint32](n))
	default:
		add(s.wide, w, d, n)
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
	if r.wide == nil {
		return uint64(least(r.narrow, r.params.Width, d))
	}
	return least(r.wide, r.params.Width, d)
}

// A counter saturates: at its maximum it means that or more.
type counter interface{ uint32 | uint64 }

// Row i of a key is the i-th value of its digest's sequence, reduced to the
// width. The rows lie one after another.

// add adds n to the key's counter in every row, in two rows at a time: the two
// additions do not wait for each other, which saves a quarter of the time.
func add[C counter](cells []C, w uint64, d hashfam.Digest, n C) {
	p, row, end := d.Probe(), uint64(0), uint64(len(cells))
	for ; row+w < end; row, p = row+2*w, p.Next().Next() {
		bump(&cells[row+p.In(w)], n)
		bump(&cells[row+w+p.Next().In(w)], n)
	}
	if row < end {
		bump(&cells[row+p.In(w)], n)
	}
}

// bump is [tracker.AddSat] in place. A store in each branch is faster than one
// store that waits for the test.
func bump[C counter](c *C, n C) {
	if sum := *c + n; sum >= n {
		*c = sum
	} else {
		*c = ^C(0)
	}
}

// least returns the least of the key's counters.
func least[C counter](cells []C, w uint64, d hashfam.Digest) C {
	p, low := d.Probe(), ^C(0)
	for row := uint64(0); row < uint64(len(cells)); row, p = row+w, p.Next() {
		low = min(low, cells[row+p.In(w)])
	}
	return low
}

// raise makes every counter of the key at least to. With to = least + n it is
// conservative update (Estan and Varghese, SIGCOMM 2002, section 3.3): no
// counter is raised beyond what the key's own count can need.
func raise[C counter](cells []C, w uint64, d hashfam.Digest, to C) {
	p := d.Probe()
	for row := uint64(0); row < uint64(len(cells)); row, p = row+w, p.Next() {
		c := &cells[row+p.In(w)]
		*c = max(*c, to)
	}
}

// saturate returns n, or the maximum if it does not fit.
func saturate[C counter](n uint64) C {
	return C(min(n, uint64(^C(0))))
}
