package conformance

import (
	"fmt"
	"math/rand/v2"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// names contains the keys that properties use: short and long ones, and "".
// Some long ones differ only at the end.
var names = func() []string {
	names := append(numbered(0, 12), "")
	for _, n := range []int{23, 64, 65, 255, 256, 300} {
		names = append(names, fmt.Sprintf("%0*d", n, 1), fmt.Sprintf("%0*d", n, 2))
	}
	return names
}()

func numbered(first, n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprint("key ", first+i)
	}
	return keys
}

// DrawKey draws a key. Since there are only a few, keys will be repeated.
func DrawKey(t *rapid.T) string { return rapid.SampledFrom(names).Draw(t, "key") }

// DrawKeys draws up to 15 keys using [DrawKey].
func DrawKeys(t *rapid.T) []string {
	return rapid.SliceOfN(rapid.SampledFrom(names), 0, 15).Draw(t, "keys")
}

func drawMany(t *rapid.T) []string {
	return numbered(rapid.IntRange(0, 999).Draw(t, "first key"), rapid.IntRange(1, 400).Draw(t, "number of keys"))
}

func drawSet(t *rapid.T) []string {
	if rapid.Bool().Draw(t, "many") {
		return drawMany(t)
	}
	return DrawKeys(t)
}

var (
	keyed    = hashfam.New(hashfam.Key{1, 2, 3})
	families = []hashfam.Family{{}, keyed, keyed.Derive("derived")}
)

func drawFamily(t *rapid.T) hashfam.Family {
	return families[rapid.IntRange(0, len(families)-1).Draw(t, "family")]
}

// Digests returns n random digests.
func Digests(rng *rand.Rand, n int) []hashfam.Digest {
	digests := make([]hashfam.Digest, n)
	for i := range digests {
		digests[i] = hashfam.Digest(rng.Uint64())
	}
	return digests
}

// Probing returns the digest whose probe sequence begins with x.
func Probing(x uint64) hashfam.Digest {
	factor, inverse := uint64(hashfam.Digest(1).Probe()), uint64(1)
	for range 6 { // Newton's iteration doubles the number of correct bits
		inverse *= 2 - factor*inverse
	}
	return hashfam.Digest(x * inverse)
}
