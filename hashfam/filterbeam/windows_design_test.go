package filterbeam

import (
	"bytes"
	"encoding/binary"
	"iter"
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

// all returns records that were read without an error.
func all(records []record) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// gathered returns the records of all owners.
func gathered(t *testing.T, d design, out string, values parcel) []record {
	t.Helper()
	var records []record
	for owner, some := range values {
		value, err := d.gather(t.Context(), out, owner, slices.Values(some))
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
	require.NoError(t, d.finish(t.Context(), out, all(records), &Summary{}))
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
		few := 100*int(a.routedBytes()) + 10 // bytes of 100 keys

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
	require.Greater(t, a.header.Payload, uint64(copyLimit))
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
		n, err := 0, error(nil)
		for range pieces(t.Context(), parts, &err) {
			if n++; n > most {
				break
			}
		}
		require.NoError(t, err)
		require.Equal(t, most+1, n)
	}
}

// Every position of a key reaches the window that owns it, also in arrays of
// more than 2^32 cells.
func TestPositionsReachTheirWindows(t *testing.T) {
	for _, capacity := range []uint64{1000, 1e6, 1e9, 1e11} {
		for _, n := range []int{0, 1, 3, maxTasks} {
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
		a.route([]hashfam.Digest{d}, to)
		for w, block := range to.of {
			for data := block.data; len(data) > 0; data = data[4:] {
				got = append(got, uint64(w)*a.window+uint64(binary.LittleEndian.Uint32(data)))
			}
		}
		var want []uint64
		slice := uint64(0)
		for p := d.Probe(); len(want) < a.Hashes; p = p.Next() {
			want = append(want, slice+p.In(a.span))
			slice += a.slice
		}
		require.ElementsMatch(t, want, got, "%d windows of %d cells", a.windows(), a.window)
	}
}
