package countmin

import (
	"cmp"
	"math"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Sketch is a count-min sketch. Use [New] or [NewFromParams] to create one.
// It must not be copied by value; use [Sketch.Clone].
type Sketch struct {
	params Params
	of8    cells[uint8] // the counters if they have 8 bits, otherwise nil
	of16   cells[uint16]
	of32   cells[uint32]
	of64   cells[uint64]
	total  uint64
	hash   hashfam.Hasher
}

// New returns an empty sketch for c. It returns the errors of [Config.Params]
// and [NewFromParams].
func New(c Config) (*Sketch, error) {
	p, err := c.Params()
	if err != nil {
		return nil, err
	}
	return NewFromParams(p)
}

// NewFromParams returns an empty sketch with Width*Depth*CounterBits/8 bytes of
// counters. It returns an [ErrParams] error that names the field if the
// parameters are invalid or if the sketch is too large for the platform: on a
// 32-bit platform the limit is 1 GiB. If the machine does not have enough
// memory, the program will crash, so you should check [Params.SizeBytes] first
// if the parameters come from elsewhere.
func NewFromParams(p Params) (*Sketch, error) {
	err := cmp.Or(p.check("Params", ErrParams), errs.Fits(ErrParams, "Params.Width", p.Width, p.SizeBytes()))
	if err != nil {
		return nil, err
	}
	s := newSketch(p, 0)
	s.rows().make(p.Width * uint64(p.Depth))
	return &s, nil
}

// newSketch returns a sketch with valid parameters and no counters.
func newSketch(p Params, total uint64) Sketch {
	return Sketch{params: p, total: total, hash: p.Family.Hasher(p.SizeBytes())}
}

// NewReceiver returns an empty sketch for decoding data that was encoded with
// fam.
func NewReceiver(fam hashfam.Family) *Sketch { return &Sketch{params: Params{Family: fam}} }

// rows returns the counters of s. It panics if s is the zero Sketch.
func (s *Sketch) rows() rows {
	switch s.params.CounterBits {
	case 8:
		return &s.of8
	case 16:
		return &s.of16
	case 32:
		return &s.of32
	case 64:
		return &s.of64
	}
	panic(zero)
}

// zero is the panic value of methods that are called on the zero Sketch.
var zero = errs.Zero("Sketch", "New, or decode into it")

// Add counts key once. It takes O(depth) time, with at most one cache miss per
// row.
func (s *Sketch) Add(key []byte) { s.AddNDigest(s.hash.Sum(key), 1) }

// AddString is like [Sketch.Add] for a string key.
func (s *Sketch) AddString(key string) { s.AddNDigest(s.hash.SumString(key), 1) }

// AddDigest is like [Sketch.Add] for a key's digest, which must be computed by
// the sketch's family.
func (s *Sketch) AddDigest(d hashfam.Digest) { s.AddNDigest(d, 1) }

// AddN counts key n times, in the same time as [Sketch.Add]. Counters stop at
// their maximum and never wrap around.
func (s *Sketch) AddN(key []byte, n uint64) { s.AddNDigest(s.hash.Sum(key), n) }

// AddNDigest is like [Sketch.AddN] for a key's digest, which must be computed
// by the sketch's family.
func (s *Sketch) AddNDigest(d hashfam.Digest, n uint64) {
	s.total = sizing.AddSat(s.total, n)
	switch p, w := &s.params, s.params.Width; {
	case p.CounterBits == 32 && p.Conservative: // the most common width first
		raise(s.of32, w, d, plus[uint32](s.of32.least(w, d), n))
	case p.CounterBits == 32:
		add(s.of32, w, d, n)
	case p.CounterBits == 64 && p.Conservative:
		raise(s.of64, w, d, plus[uint64](s.of64.least(w, d), n))
	case p.CounterBits == 64:
		add(s.of64, w, d, n)
	case p.CounterBits == 16 && p.Conservative:
		raise(s.of16, w, d, plus[uint16](s.of16.least(w, d), n))
	case p.CounterBits == 16:
		add(s.of16, w, d, n)
	case p.CounterBits == 8 && p.Conservative:
		raise(s.of8, w, d, plus[uint8](s.of8.least(w, d), n))
	case p.CounterBits == 8:
		add(s.of8, w, d, n)
	default:
		panic(zero)
	}
}

// AddAll counts the key of every digest once. It has the same effect as calling
// [Sketch.AddDigest] for each digest, but is faster. Use
// [hashfam.Family.SumAll] or one of its variants to hash the keys.
func (s *Sketch) AddAll(digests []hashfam.Digest) {
	rows := s.rows()
	if s.params.Conservative {
		for _, d := range digests {
			s.AddDigest(d)
		}
		return
	}
	for block := range slices.Chunk(digests, blockSize) {
		rows.addAll(s.params.Width, block)
	}
	s.total = sizing.AddSat(s.total, uint64(len(digests)))
}

// Count returns how often key was counted, or a higher number, but never a
// lower one: the minimum of its counters (Cormode and Muthukrishnan, Journal of
// Algorithms 55, 2005, section 4.1). If a count is a counter's maximum, the
// true count may be any higher number. Use [Sketch.Bounds] to bound the error.
//
// Count takes O(depth) time, with at most one cache miss per row. If the sketch
// is larger than the cache, most of this time is spent waiting for memory. If
// you have many keys, use [Sketch.CountAll], which overlaps the cache misses.
func (s *Sketch) Count(key []byte) uint64 { return s.CountDigest(s.hash.Sum(key)) }

// CountString is like [Sketch.Count] for a string key.
func (s *Sketch) CountString(key string) uint64 { return s.CountDigest(s.hash.SumString(key)) }

// CountDigest is like [Sketch.Count] for a key's digest, which must be computed
// by the sketch's family.
func (s *Sketch) CountDigest(d hashfam.Digest) uint64 {
	if s.params.Width == 0 {
		panic(zero)
	}
	return s.count(d)
}

// count is CountDigest for a sketch that is not zero. It calls no function,
// which would make it slower by up to a tenth.
func (s *Sketch) count(d hashfam.Digest) uint64 {
	switch p := &s.params; {
	case p.CounterBits == 64:
		return s.of64.least(p.Width, d)
	case p.CounterBits == 32:
		return s.of32.least(p.Width, d)
	case p.CounterBits == 16:
		return s.of16.least(p.Width, d)
	default:
		return s.of8.least(p.Width, d)
	}
}

// CountAll appends the result of [Sketch.CountDigest] for each digest to dst
// and returns the extended slice. It is faster than calling CountDigest for
// each digest. It allocates only if dst must grow.
func (s *Sketch) CountAll(dst []uint64, digests []hashfam.Digest) []uint64 {
	rows := s.rows()
	dst = slices.Grow(dst, len(digests))
	for block := range slices.Chunk(digests, blockSize) {
		end := len(dst)
		for range block {
			dst = append(dst, math.MaxUint64)
		}
		rows.countAll(dst[end:], s.params.Width, block)
	}
	return dst
}

// Params returns the parameters of s.
func (s *Sketch) Params() Params { return s.params }

// Family returns the family that hashes the keys.
func (s *Sketch) Family() hashfam.Family { return s.params.Family }

// SizeBytes returns the size of the counters in bytes. The structure itself
// adds fewer than 200 bytes.
func (s *Sketch) SizeBytes() uint64 { return s.params.SizeBytes() }

// Total returns the sum of all counts. It stops at the largest uint64. The
// counters of each row have the same sum, unless s is conservative or one of
// them is at its maximum.
func (s *Sketch) Total() uint64 { return s.total }

// ErrorBound returns the error that a count exceeds with a probability of no
// more than Delta: Epsilon times [Sketch.Total], rounded down. If the total is
// the largest uint64, so is ErrorBound. See [Params.Epsilon] and
// [Params.Delta].
func (s *Sketch) ErrorBound() uint64 {
	bound := s.params.Epsilon() * float64(s.total)
	if bound < float64(s.total) && s.total != math.MaxUint64 {
		return uint64(bound)
	}
	return s.total
}

// Bounds returns an interval for key's true count. The true count never exceeds
// high, which is [Sketch.Count]. With probability 1-Delta or more, it is not
// below low, which is high minus [Sketch.ErrorBound]. If the count is a
// counter's maximum, low is 0 and high is the largest uint64.
func (s *Sketch) Bounds(key []byte) (low, high uint64) { return s.BoundsDigest(s.hash.Sum(key)) }

// BoundsDigest is like [Sketch.Bounds] for a key's digest, which must be
// computed by the sketch's family.
func (s *Sketch) BoundsDigest(d hashfam.Digest) (low, high uint64) {
	count := s.CountDigest(d)
	if s.params.stuck(count) {
		return 0, math.MaxUint64
	}
	return count - min(count, s.ErrorBound()), count
}

// stuck reports whether a count is a counter's maximum, so that the true count
// may be any higher number.
func (p Params) stuck(count uint64) bool { return count == math.MaxUint64>>(64-p.CounterBits) }
