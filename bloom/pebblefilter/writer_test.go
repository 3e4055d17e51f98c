package pebblefilter

import (
	"bytes"
	"errors"
	"runtime/debug"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
)

// A writer can be used for many filters, which it appends to dst. It does not
// retain keys. Equal keys in a row, which are versions of a key, count once.
func TestWriterCanBeReused(t *testing.T) {
	for name, p := range policies() {
		w, k := p.NewWriter(pebble.TableFilter), []byte(nil)
		for _, n := range []int{300, 0, 1, 2000, 10} {
			for i := range n {
				for range 1 + i%3 {
					k = append(k[:0], key(i)...)
					w.AddKey(k)
				}
			}
			dst := w.Finish([]byte("before"))
			require.Equal(t, "before", string(dst[:6]), name)
			require.Equal(t, filterOf(p, n), append([]byte(nil), dst[6:]...), name)
		}
		requireNoErrors(t, p)
	}
}

type failing struct{ builder }

var errBuild = errors.New("no filter today")

func (failing) build(dst []byte, _ []hashfam.Digest) ([]byte, error) {
	return append(dst, "half of it"...), errBuild
}

func TestFailedBuildLeavesOutTheFilter(t *testing.T) {
	p := newPolicy("static", secret, mustStatic(0.01).frames, failing{})
	w := p.NewWriter(pebble.TableFilter)
	for i := range 100 {
		w.AddKey(key(i))
	}
	require.Equal(t, "before", string(w.Finish([]byte("before"))))
	n, last := p.Errors()
	require.EqualValues(t, 1, n)
	require.Equal(t, errBuild, last)
	require.Empty(t, w.Finish(nil), "the keys of the table are gone")
}

// Writers reuse the memory for digests. Without the pool, a table of 5,000 keys
// would need more than 15 allocations. The limit is higher than necessary,
// since the race detector drops a quarter of the slices. There are no garbage
// collections, which would empty the pool.
func TestMemoryOfWritersIsPooled(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	p := newPolicy("static", secret, mustStatic(0.01).frames, failing{})
	k, dst := key(7), make([]byte, 0, 100)
	require.Less(t, testing.AllocsPerRun(100, func() {
		w := p.NewWriter(pebble.TableFilter)
		for i := range 5000 {
			k[0], k[1] = byte(i), byte(i>>8)
			w.AddKey(k)
		}
		w.Finish(dst)
	}), 12.)
}

// opened is a decoded filter.
type opened interface {
	UnmarshalBinary([]byte) error
	Contains(key []byte) bool
}

func receiver(p *Policy) opened {
	if _, ok := p.builder.(ribbons); ok {
		return static.NewReceiver(p.hash.Family())
	}
	return bloom.NewReceiver(p.hash.Family())
}

// FuzzFilters uses the same writer to build several filters, and looks up all
// keys.
func FuzzFilters(f *testing.F) {
	f.Add([]byte("a,b,b,,c;;d;e,e"))
	f.Add(bytes.Repeat([]byte("key,"), 50))
	all := policies()
	f.Fuzz(func(t *testing.T, data []byte) {
		for name, p := range all {
			w := p.NewWriter(pebble.TableFilter)
			for table := range bytes.SplitSeq(data, []byte{';'}) {
				keys := bytes.Split(table, []byte{','})
				for _, k := range keys {
					w.AddKey(k)
				}
				filter := w.Finish(nil)
				require.NoError(t, receiver(p).UnmarshalBinary(filter))
				for _, k := range keys {
					require.True(t, ask(p, filter, k), name)
				}
			}
			requireNoErrors(t, p)
		}
	})
}
