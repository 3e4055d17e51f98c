package countmin

import (
	"math"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/frame"
)

// A reader is what a Sketch and a View have in common: the counters, wherever
// they lie, and all methods that only read them.
type reader struct {
	params Params
	of8    cells[uint8] // the counters, if they have 8 bits; else nil
	of16   cells[uint16]
	of32   cells[uint32]
	of64   cells[uint64]
	total  uint64
	hash   hashfam.Hasher
}

// Rows are the cells of a sketch, whatever their type. Add and Count find the
// type by comparing CounterBits, the most common first: calls through the
// interface would make them slower.
type rows interface {
	make(n uint64)
	read(r *frame.Reader, n uint64)
	view(v frame.View, n uint64) error
	payload() frame.Payload
	check(r *reader) error
	addAll(params *Params, digests []hashfam.Digest)
	countAll(counts []uint64, w uint64, digests []hashfam.Digest)
	subtract(w uint64, d hashfam.Digest, n uint64)
	merge(others []*Sketch)
	product(other rows, w uint64) uint64
	halve(w uint64) uint64
	clear()
}

// rows returns the rows of r. It panics if r is zero.
func (r *reader) rows() rows {
	switch r.params.CounterBits {
	case 8:
		return &r.of8
	case 16:
		return &r.of16
	case 32:
		return &r.of32
	case 64:
		return &r.of64
	}
	zero()
	return nil
}

// zero panics because a zero Sketch or View was used.
func zero() { errs.Zero("Sketch or View", "New or NewView, or decode into it") }

// newReader returns a reader of valid parameters, without counters.
func newReader(p Params, total uint64) reader {
	return reader{params: p, total: total, hash: p.Family.Hasher(p.SizeBytes())}
}

// Params returns the parameters of the sketch. O(1) time.
func (r *reader) Params() Params { return r.params }

// Family returns the family that hashes the keys. O(1) time.
func (r *reader) Family() hashfam.Family { return r.params.Family }

// SizeBytes returns the memory of the counters in bytes. The structure itself
// adds less than 200. O(1) time.
func (r *reader) SizeBytes() uint64 { return r.params.SizeBytes() }

// Total returns how much has been counted: the sum of all counts, and of each
// row of a sketch that is not conservative. It stops at the largest uint64.
// O(1) time.
func (r *reader) Total() uint64 { return r.total }

// ErrorBound returns the most by which a count exceeds the truth, with
// probability 1-Delta: the share Epsilon of [Sketch.Total], rounded down. If
// the total is the largest uint64, so is ErrorBound. Delta is e^-Depth; see
// [Params.Epsilon] and [Params.Delta]. O(1) time.
func (r *reader) ErrorBound() uint64 {
	bound := r.params.Epsilon() * float64(r.total)
	if bound < float64(r.total) && r.total != math.MaxUint64 {
		return uint64(bound)
	}
	return r.total
}

// Bounds returns an interval that contains key's true count: that is at most
// high, always, and at least low with probability 1-Delta. They are
// [Sketch.Count], and that less [Sketch.ErrorBound]. If the count has reached a
// counter's maximum, low is 0 and high the largest uint64. O(depth) time, no
// allocation.
func (r *reader) Bounds(key []byte) (low, high uint64) {
	return r.BoundsDigest(r.hash.Sum(key))
}

// BoundsDigest is [Sketch.Bounds] for a digest under its family.
func (r *reader) BoundsDigest(d hashfam.Digest) (low, high uint64) {
	count := r.CountDigest(d)
	if r.params.stuck(count) {
		return 0, math.MaxUint64
	}
	return count - min(count, r.ErrorBound()), count
}

// stuck reports whether a count is at the maximum of a counter, which means
// that or more.
func (p Params) stuck(count uint64) bool { return count == math.MaxUint64>>(64-p.CounterBits) }
