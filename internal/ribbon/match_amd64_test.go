//go:build !purego && !race

package ribbon

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
)

// plainly calls do in a mode that does not use functions in assembly.
func plainly(do func()) {
	defer func(was bool) { useAVX512 = was }(useAVX512)
	useAVX512 = false
	do()
}

// arbitrary returns a ribbon of random words. Its thresholds are low, so most
// digests are looked up in the first layer.
func arbitrary(rng *rand.Rand, columns uint32, keys uint64) *Ribbon {
	r := &Ribbon{columns: columns, keys: keys}
	for i := range 2 {
		l := newLayer(i, keys, columns)
		for j := range l.words {
			l.words[j] = rng.Uint64()
		}
		for j := range l.thresholds {
			l.thresholds[j] = rng.Uint64() & rng.Uint64() & rng.Uint64()
		}
		r.layers = append(r.layers, l)
		keys /= 2
	}
	return r
}

// The functions in assembly must return the same results as the functions in
// Go, whether digests are found or not.
func TestVectorLookupMatchesSingleLookups(t *testing.T) {
	machine.Matters(t)
	rng := rand.New(rand.NewPCG(30, 31))
	check := func(r *Ribbon, n int) {
		head := []bool{true, false, true}
		digests := checks.Digests(rng, n)
		room := func() []bool { return append(make([]bool, 0, len(head)+n), head...) }
		var want []bool
		plainly(func() { want = r.ContainsAll(room(), digests) })
		require.Equal(t, want, r.ContainsAll(room(), digests), "%d columns, %d keys, %d digests", r.columns, r.keys, n)
		require.Equal(t, want, each(r, room(), digests), "%d columns, %d keys", r.columns, r.keys)
	}
	for columns := uint32(1 << 14); columns <= MaxColumns; columns += 1 << 14 {
		check(arbitrary(rng, columns, rng.Uint64N(3000)), 300)
	}
	check(arbitrary(rng, 3<<16+5, 200_000), 3000) // several shards
	for n := range 300 {
		check(arbitrary(rng, percent, rng.Uint64N(3000)), n)
	}
}

// The digests start in every segment around the boundary between narrow and
// wide segments. In the second round, the first layer bumps all of them.
func TestLookupsMatchAtTheBoundaryOfNarrowSegments(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 35))
	for columns := uint32(1 << 15); columns <= MaxColumns; columns += 1 << 15 {
		list := checks.Digests(rng, 3000)
		for _, r := range []*Ribbon{arbitrary(rng, columns, 3000), members(t, columns, list)} {
			for range 2 {
				var digests []hashfam.Digest
				l := r.layers[0]
				for start := uint64(0); start < l.starts; start += 3 {
					digests = append(digests, checks.Probing(start*(math.MaxUint64/l.starts)+rng.Uint64N(1<<40)+1<<41))
				}
				digests = append(digests, list...)
				var want []bool
				plainly(func() { want = each(r, nil, digests) })
				require.Equal(t, want, each(r, nil, digests), "%d columns", columns)
				require.Equal(t, want, r.ContainsAll(nil, digests), "%d columns", columns)
				for i := range l.thresholds {
					l.thresholds[i] = math.MaxUint64
				}
			}
		}
	}
}

func TestContainsInMatchesContainsWithoutAVX512(t *testing.T) {
	machine.Matters(t)
	plainly(func() { TestContainsInMatchesContains(t) })
}

// Only one column differs from the fingerprint, or none.
func TestEveryColumnIsCompared(t *testing.T) {
	machine.Matters(t)
	rng := rand.New(rand.NewPCG(32, 33))
	for r := uint32(1); r <= 32; r++ {
		for _, columns := range []uint32{r << 16, r<<16 - 1<<15} {
			list := checks.Digests(rng, 300)
			f := members(t, columns, list)
			l := &f.layers[0]
			for column := range int(r) {
				was := slices.Clone(l.words)
				for s := uint64(0); l.at(s) < uint64(len(was)); s++ { // invert a column
					if at := l.at(s) + uint64(column); at < l.at(s+1) {
						l.words[at] = ^l.words[at]
					}
				}
				var want []bool
				plainly(func() { want = each(f, nil, list) })
				require.Contains(t, want, false)
				require.Equal(t, want, f.ContainsAll(nil, list))
				require.Equal(t, want, each(f, nil, list))
				copy(l.words, was)
			}
			require.NotContains(t, f.ContainsAll(nil, list), false)
		}
	}
}
