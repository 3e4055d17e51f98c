package countmin

import (
	"fmt"

	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
)

// A HeavyConfig describes which keys are frequent: those that make up a
// fraction Phi of the stream, or the K most frequent ones. Exactly one of Phi
// and K must be set. Structures with equal HeavyConfigs can be merged.
type HeavyConfig struct {
	// Phi is the fraction of the total that makes a key a heavy hitter: 0.001
	// is one in a thousand. It must be above 0 and must not exceed 1, or it
	// must be 0 if K is set.
	Phi float64

	// K is the number of keys to report: 1 to 2^28, or 0 if Phi is set. Prefer
	// Phi, because only afterwards is it known whether the K keys are the right
	// ones (see [HeavyHitters.Complete]), and because merged structures can
	// miss a key that is in the top K of the whole stream, but of no part.
	K int

	// MemoryBytes limits the memory for everything that the structure holds:
	// counters, index and keys. It must be 1,024 or more. The arrays grow with
	// the keys until they reach this limit. Go's allocator may round them up by
	// as much as an eighth, and while they grow, and while counters are widened
	// or make room for keys, up to twice as much memory is used for a moment.
	//
	// If it is 0, memory grows as the guarantee requires. The structure then
	// tracks up to about 7/Phi keys, whether or not they are heavy hitters. It
	// typically uses 80/Phi to 350/Phi bytes, but up to 40 KB if that is more,
	// plus the bytes of long keys. With K, it uses up to about 620 bytes per
	// reported key, or up to 40 KB if that is more. If untrusted parties choose
	// the keys, you should limit their length: with a Phi of 0.001, 6,700 keys
	// of 10 KB use 67 MB.
	MemoryBytes int

	// Family hashes the keys. The zero value is the public family. Use a keyed
	// family if untrusted parties choose keys.
	Family hashfam.Family

	_ struct{} // literals must name their fields
}

// goal returns the tracker's goal, or an error for the given reason that names
// the invalid field.
func (c HeavyConfig) goal(reason error) (tracker.Goal, error) {
	switch {
	case c.Phi != 0 && !(c.Phi > 0 && c.Phi <= 1), c.Phi == 0 && c.K == 0:
		return tracker.Goal{}, errs.Field(reason, "HeavyConfig.Phi", c.Phi, "above 0 and at most 1, or K")
	case c.Phi != 0 && c.K != 0:
		return tracker.Goal{}, errs.Field(reason, "HeavyConfig.K", c.K, "0 if Phi is given")
	case c.Phi == 0 && (c.K < 0 || c.K > tracker.MaxK):
		return tracker.Goal{}, errs.Field(reason, "HeavyConfig.K", c.K, fmt.Sprintf("1 to %d, or Phi", tracker.MaxK))
	}
	g := tracker.Goal{Phi: c.Phi, K: c.K, Memory: uint64(c.MemoryBytes)}
	return g, checkMemory("HeavyConfig.MemoryBytes", c.MemoryBytes, tracker.MinMemory, reason)
}

// EstimatedBytes returns the memory in bytes that a HeavyHitters usually does
// not exceed, without allocating it: MemoryBytes or, if that is 0, 350/Phi or
// 640*K, or 40 KB if that is more, for keys of up to 16 bytes. It grows to this
// size only with the keys, and longer keys need their bytes in addition.
// EstimatedBytes returns the errors of [NewHeavyHitters].
func (c HeavyConfig) EstimatedBytes() (uint64, error) {
	g, err := c.goal(ErrParams)
	if err != nil {
		return 0, err
	}
	return usualBytes(g), nil
}

// usualBytes returns EstimatedBytes for a goal.
func usualBytes(g tracker.Goal) uint64 {
	const fewest, perKey, perHitter, most = 40_000, 640, 350, 1 << 62
	switch {
	case g.Memory > 0:
		return g.Memory
	case g.K > 0:
		return max(fewest, perKey*uint64(g.K))
	}
	return uint64(min(max(fewest, perHitter/g.Phi), most))
}
