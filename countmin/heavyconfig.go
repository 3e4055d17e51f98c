package countmin

import (
	"github.com/filterfam/filterfam/countmin/internal/tracker"
	"github.com/filterfam/filterfam/hashfam"
)

// A HeavyConfig describes which keys are frequent: those that make up a
// fraction Phi of the stream, or the K most frequent ones. Exactly one of Phi
// and K must be set. Structures with equal HeavyConfigs can be merged.
type HeavyConfig struct {
	// Phi is the fraction of the total that makes a key a heavy hitter: 0.001
	// is one in a thousand. It must be above 0 and at most 1, or 0 if K is set.
	Phi float64

	// K is the number of keys to report: 1 to 2^28, or 0 if Phi is set. Prefer
	// Phi, because with K, you know only afterwards whether the keys are the
	// right ones; see [HeavyHitters.Complete]. Merged structures can also miss
	// a key that is in the top K of the whole stream, but of no part.
	K int

	// MemoryBytes, if it is not zero, limits the memory for everything that the
	// structure holds: counters, index and keys. It must be from 1,024 to 2^34
	// and, with 32-bit addresses, below 2^30. The keys use no more than 2 GiB
	// of it. The arrays grow with the keys until they reach this limit, and
	// Go's allocator may round them up by as much as an eighth. While an array
	// is replaced, up to twice as much memory is used for a moment.
	//
	// If MemoryBytes is 0, memory grows as the guarantee requires: the
	// structure tracks up to about 7/Phi keys, whether or not they are heavy
	// hitters. It typically uses 80/Phi to 350/Phi bytes or, with K, up to
	// about 640 bytes per reported key. A structure for which this is less than
	// 40 KB may use up to 40 KB. Long keys need additional memory. Limit the
	// length of keys if untrusted parties choose them: with a Phi of 0.001,
	// 6,700 keys of 10 KB use 74 MB.
	MemoryBytes int

	// Family hashes the keys. The zero value is the public family. Use a keyed
	// family if untrusted parties can choose keys.
	Family hashfam.Family

	_ struct{} // literals must name their fields
}

// goal returns the tracker's goal, or an error for the given reason that names
// the invalid field.
func (c HeavyConfig) goal(reason error) (tracker.Goal, error) {
	if err := checkGoal("HeavyConfig", c.Phi, c.K, reason); err != nil {
		return tracker.Goal{}, err
	}
	g := tracker.Goal{Phi: c.Phi, K: c.K, Memory: uint64(c.MemoryBytes)}
	return g, checkMemory("HeavyConfig.MemoryBytes", c.MemoryBytes, tracker.MinMemory, reason)
}

// EstimatedBytes returns the memory in bytes that a HeavyHitters usually does
// not exceed, without allocating it. This is MemoryBytes if it is not 0.
// Otherwise it is 350/Phi or 640*K bytes, but at least 40 KB, and keys with
// more than 8 bytes need additional memory. A new HeavyHitters uses little
// memory, and more as keys are added. EstimatedBytes returns the errors of
// [NewHeavyHitters].
func (c HeavyConfig) EstimatedBytes() (uint64, error) {
	g, err := c.goal(hashfam.ErrParams)
	if err != nil {
		return 0, err
	}
	return usualBytes(g), nil
}
