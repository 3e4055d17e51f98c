package countmin

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A Config describes the sketch to make: either by the error that is allowed,
// Epsilon and Delta, or by its shape, Width and Depth.
type Config struct {
	// Epsilon is the error allowed, as a share of the total: 0.001 lets a count
	// be too high by a thousandth of all that was counted. Above 0 and below 1.
	Epsilon float64

	// Delta is the probability that a key's count errs by more than that. Above
	// 0 and below 1, and above 1/(2^64 Epsilon), the chance that a key's digest
	// equals that of a key that counts that much.
	Delta float64

	// Width is the number of counters in a row, Depth the number of rows, in
	// place of Epsilon and Delta.
	Width uint64
	Depth int

	// CounterBits is 8, 16, 32 or 64; 0 means 32. Counters of 8 and 16 bits are
	// for counts that matter only up to a limit: they stop at 255 and 65,535.
	CounterBits int

	// Conservative raises only the counters that a key's own count needs. No
	// count is then higher than under plain update; the mean error over the
	// keys falls to about half, that of frequent keys much further. In return
	// there is no Remove and no InnerProduct, and merged sketches keep the
	// error of their parts.
	Conservative bool

	// Family hashes the keys. The zero value is the public one; take a keyed
	// family if untrusted parties choose keys.
	Family hashfam.Family

	_ struct{} // literals name their fields
}

// Params are the parameters of a sketch. Sketches with equal Params can be
// combined.
type Params struct {
	// Width is w, the counters in a row, at least 1; Depth is d, the rows, 1 to
	// 255. Together they take at most 2^48 bits.
	Width uint64
	Depth int

	// CounterBits is 8, 16, 32 or 64. A counter that reaches its maximum, such
	// as 255 or 2^32-1, stays there and means that or more.
	CounterBits int

	Conservative bool
	Family       hashfam.Family
}

// Params returns the parameters that c describes: ceil(e/Epsilon) wide and
// ceil(ln 1/Delta) deep (Cormode and Muthukrishnan 2005, section 3), or Width
// and Depth as they are. O(1) time; it allocates no sketch. It returns an
// [ErrParams] error that names the field if the configuration is impossible.
func (c Config) Params() (Params, error) {
	p := Params{
		Width: c.Width, Depth: c.Depth, CounterBits: c.CounterBits,
		Conservative: c.Conservative, Family: c.Family,
	}
	if p.CounterBits == 0 {
		p.CounterBits = 32
	}
	switch given := c.Epsilon != 0 || c.Delta != 0; {
	case given:
		if err := c.checkBounds(p.CounterBits); err != nil {
			return Params{}, err
		}
		p.Width, p.Depth = sizing.CountMinWidth(c.Epsilon), sizing.CountMinDepth(c.Delta)
	case c.Width == 0 && c.Depth == 0:
		return Params{}, paramError("Config", "all zero", "either Epsilon and Delta or Width and Depth")
	}
	if err := p.check("Config", ErrParams); err != nil {
		return Params{}, err
	}
	return p, nil
}

// checkBounds returns an error that names the field unless there is a sketch
// with the Epsilon and Delta of c.
func (c Config) checkBounds(counterBits int) error {
	floor := 1 / c.Epsilon / (1 << 63) / 2
	switch {
	case c.Width != 0:
		return paramError("Config.Width", c.Width, "0 if Epsilon and Delta are given")
	case c.Depth != 0:
		return paramError("Config.Depth", c.Depth, "0 if Epsilon and Delta are given")
	case !validBits(counterBits):
		return paramError("Config.CounterBits", counterBits, allowedBits)
	case !(c.Epsilon > 0 && c.Epsilon < 1):
		return paramError("Config.Epsilon", c.Epsilon, "above 0 and below 1")
	case sizing.CountMinWidth(c.Epsilon) > maxWidth(counterBits, 1):
		return paramError("Config.Epsilon", c.Epsilon, leastEpsilon(counterBits, 1))
	case !(c.Delta > 0 && c.Delta < 1):
		return paramError("Config.Delta", c.Delta, "above 0 and below 1")
	case c.Delta <= floor:
		return paramError("Config.Delta", c.Delta,
			fmt.Sprintf("above 1/(2^64 Epsilon) = %.3g, the least that 64-bit digests allow", floor))
	}
	if depth := sizing.CountMinDepth(c.Delta); sizing.CountMinWidth(c.Epsilon) > maxWidth(counterBits, depth) {
		return paramError("Config.Epsilon", c.Epsilon, leastEpsilon(counterBits, depth))
	}
	return nil
}

// leastEpsilon says which Epsilon is possible at a depth.
func leastEpsilon(counterBits, depth int) string {
	return fmt.Sprintf("at least %.3g at a depth of %d", math.E/float64(maxWidth(counterBits, depth)), depth)
}

// check returns an error for the given reason, which names the field of what
// the caller knows as of, unless p is valid.
func (p Params) check(of string, reason error) error {
	switch {
	case !validBits(p.CounterBits):
		return errs.Field(reason, of+".CounterBits", p.CounterBits, allowedBits)
	case p.Depth < 1 || p.Depth > sizing.MaxHashes:
		return errs.Field(reason, of+".Depth", p.Depth, fmt.Sprintf("1 to %d", sizing.MaxHashes))
	case p.Width == 0 || p.Width > maxWidth(p.CounterBits, p.Depth):
		return errs.Field(reason, of+".Width", p.Width, fmt.Sprintf("1 to %d at that depth", maxWidth(p.CounterBits, p.Depth)))
	}
	return nil
}

const allowedBits = "8, 16, 32 or 64"

// validBits reports whether a counter can have that many bits.
func validBits(bits int) bool { return bits == 8 || bits == 16 || bits == 32 || bits == 64 }

// fits returns an error with the given reason if this platform cannot hold a
// sketch of the valid parameters p.
func (p Params) fits(reason error) error {
	return errs.Fits(reason, "Params.Width", p.Width, p.SizeBytes())
}

// maxWidth returns the greatest width at a depth.
func maxWidth(counterBits, depth int) uint64 {
	return sizing.MaxBits / uint64(counterBits) / uint64(depth)
}

// cells returns how many counters there are.
func (p Params) cells() uint64 { return p.Width * uint64(p.Depth) }

// SizeBytes returns the memory, in bytes, of the counters of a sketch with
// these parameters, without making one, and math.MaxUint64 if a product is
// larger than that. O(1) time.
func (p Params) SizeBytes() uint64 {
	over, cells := bits.Mul64(p.Width, uint64(p.Depth))
	overBits, size := bits.Mul64(cells, uint64(p.CounterBits))
	if over|overBits > 0 {
		return math.MaxUint64
	}
	return size / 8
}

// Epsilon returns the error bound of a sketch of this width as a share of the
// total: e/Width. O(1) time.
func (p Params) Epsilon() float64 { return math.E / float64(p.Width) }

// Delta returns the probability that a count errs by more than that: e^-Depth.
// O(1) time.
func (p Params) Delta() float64 { return math.Exp(-float64(p.Depth)) }
