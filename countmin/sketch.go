package countmin

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
)

// New returns an empty sketch for c. It returns the errors of [Config.Params]
// and [NewFromParams].
func New(c Config) (*Sketch, error) {
	p, err := c.Params()
	if err != nil {
		return nil, err
	}
	return NewFromParams(p)
}

// NewFromParams returns an empty sketch with the parameters p. It returns
// [hashfam.ErrParams], naming the field, if p is invalid or if the sketch is
// too large for the platform: with 32-bit addresses, the limit is 1 GiB.
//
// If there is not enough memory, the program crashes, so check
// [Params.SizeBytes] first if p comes from an untrusted source.
func NewFromParams(p Params) (*Sketch, error) {
	err := cmp.Or(p.check("Params", hashfam.ErrParams), errs.Fits(hashfam.ErrParams, "Params.Width", p.Width, p.SizeBytes()))
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
// fam. A zero Sketch decodes data that was encoded with the public family.
func NewReceiver(fam hashfam.Family) *Sketch { return &Sketch{params: Params{Family: fam}} }

// Params returns the sketch's parameters.
func (s *Sketch) Params() Params { return s.params }

// Family returns the family that hashes the keys.
func (s *Sketch) Family() hashfam.Family { return s.params.Family }

// SizeBytes returns the size of the counters in bytes. The structure itself
// needs up to 200 bytes more.
func (s *Sketch) SizeBytes() uint64 { return s.params.SizeBytes() }

// Reset sets every counter and the total to zero.
func (s *Sketch) Reset() {
	s.rows().clear()
	s.total = 0
	s.uneven = false
}

// Clone returns a deep copy of s.
func (s *Sketch) Clone() *Sketch {
	c := *s
	c.of8 = slices.Clone(s.of8)
	c.of16 = slices.Clone(s.of16)
	c.of32 = slices.Clone(s.of32)
	c.of64 = slices.Clone(s.of64)
	return &c
}

// Equal reports whether s and other have the same [Params], total and counters.
func (s *Sketch) Equal(other *Sketch) bool {
	return other != nil && s.params == other.params && s.total == other.total &&
		slices.Equal(s.of8, other.of8) && slices.Equal(s.of16, other.of16) &&
		slices.Equal(s.of32, other.of32) && slices.Equal(s.of64, other.of64)
}

// String describes s in one line.
func (s Sketch) String() string { return fmt.Sprintf("countmin.Sketch(%v)", s.params) }

// Format prints the result of String for every verb.
func (s Sketch) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// LogValue returns the result of String for package log/slog.
func (s Sketch) LogValue() slog.Value { return slog.StringValue(s.String()) }
