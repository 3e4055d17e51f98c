package pebblefilter

import (
	"fmt"
	"math"
	"reflect"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
)

// secret is a keyed family.
var secret = hashfam.New(hashfam.Key{1, 2, 3})

func mustStatic(rate float64) *Policy {
	p, err := Static(rate)
	if err != nil {
		panic(err)
	}
	return p
}

func mustBloom(l bloom.Layout, rate float64) *Policy {
	p, err := Bloom(l, rate)
	if err != nil {
		panic(err)
	}
	return p
}

// policies returns policies of all kinds by their names in tests.
func policies() map[string]*Policy {
	return map[string]*Policy{
		"static":       mustStatic(0.01),
		"static keyed": mustStatic(0.001).WithFamily(secret),
		"classic":      mustBloom(bloom.Classic, 0.01),
		"partitioned":  mustBloom(bloom.Partitioned, 0.02),
		"blocked":      mustBloom(bloom.Blocked, 0.01),
		"bloom keyed":  mustBloom(bloom.Blocked, 0.05).WithFamily(secret),
	}
}

// key returns the ith key.
func key(i int) []byte { return fmt.Appendf(nil, "key-%08d", i) }

// filterOf returns p's filter of the first n keys.
func filterOf(p pebble.FilterPolicy, n int) []byte {
	w := p.NewWriter(pebble.TableFilter)
	for i := range n {
		w.AddKey(key(i))
	}
	return w.Finish(nil)
}

func ask(p pebble.FilterPolicy, filter, key []byte) bool {
	return p.MayContain(pebble.TableFilter, filter, key)
}

func requireNoErrors(t *testing.T, p *Policy) {
	t.Helper()
	n, last := p.Errors()
	require.NoError(t, last)
	require.Zero(t, n)
}

func TestInvalidRatesAndLayoutsAreErrors(t *testing.T) {
	for _, rate := range []float64{0, 1, -1, 2, math.NaN(), math.Inf(1), 1e-13} {
		_, err := Static(rate)
		var field *hashfam.FieldError
		require.ErrorAs(t, err, &field)
		require.Equal(t, "Config.FPRate", field.Field)
		_, err = Bloom(bloom.Blocked, rate)
		require.ErrorIs(t, err, hashfam.ErrParams)
	}
	_, err := Static(1e-10)
	require.ErrorIs(t, err, hashfam.ErrParams)
	_, err = Bloom(3, 0.01)
	require.ErrorIs(t, err, hashfam.ErrParams)

	_, err = Static(0x1p-32 + 0x1.1p-40)
	require.NoError(t, err)
	_, err = Bloom(bloom.Classic, 1.000001*0x1p-40)
	require.NoError(t, err)
	_, err = Bloom(bloom.Blocked, math.Nextafter(0x1p-40, 1))
	require.NoError(t, err)
}

// The fields of a policy and its writers contain the key of WithFamily.
func TestNothingPrintsTheKey(t *testing.T) {
	p := mustStatic(0.01).WithFamily(hashfam.New(hashfam.Key{0, 1, 2, 3, 4, 5, 6, 7}))
	w := p.NewWriter(pebble.TableFilter)
	for _, v := range []any{p, reflect.ValueOf(p).Elem().Interface(), w, []any{p, w}, struct{ P *Policy }{p}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%x", "%s", "%q"} {
			out := fmt.Sprintf(verb, v)
			for _, half := range []string{"%d", "%x"} {
				require.NotContains(t, out, fmt.Sprintf(half, uint64(0x0706050403020100)), "%s of %T", verb, v)
			}
		}
	}
}

// These names must not change, because existing databases contain them.
func TestPolicyNamesDoNotChange(t *testing.T) {
	public, keyed := hashfam.Family{}.CheckValue(), secret.CheckValue()
	for name, want := range map[string]string{
		"static":       fmt.Sprintf("filterfam.static.v1.%016x", public),
		"static keyed": fmt.Sprintf("filterfam.static.v1.%016x", keyed),
		"blocked":      fmt.Sprintf("filterfam.bloom.v1.%016x", public),
		"bloom keyed":  fmt.Sprintf("filterfam.bloom.v1.%016x", keyed),
	} {
		p := policies()[name]
		require.Equal(t, want, p.Name())
		require.Equal(t, want, p.String())
	}
	require.Equal(t, "filterfam.static.v1.925fb7cf74fec682", mustStatic(0.5).Name())
	require.Equal(t, mustBloom(bloom.Blocked, 0.1).Name(), mustBloom(bloom.Classic, 0.2).Name())
}

// WithFamily must not change the original policy.
func TestWithFamilyDoesNotChangeThePolicy(t *testing.T) {
	for name, p := range policies() {
		before := filterOf(p, 100)
		other := p.WithFamily(hashfam.Random())
		require.Equal(t, before, filterOf(p, 100), name)
		require.Equal(t, before, filterOf(other.WithFamily(p.hash.Family()), 100), name)
		require.NotEqual(t, p.Name(), other.Name())
	}
}

// If a filter is damaged, or has another kind or family, every key may be in
// the table, and the error should be counted. A table without keys has no
// filter.
func TestUnreadableFiltersMayContainEveryKey(t *testing.T) {
	good := filterOf(mustStatic(0.01), 1000)
	for name, c := range map[string]struct {
		filter []byte
		err    error
	}{
		"short":     {good[:len(good)/2], hashfam.ErrCorrupt},
		"one byte":  {good[:1], hashfam.ErrCorrupt},
		"Pebble's":  {filterOf(pebbles, 1000), hashfam.ErrCorrupt},
		"a Bloom":   {filterOf(mustBloom(bloom.Blocked, 0.01), 1000), hashfam.ErrCorrupt},
		"other key": {filterOf(mustStatic(0.01).WithFamily(secret), 1000), hashfam.ErrFamily},
	} {
		p := mustStatic(0.1)
		for i := range 300 {
			require.True(t, ask(p, c.filter, key(i)), name)
		}
		require.True(t, ask(p, good, key(1)))
		require.Empty(t, filterOf(p, 0))
		require.True(t, ask(p, nil, key(0)))
		n, last := p.Errors()
		require.EqualValues(t, 300, n, name)
		require.ErrorIs(t, last, c.err, name)
	}
}

func TestQueriesDoNotAllocate(t *testing.T) {
	for name, p := range policies() {
		filter, k := filterOf(p, 5000)[:], key(12)
		unaligned := append(make([]byte, 1, len(filter)+1), filter...)[1:]
		for _, f := range [][]byte{filter, unaligned} {
			require.Zero(t, testing.AllocsPerRun(100, func() {
				k[5]++ // so that absent keys are also used
				ask(p, f, k)
			}), name)
		}
		requireNoErrors(t, p)
	}
}

// Several goroutines use the same policy to write and query filters.
func TestPoliciesCanBeUsedConcurrently(t *testing.T) {
	for _, p := range policies() {
		shared := filterOf(p, 2000)
		var group sync.WaitGroup
		for g := range 4 {
			group.Go(func() {
				own := filterOf(p, 500*(g+1))
				for i := range 500 * (g + 1) {
					assert.True(t, ask(p, shared, key(i)) && ask(p, own, key(i)))
				}
				ask(p, own[:50], key(0))
			})
		}
		group.Wait()
		n, last := p.Errors()
		require.EqualValues(t, 4, n)
		require.ErrorIs(t, last, hashfam.ErrCorrupt)
	}
}

// Filters have the same encoding as in the packages that implement them.
func TestFiltersAreFrames(t *testing.T) {
	var digests []hashfam.Digest
	for i := range 1000 {
		digests = append(digests, hashfam.Family{}.Sum(key(i)))
	}
	want, err := bloom.AppendFrame(nil, bloom.Config{FPRate: 0.01, Layout: bloom.Blocked}, digests)
	require.NoError(t, err)
	require.Equal(t, want, filterOf(mustBloom(bloom.Blocked, 0.01), len(digests)))
	want, err = static.AppendFrame(t.Context(), nil, static.Config{FPRate: 0.01}, digests)
	require.NoError(t, err)
	require.Equal(t, want, filterOf(mustStatic(0.01), len(digests)))
}
