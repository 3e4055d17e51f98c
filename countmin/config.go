package countmin

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Config describes a new sketch, either by its error (Epsilon and Delta) or
// by its shape (Width and Depth).
type Config struct {
	// Epsilon is the allowed error as a fraction of the total, which is the sum
	// of all counts. With 0.001, a count may be too high by a thousandth of the
	// total. It must be above 0 and below 1.
	Epsilon float64

	// Delta is the allowed probability that the error of a count is larger than
	// Epsilon times the total. It must be above 0 and below 1, and above
	// 1/(2^64 Epsilon), the probability that a key has the same digest as one
	// of the 1/Epsilon most frequent keys.
	Delta float64

	// Width is the number of counters per row, and Depth is the number of rows.
	// They can be given instead of Epsilon and Delta.
	Width uint64
	Depth int

	// CounterBits is 8, 16, 32 or 64; 0 means 32. Counters of 8 and 16 bits
	// stop at 255 and 65,535, so use them only if higher counts do not matter.
	CounterBits int

	// Conservative raises only those counters that the key's own count
	// requires, so no count is higher than with plain update; see the package
	// comment. In return, Remove and InnerProduct are not available, and the
	// errors of merged sketches add up.
	Conservative bool

	// Family hashes the keys. The zero value is the public family. Use a keyed
	// family if untrusted parties can choose keys.
	Family hashfam.Family

	_ struct{} // literals must name their fields
}

// Params are a sketch's parameters. Sketches with equal Params can be combined.
type Params struct {
	// Width is the number of counters per row, 1 or more. Depth is the number
	// of rows, from 1 to 255. All counters together must not exceed 2^48 bits.
	Width uint64
	Depth int

	// CounterBits is 8, 16, 32 or 64. A counter that reaches its maximum, for
	// example 255 or 2^32-1, stays there until [Sketch.Halve] or
	// [Sketch.Reset]. The true count may then be higher.
	CounterBits int

	Conservative bool
	Family       hashfam.Family
}

// Params returns the parameters of the sketch that c describes, without
// allocating it. They are the given Width and Depth, or a width of
// ceil(e/Epsilon) and a depth of ceil(ln 1/Delta) (Cormode and Muthukrishnan
// 2005, section 3). Params returns [hashfam.ErrParams], naming the field, if no
// sketch meets c.
func (c Config) Params() (Params, error) {
	p := Params{
		Width: c.Width, Depth: c.Depth, CounterBits: c.CounterBits,
		Conservative: c.Conservative, Family: c.Family,
	}
	if p.CounterBits == 0 {
		p.CounterBits = 32
	}
	switch {
	case c.Epsilon != 0 || c.Delta != 0:
		if err := c.checkBounds(p.CounterBits); err != nil {
			return Params{}, err
		}
		p.Width = sizing.CountMinWidth(c.Epsilon)
		p.Depth = sizing.CountMinDepth(c.Delta)
	case c.Width == 0 && c.Depth == 0:
		return Params{}, errs.Field(hashfam.ErrParams, "Config", "all zero", "either Epsilon and Delta or Width and Depth")
	}
	if err := p.check("Config", hashfam.ErrParams); err != nil {
		return Params{}, err
	}
	return p, nil
}

// checkBounds returns an error that names the field if c also contains a Width
// or a Depth, or if no sketch can have the Epsilon and Delta of c.
func (c Config) checkBounds(counterBits int) error {
	const share = "above 0 and below 1"
	switch {
	case c.Width != 0:
		return errs.Field(hashfam.ErrParams, "Config.Width", c.Width, "0 if Epsilon and Delta are given")
	case c.Depth != 0:
		return errs.Field(hashfam.ErrParams, "Config.Depth", c.Depth, "0 if Epsilon and Delta are given")
	case !validBits(counterBits):
		return errs.Field(hashfam.ErrParams, "Config.CounterBits", counterBits, allowedBits)
	case !(c.Epsilon > 0 && c.Epsilon < 1):
		return errs.Field(hashfam.ErrParams, "Config.Epsilon", c.Epsilon, share)
	case !(c.Delta > 0 && c.Delta < 1):
		return errs.Field(hashfam.ErrParams, "Config.Delta", c.Delta, share)
	}
	depth := sizing.CountMinDepth(c.Delta)
	if most := maxWidth(counterBits, depth); sizing.CountMinWidth(c.Epsilon) > most {
		return errs.Field(hashfam.ErrParams, "Config.Epsilon", c.Epsilon,
			fmt.Sprintf("at least %.3g at a depth of %d", math.E/float64(most), depth))
	}
	if floor := 1 / c.Epsilon / (1 << 63) / 2; c.Delta <= floor {
		return errs.Field(hashfam.ErrParams, "Config.Delta", c.Delta,
			fmt.Sprintf("above 1/(2^64 Epsilon) = %.3g, the lowest value that 64-bit digests allow", floor))
	}
	return nil
}

// check returns an error for the given reason if p is invalid. The error names
// the field, prefixed with the given name.
func (p Params) check(of string, reason error) error {
	switch {
	case !validBits(p.CounterBits):
		return errs.Field(reason, of+".CounterBits", p.CounterBits, allowedBits)
	case p.Depth < 1 || p.Depth > sizing.MaxHashes:
		return errs.Field(reason, of+".Depth", p.Depth, fmt.Sprintf("1 to %d", sizing.MaxHashes))
	case p.Width == 0 || p.Width > maxWidth(p.CounterBits, p.Depth):
		return errs.Field(reason, of+".Width", p.Width, fmt.Sprintf("1 to %d at this depth", maxWidth(p.CounterBits, p.Depth)))
	}
	return nil
}

const allowedBits = "8, 16, 32 or 64"

// validBits reports whether a counter can have the given number of bits.
func validBits(bits int) bool { return bits == 8 || bits == 16 || bits == 32 || bits == 64 }

// maxWidth returns the greatest valid width for a depth.
func maxWidth(counterBits, depth int) uint64 {
	return sizing.MaxBits / uint64(counterBits) / uint64(depth)
}

// SizeBytes returns the size of the counters in bytes, without allocating them,
// or math.MaxUint64 if the size in bits does not fit in 64 bits.
func (p Params) SizeBytes() uint64 {
	over, cells := bits.Mul64(p.Width, uint64(p.Depth))
	overBits, size := bits.Mul64(cells, uint64(p.CounterBits))
	if over|overBits > 0 {
		return math.MaxUint64
	}
	return size / 8
}

// Epsilon returns the error bound that follows from the width, as a fraction of
// the total: e/Width.
func (p Params) Epsilon() float64 { return math.E / float64(p.Width) }

// Delta returns an upper bound on the probability that a count has a larger
// error than Epsilon times the total: e^-Depth.
func (p Params) Delta() float64 { return math.Exp(-float64(p.Depth)) }

// String describes p in one line, without the family's key.
func (p Params) String() string {
	update := "plain"
	if p.Conservative {
		update = "conservative"
	}
	return fmt.Sprintf("%s, %d x %d counters of %d bits, family %v", update, p.Depth, p.Width, p.CounterBits, p.Family)
}
