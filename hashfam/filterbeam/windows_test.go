package filterbeam

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/hashfam"
)

// A parcel is what bundles have sent to an owner.
type parcel map[int][][]byte

// bytes returns the number of bytes of all values.
func (p parcel) bytes() (n int) {
	for _, values := range p {
		for _, value := range values {
			n += len(value)
		}
	}
	return n
}

// sent returns what bundles of some keys send.
func sent(t *testing.T, d design, bundles ...[][]byte) parcel {
	t.Helper()
	values := parcel{}
	for _, keys := range bundles {
		c := must(d.collector(func(owner int, _ uint64, value []byte) { values[owner] = append(values[owner], value) }))
		for some := range slices.Chunk(keys, 1000) {
			require.NoError(t, c.add(hashfam.Family{}.SumAll(nil, some), some))
		}
		require.NoError(t, c.flush())
	}
	return values
}

// gathered returns the records of all owners.
func gathered(t *testing.T, d design, out string, all parcel) []record {
	t.Helper()
	var records []record
	for owner, values := range all {
		value, err := d.gather(t.Context(), out, owner, slices.Values(values))
		require.NoError(t, err)
		records = append(records, record{owner, value})
	}
	return records
}

// stages builds a filter of the keys of some bundles, stage by stage, and
// returns its frame and the number of bytes that the bundles sent.
func stages(t *testing.T, p Plan, out string, bundles ...[][]byte) ([]byte, int) {
	t.Helper()
	d := must(p.spec.design())
	values := sent(t, d, bundles...)
	records := gathered(t, d, out, values)
	require.NoError(t, d.finish(t.Context(), out, certain(slices.Values(records)), &Summary{}))
	return must(os.ReadFile(out)), values.bytes()
}

// A small array gets digests from a bundle with few keys and a copy from one
// with many; the frame is that of a single process.
func TestBundlesSendDigestsOrCopies(t *testing.T) {
	keys, out := testKeys(testCapacity), filepath.Join(t.TempDir(), "out.bin")
	for _, test := range singles[:5] {
		want := test.frame(keys)
		p := must(test.plan.Windows(3))
		a := must(p.spec.array())
		few := 100*int(windows{p.spec, a}.routedBytes()) + 10 // bytes of 100 keys

		frame, n := stages(t, p, out, keys[:100], keys[100:])
		require.Equal(t, want, frame, test.name)
		require.Less(t, n, int(a.header.Payload)+few)

		frame, n = stages(t, p, out, keys[:testCapacity/2], keys[testCapacity/2:])
		require.Equal(t, want, frame, test.name)
		require.LessOrEqual(t, n, 2*int(a.header.Payload)+10)

		_, n = stages(t, p, out, keys[:100])
		require.Less(t, n, few, test.name)
	}
}

// A bundle never has a copy of a large array: it sends blocks.
func TestLargeArraysGetBlocks(t *testing.T) {
	c := bloom.Config{Capacity: 15_000_000, FPRate: 0.01, Layout: bloom.Blocked}
	p := must(must(Bloom(c)).Windows(2))
	a := must(p.spec.array())
	require.False(t, a.copied())
	keys := testKeys(50_000)
	frame, n := stages(t, p, filepath.Join(t.TempDir(), "out.bin"), keys)
	require.Greater(t, n, 8*len(keys))
	require.Less(t, n, 8*len(keys)+100)
	require.True(t, bytes.Equal(frameOf(bloom.New, c)(keys), frame))
}

// A value that is neither a block nor a copy of the window is an error.
func TestADamagedValueOfAWindow(t *testing.T) {
	d := must(must(must(Counting(counting.Config{Capacity: 1000, FPRate: 0.01})).Windows(3)).spec.design())
	for _, bad := range [][]byte{{}, {0}, {0, 0, 0, copyValue}} {
		_, err := d.gather(t.Context(), filepath.Join(t.TempDir(), "out.bin"), 0, slices.Values([][]byte{bad}))
		require.ErrorIs(t, err, ErrCorrupt)
	}
}

// The payload ends when its reader does, as it does when the file cannot be
// written. The frame's error is then that of the file.
func TestPiecesEndWithTheirReader(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.bin")
	parts := []part{{Bytes: 8}, must(writeWords(t.Context(), out, []uint64{1})), must(writeWords(t.Context(), out, []uint64{2, 3})), {Bytes: 16}}
	for most := range parts {
		n := 0
		for _, err := range pieces(t.Context(), parts) {
			require.NoError(t, err)
			if n++; n > most {
				break
			}
		}
		require.Equal(t, most+1, n)
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
