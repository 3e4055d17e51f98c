package conformance

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// names are the keys of which properties draw a few: short ones, the empty one,
// and long ones of which two differ only at the end.
var names = func() []string {
	names := append(numbered(0, 12), "")
	for _, n := range []int{23, 64, 65, 255, 256, 300} {
		names = append(names, fmt.Sprintf("%0*d", n, 1), fmt.Sprintf("%0*d", n, 2))
	}
	return names
}()

// numbered returns n keys that are numbered.
func numbered(first, n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprint("key ", first+i)
	}
	return keys
}

// DrawKey draws one of a few keys.
func DrawKey(t *rapid.T) string { return rapid.SampledFrom(names).Draw(t, "key") }

// DrawKeys draws up to 15 of a few keys. A key may be drawn more than once.
func DrawKeys(t *rapid.T) []string {
	return rapid.SliceOfN(rapid.SampledFrom(names), 0, 15).Draw(t, "keys")
}

// drawMany draws up to 400 different keys.
func drawMany(t *rapid.T) []string {
	return numbered(rapid.IntRange(0, 999).Draw(t, "first key"), rapid.IntRange(1, 400).Draw(t, "number of keys"))
}

// drawSet draws a few keys or many.
func drawSet(t *rapid.T) []string {
	if rapid.Bool().Draw(t, "many") {
		return drawMany(t)
	}
	return DrawKeys(t)
}

// keyed is a family with a key. families are the ones that properties use: the
// public one, keyed, and one derived from it.
var (
	keyed    = hashfam.New(hashfam.Key{1, 2, 3})
	families = []hashfam.Family{{}, keyed, keyed.Derive("derived")}
)

// drawFamily draws one of the families by its number.
func drawFamily(t *rapid.T) hashfam.Family {
	return families[rapid.IntRange(0, len(families)-1).Draw(t, "family")]
}

// drawOf draws a value of a map by its name.
func drawOf[V any](t *rapid.T, label string, from map[string]V) V {
	return from[rapid.SampledFrom(slices.Sorted(maps.Keys(from))).Draw(t, label)]
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
