package filterbeam

import (
	"bytes"
	"encoding/binary"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
)

// gathered returns the records that a design creates from bundles of keys, and
// the number of bytes that the bundles send.
func gathered(t *testing.T, d design, out string, bundles ...[][]byte) (records iter.Seq2[int, []byte], bytes int) {
	t.Helper()
	values := map[int][][]byte{}
	for _, keys := range bundles {
		c := must(d.collector(func(owner int, _ uint64, value []byte) {
			values[owner] = append(values[owner], value)
			bytes += len(value)
		}))
		for some := range slices.Chunk(keys, 1000) {
			require.NoError(t, c.add(hashfam.Family{}.SumAll(nil, some), some))
		}
		require.NoError(t, c.flush())
	}
	all := map[int][]byte{}
	for owner, some := range values {
		all[owner] = must(d.gather(t.Context(), out, owner, slices.Values(some)))
	}
	return maps.All(all), bytes
}

// finish writes the frame that a design creates from records.
func finish(t *testing.T, d design, out string, records iter.Seq2[int, []byte]) error {
	t.Helper()
	made, err := d.finish(t.Context(), records, &Summary{})
	require.NoError(t, err)
	_, err = replace(t.Context(), out, made)
	return err
}

// stages returns the frame that the stages of a design build from bundles of
// keys, and the number of bytes that the bundles send.
func stages(t *testing.T, p Plan, bundles ...[][]byte) ([]byte, int) {
	t.Helper()
	d, out := must(p.spec.design()), filepath.Join(t.TempDir(), "out.bin")
	records, n := gathered(t, d, out, bundles...)
	require.NoError(t, finish(t, d, out, records))
	return must(os.ReadFile(out)), n
}

// A damaged part is an error, and the output stays unchanged.
func TestDamagedPartsFail(t *testing.T) {
	d, out := must(must(bloomPlan(bloom.Blocked).Windows(3)).spec.design()), outputBefore(t)
	records, _ := gathered(t, d, out, testKeys(1000))
	part := must(decodeRecords[part](records, 3))[1]
	require.NoError(t, os.WriteFile(string(part.Name), make([]byte, part.Bytes), 0o600))
	require.ErrorIs(t, finish(t, d, out, records), ErrCorrupt)
	require.NoError(t, os.Truncate(string(part.Name), 8))
	require.ErrorIs(t, finish(t, d, out, records), io.ErrUnexpectedEOF)
	require.Equal(t, "before", string(must(os.ReadFile(out))))
}

// The error of a full cuckoo filter contains the number of keys.
func TestFullCuckooFiltersFail(t *testing.T) {
	p := must(Cuckoo(cuckoo.Config{Capacity: 1000, FPRate: 0.01}))
	require.ErrorContains(t, fails(t, p, writeKeys(t, t.TempDir(), testKeys(5000), 3)), "of 5000 different keys: raise its Capacity")
}

// For a small array, a bundle with few keys sends digests or positions, and a
// bundle with many keys sends a copy. For a large array, it always sends
// blocks. The frame is the same as a single process's.
func TestBundlesSendDigestsOrCopies(t *testing.T) {
	keys := testKeys(testCapacity)
	for _, test := range singles[:5] {
		want := test.frame(keys)
		p := must(test.plan.Windows(3))
		a := must(p.spec.array())
		few := 100*int(a.routedBytes()) + 10 // bytes of 100 keys

		frame, n := stages(t, p, keys[:100], keys[100:])
		require.Equal(t, want, frame, test.name)
		require.Less(t, n, int(a.header.Payload)+few)

		frame, n = stages(t, p, keys[:testCapacity/2], keys[testCapacity/2:])
		require.Equal(t, want, frame, test.name)
		require.LessOrEqual(t, n, 2*int(a.header.Payload)+10)

		_, n = stages(t, p, keys[:100])
		require.Less(t, n, few, test.name)
	}
	c := bloom.Config{Capacity: 15_000_000, FPRate: 0.01, Layout: bloom.Blocked}
	frame, n := stages(t, must(must(Bloom(c)).Windows(2)), keys)
	require.InDelta(t, 8*len(keys), n, 100)
	require.True(t, bytes.Equal(frameOf(bloom.New, c)(keys), frame))
}

// A bundle with many keys sends its counts several times, but each count once.
func TestBundlesSendEachCountOnce(t *testing.T) {
	keys := testKeys(2*maxCounted + 1000)
	frame, _ := stages(t, topkPlan, keys)
	total, _ := highs(t, topkPlan, frame)
	require.EqualValues(t, len(keys), total)
}

// A value must be a block or a copy of the window.
func TestDamagedValuesOfAWindowFail(t *testing.T) {
	d := must(must(must(Counting(counting.Config{Capacity: 1000, FPRate: 0.01})).Windows(3)).spec.design())
	for _, bad := range [][]byte{{}, {0}, {0, 0, 0, copyValue}} {
		_, err := d.gather(t.Context(), filepath.Join(t.TempDir(), "out.bin"), 0, slices.Values([][]byte{bad}))
		require.ErrorIs(t, err, ErrCorrupt)
	}
}

// Every position of a key reaches the window that owns it, even in arrays of
// more than 2^32 cells, and the windows cover the payload.
func TestPositionsReachTheirWindows(t *testing.T) {
	for _, capacity := range []uint64{1000, 1e6, 1e9, 1e11} {
		for _, n := range []int{0, 1, 3, maxTasks} {
			for _, p := range []Plan{
				must(Bloom(bloom.Config{Capacity: capacity, FPRate: 0.01})),
				must(Bloom(bloom.Config{Capacity: capacity, FPRate: 0.01, Layout: bloom.Partitioned})),
				must(Counting(counting.Config{Capacity: capacity, FPRate: 0.01})),
			} {
				a := must(must(p.Windows(n)).spec.array())
				end := uint64(0)
				for w := range a.windows() {
					from, to := a.bytes(w)
					require.Equal(t, end, from)
					end = to
				}
				require.Equal(t, a.header.Payload, end)
				requireRouted(t, &a)
			}
		}
	}
}

// requireRouted checks where a sends the positions of some keys.
func requireRouted(t *testing.T, a *array) {
	t.Helper()
	for key := range uint64(20) {
		d := hashfam.Family{}.SumUint64(key)
		var got, want []uint64
		to := newBlocks(a.windows(), nil)
		a.route([]hashfam.Digest{d}, to)
		for w, block := range to.of {
			for data := block.data; len(data) > 0; data = data[4:] {
				got = append(got, uint64(w)*a.window+uint64(binary.LittleEndian.Uint32(data)))
			}
		}
		for p := d.Probe(); len(want) < a.Hashes; p = p.Next() {
			want = append(want, uint64(len(want))*a.slice+p.In(a.span))
		}
		require.ElementsMatch(t, want, got, "%d windows of %d cells", a.windows(), a.window)
	}
}
