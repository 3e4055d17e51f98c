package filterbeam

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/hashfam"
)

// Every position of a key reaches the window that owns it, also in arrays of
// more than 2^32 cells.
func TestPositionsReachTheirWindows(t *testing.T) {
	for _, capacity := range []uint64{1000, 1e6, 1e9, 1e11} {
		for _, n := range []int{0, 1, 3, maxWindows} {
			for _, p := range []Plan{
				must(Bloom(bloom.Config{Capacity: capacity, FPRate: 0.01})),
				must(Bloom(bloom.Config{Capacity: capacity, FPRate: 0.01, Layout: bloom.Partitioned})),
				must(Counting(counting.Config{Capacity: capacity, FPRate: 0.01})),
			} {
				a := must(must(p.Windows(n)).spec.array())
				requireRouted(t, &a)
			}
		}
	}
}

// requireRouted checks where a sends the positions of some keys, and that the
// windows cover the payload.
func requireRouted(t *testing.T, a *array) {
	t.Helper()
	end := uint64(0)
	for w := range a.windows() {
		from, to := a.bytes(w)
		require.Equal(t, end, from)
		end = to
	}
	require.Equal(t, a.header.Payload, end)
	for key := range uint64(20) {
		d := hashfam.Family{}.SumUint64(key)
		var got []uint64
		to := newBlocks(a.windows(), nil)
		a.route(d, to)
		for w, block := range to.of {
			for data := block.data; len(data) > 0; data = data[4:] {
				got = append(got, uint64(w)*a.window+uint64(binary.LittleEndian.Uint32(data)))
			}
		}
		var want []uint64
		slice := uint64(0)
		for p := d.Probe(); len(want) < a.hashes; p = p.Next() {
			want = append(want, slice+p.In(a.span))
			slice += a.slice
		}
		require.ElementsMatch(t, want, got, "%d windows of %d cells", a.windows(), a.window)
	}
}
