package counting

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
)

var layouts = []Layout{Classic, Blocked}

// drawParams draws the parameters of a small filter of either layout. Often it
// is so small that positions of a key coincide and counters saturate.
func drawParams(t *rapid.T) Params {
	p := Params{
		Counters: uint64(rapid.OneOf(rapid.IntRange(1, 20), rapid.IntRange(1, 3000)).Draw(t, "counters")),
		Hashes:   rapid.OneOf(rapid.IntRange(1, 8), rapid.IntRange(1, 40)).Draw(t, "hashes"),
		Layout:   rapid.SampledFrom(layouts).Draw(t, "layout"),
		Family:   hashfam.Family{}.Derive(rapid.StringN(0, 3, -1).Draw(t, "family")),
	}
	if p.Layout == Blocked {
		p.Counters = 512 * (1 + p.Counters%5)
	}
	return p
}

func mustNew(t require.TestingT, p Params) *Filter {
	f, err := NewFromParams(p)
	require.NoError(t, err)
	return f
}

// A model is a simple form of a filter: a multiset of keys, and a saturating
// int for each counter. It knows the positions of keys, but neither words nor
// nibbles.
type model struct {
	p        Params
	copies   map[string]int
	counters []int
}

func newModel(p Params) *model {
	return &model{p, map[string]int{}, make([]int, p.Counters)}
}

// positions returns the number of times that each counter is a position of key.
func (m *model) positions(key string) map[uint64]int {
	times, p := map[uint64]int{}, m.p.Family.SumString(key).Probe()
	base, size := uint64(0), m.p.Counters
	if m.p.Layout == Blocked {
		base, size = 512*hashfam.Reduce(uint64(p), m.p.Counters/512), 512
		p = p.Next()
	}
	for range m.p.Hashes {
		times[base+hashfam.Reduce(uint64(p), size)]++
		p = p.Next()
	}
	return times
}

func (m *model) add(key string) {
	m.copies[key]++
	for i, times := range m.positions(key) {
		m.counters[i] = min(15, m.counters[i]+times)
	}
}

// visible reports whether the counters can contain a copy of key.
func (m *model) visible(key string) bool {
	for i, times := range m.positions(key) {
		if m.counters[i] < min(times, 15) {
			return false
		}
	}
	return true
}

// delete removes a copy of a visible key, whether it is a member or not.
func (m *model) delete(key string) {
	m.copies[key]--
	for i, times := range m.positions(key) {
		if m.counters[i] < 15 {
			m.counters[i] -= times
		}
	}
}

// count is the smallest counter of key.
func (m *model) count(key string) int {
	least := 15
	for i := range m.positions(key) {
		least = min(least, m.counters[i])
	}
	return least
}

func (m *model) clone() *model {
	c := newModel(m.p)
	copy(c.counters, m.counters)
	for key, n := range m.copies {
		c.copies[key] = n
	}
	return c
}

func (m *model) merge(o *model) {
	for i, c := range o.counters {
		m.counters[i] = min(15, m.counters[i]+c)
	}
	for key, n := range o.copies {
		m.copies[key] += n
	}
}

// check compares every answer of f with the model's.
func (m *model) check(t require.TestingT, f *Filter) {
	inUse, stuck := 0, 0
	for i, c := range m.counters {
		require.EqualValues(t, c, f.counters.at(uint64(i)), "counter %d", i)
		if c > 0 {
			inUse++
		}
		if c == 15 {
			stuck++
		}
	}
	require.EqualValues(t, stuck, f.Stuck())
	require.Equal(t, float64(inUse)/float64(len(m.counters)), f.FillRatio())
	for key := range m.copies {
		require.EqualValues(t, m.count(key), f.CountString(key))
		require.Equal(t, m.count(key) > 0, f.ContainsString(key))
	}
}

// checkMembers checks that no member is lost. It must hold as long as only
// members were deleted.
func (m *model) checkMembers(t require.TestingT, f *Filter) {
	for key, n := range m.copies {
		require.GreaterOrEqual(t, f.CountString(key), uint64(min(n, 15)), "copies of %q", key)
		require.True(t, n == 0 || f.ContainsString(key), "lost %q", key)
	}
}

// multiset applies any sequence of operations to a filter and a model. Members
// may be lost after a delete of a visible key that is not a member; the model
// then says which.
func multiset(t *rapid.T) {
	p := drawParams(t)
	f, m := mustNew(t, p), newModel(p)
	legal := true
	key := rapid.Map(rapid.IntRange(0, 30), func(i int) string { return fmt.Sprint(i) })
	fill := func(t *rapid.T) (*Filter, *model) {
		g, n := mustNew(t, p), newModel(p)
		for _, k := range rapid.SliceOfN(key, 0, 20).Draw(t, "keys") {
			g.AddString(k)
			n.add(k)
		}
		return g, n
	}
	delete := func(k string, did bool, before *Filter) {
		require.Equal(t, m.visible(k), did)
		if !did {
			require.True(t, f.Equal(before), "a failed delete changed the filter")
			require.True(t, !legal || m.copies[k] == 0, "deleting a member failed")
			return
		}
		legal = legal && m.copies[k] > 0
		m.delete(k)
	}
	t.Repeat(map[string]func(*rapid.T){
		"add": func(t *rapid.T) {
			k := key.Draw(t, "key")
			for range rapid.IntRange(1, 17).Draw(t, "copies") {
				f.AddString(k)
				m.add(k)
			}
		},
		"add absent": func(t *rapid.T) {
			k := key.Draw(t, "key")
			before := f.Clone()
			if f.ContainsOrAddString(k) {
				require.True(t, f.Equal(before))
				return
			}
			m.add(k)
		},
		"delete a member": func(t *rapid.T) {
			k := key.Draw(t, "key")
			for n := rapid.IntRange(1, 20).Draw(t, "copies"); n > 0 && m.copies[k] > 0; n-- {
				before := f.Clone()
				delete(k, f.DeleteString(k), before)
			}
		},
		"delete a key that is not visible": func(t *rapid.T) {
			if k := key.Draw(t, "key"); !m.visible(k) {
				before := f.Clone()
				delete(k, f.DeleteDigest(p.Family.SumString(k)), before)
			}
		},
		"delete any key": func(t *rapid.T) {
			if rapid.IntRange(0, 9).Draw(t, "rarely") > 0 {
				return
			}
			k := key.Draw(t, "key")
			before := f.Clone()
			delete(k, f.Delete([]byte(k)), before)
		},
		"merge": func(t *rapid.T) {
			g, n := fill(t)
			require.NoError(t, f.Merge(g))
			m.merge(n)
			n.check(t, g)
		},
		"clone": func(t *rapid.T) {
			original, saved := f, m.clone()
			f = f.Clone()
			k := key.Draw(t, "key")
			f.AddString(k)
			m.add(k)
			saved.check(t, original)
		},
		"round trip": func(t *rapid.T) {
			b, err := f.MarshalBinary()
			require.NoError(t, err)
			f = NewReceiver(p.Family)
			_, err = f.ReadFrom(bytes.NewReader(b))
			require.NoError(t, err)
		},
		"": func(t *rapid.T) {
			m.check(t, f)
			if legal {
				m.checkMembers(t, f)
			}
		},
	})
}

func TestAFilterIsASaturatingMultiset(t *testing.T) { rapid.Check(t, multiset) }

// Bloom returns, bit for bit, the filter that package bloom builds from the
// remaining keys, plus the bits of stuck counters.
func TestBloomReturnsTheFilterOfTheRemainingKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		f := mustNew(t, p)
		want, err := bloom.NewFromParams(bloom.Params{Bits: p.Counters, Hashes: p.Hashes, Layout: p.Layout, Family: p.Family})
		require.NoError(t, err)
		n := rapid.IntRange(0, 100).Draw(t, "n")
		for i := range n {
			f.AddDigest(p.Family.SumUint64(uint64(i)))
		}
		for i := range n {
			d := p.Family.SumUint64(uint64(i))
			if rapid.Bool().Draw(t, "keep") {
				want.AddDigest(d)
			} else {
				require.True(t, f.DeleteDigest(d))
			}
		}
		got := f.Bloom()
		if f.Stuck() > 0 {
			words := make([]uint64, (p.Counters+63)/64)
			for i := range p.Counters {
				if f.counters.at(i) == 15 {
					words[i/64] |= 1 << (i % 64)
				}
			}
			kept, err := bloom.FromWords(got.Params(), words)
			require.NoError(t, err)
			require.NoError(t, want.Merge(kept))
		}
		require.True(t, got.Equal(want))
		require.InDelta(t, f.FillRatio(), got.FillRatio(), 1e-12)
		require.InDelta(t, f.FalsePositiveRate(), got.FalsePositiveRate(), 1e-12)
		require.Equal(t, got.EstimatedLen(), f.EstimatedLen())
		for i := range 2 * n {
			d := p.Family.SumUint64(uint64(i))
			require.Equal(t, f.ContainsDigest(d), got.ContainsDigest(d))
		}
		clone := f.Clone()
		got.AddString("the projection shares no memory")
		require.True(t, f.Equal(clone))
	})
}

func TestBloomEqualsTheFilterOfTheSameConfig(t *testing.T) {
	for _, n := range []uint64{1, 7, 1000, 100_003} {
		for _, rate := range []float64{0.3, 0.01, 1e-6} {
			for _, layout := range layouts {
				f, err := New(Config{Capacity: n, FPRate: rate, Layout: layout})
				require.NoError(t, err)
				g, err := bloom.New(bloom.Config{Capacity: n, FPRate: rate, Layout: layout})
				require.NoError(t, err)
				for i := range n {
					d := hashfam.Family{}.SumUint64(i)
					f.AddDigest(d)
					g.AddDigest(d)
				}
				require.True(t, f.Bloom().Equal(g))
				require.Zero(t, f.Stuck())
			}
		}
	}
}
