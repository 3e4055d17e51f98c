package counting

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

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
		if got := f.counters.at(uint64(i)); got != uint64(c) {
			require.EqualValues(t, c, got, "counter %d", i)
		}
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
