package filterbeam

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
)

// stages builds a filter of the keys of some bundles, stage by stage, and
// returns its frame and the number of bytes that the bundles sent.
func stages(t *testing.T, p Plan, bundles ...[][]byte) (frame []byte, sent int) {
	t.Helper()
	d, err := p.spec.design()
	require.NoError(t, err)
	values := map[int][][]byte{}
	send := func(owner int, _ uint64, value []byte) {
		values[owner] = append(values[owner], value)
		sent += len(value)
	}
	for _, keys := range bundles {
		c, err := d.collector()
		require.NoError(t, err)
		for first := 0; first < len(keys); first += 1000 {
			require.NoError(t, c.addKeys(keys[first:min(first+1000, len(keys))], send))
		}
		require.NoError(t, c.flush(send))
	}
	ctx, out := context.Background(), filepath.Join(t.TempDir(), "out.bin")
	var records [][]byte
	for owner, values := range values {
		record, err := d.gather(ctx, out, owner, sequence(values))
		require.NoError(t, err)
		records = append(records, record)
	}
	require.NoError(t, d.finish(ctx, out, certain(sequence(records)), &Summary{}))
	frame, err = os.ReadFile(out)
	require.NoError(t, err)
	return frame, sent
}

// A small array gets digests from a bundle with few keys and a copy from one
// with many; the frame is that of a single process.
func TestBundlesSendDigestsOrCopies(t *testing.T) {
	keys := testKeys(testCapacity)
	for _, test := range singles[:5] {
		want, err := test.frame(keys)
		require.NoError(t, err)
		p, err := test.plan()
		require.NoError(t, err)
		p, err = p.Windows(3)
		require.NoError(t, err)
		a, err := p.spec.array()
		require.NoError(t, err)

		frame, sent := stages(t, p, keys[:100], keys[100:])
		require.Equal(t, want, frame, test.name)
		require.Less(t, sent, int(a.header.Payload)+100*int(windows{p.spec, a}.routedBytes())+10)

		frame, sent = stages(t, p, keys[:testCapacity/2], keys[testCapacity/2:])
		require.Equal(t, want, frame, test.name)
		require.LessOrEqual(t, sent, 2*int(a.header.Payload)+10)

		_, sent = stages(t, p, keys[:100])
		require.Less(t, sent, 100*int(windows{p.spec, a}.routedBytes())+10, test.name)
	}
}

// A bundle never has a copy of a large array: it sends blocks.
func TestLargeArraysGetBlocks(t *testing.T) {
	const capacity = 15_000_000
	p, err := Bloom(bloom.Config{Capacity: capacity, FPRate: 0.01, Layout: bloom.Blocked})
	require.NoError(t, err)
	p, err = p.Windows(2)
	require.NoError(t, err)
	a, err := p.spec.array()
	require.NoError(t, err)
	require.False(t, a.copied())
	keys := testKeys(50_000)
	frame, sent := stages(t, p, keys)
	require.Greater(t, sent, 8*len(keys))
	require.Less(t, sent, 8*len(keys)+100)
	want, err := bloom.New(bloom.Config{Capacity: capacity, FPRate: 0.01, Layout: bloom.Blocked})
	require.NoError(t, err)
	want.AddAll(want.Family().SumAll(nil, keys))
	var got bloom.Filter
	require.NoError(t, got.UnmarshalBinary(frame))
	require.True(t, want.Equal(&got))
}

// A value that is neither a block nor a copy of the window is an error.
func TestADamagedValueOfAWindow(t *testing.T) {
	p, err := Counting(counting.Config{Capacity: 1000, FPRate: 0.01})
	require.NoError(t, err)
	p, err = p.Windows(3)
	require.NoError(t, err)
	d, err := p.spec.design()
	require.NoError(t, err)
	out := filepath.Join(t.TempDir(), "out.bin")
	for _, bad := range [][]byte{{}, {0}, {0, 0, 0, copyValue}} {
		_, err := d.gather(context.Background(), out, 0, sequence([][]byte{bad}))
		require.ErrorIs(t, err, ErrCorrupt)
	}
}

// The payload ends when its reader does, as it does when the file cannot be
// written. The frame's error is then that of the file.
func TestAnArrayThatCannotBeWritten(t *testing.T) {
	p, err := Bloom(bloom.Config{Capacity: testCapacity, FPRate: 0.01, Layout: bloom.Blocked})
	require.NoError(t, err)
	p, err = p.Windows(5)
	require.NoError(t, err)
	a, err := p.spec.array()
	require.NoError(t, err)
	w := windows{p.spec, a}
	out := filepath.Join(t.TempDir(), "out.bin")
	parts := map[int]part{}
	for owner := range 6 { // the first pass has no parts, only zeros
		for most := range a.windows() {
			n := 0
			err := w.payload(t.Context(), parts, func([]byte) bool {
				n++
				return n <= most
			})
			require.NoError(t, err)
			require.Equal(t, most+1, n, "%d parts", len(parts))
		}
		if owner < a.windows() {
			from, to := a.bytes(owner)
			parts[owner], err = newPart(t.Context(), out, owner, make([]uint64, (to-from)/8))
			require.NoError(t, err)
		}
	}
}

// sumCounters adds 16 counters as increments do.
func TestSumOfCounters(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		x, y := r.Uint64(), r.Uint64()
		want := []uint64{x}
		for i := range uint64(16) {
			for range y >> (4 * i) & 15 {
				increment(want, i)
			}
		}
		require.Equal(t, want[0], sumCounters(x, y), "%x + %x", x, y)
	}
}
