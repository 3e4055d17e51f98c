package filterbeam

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/cuckoo"
)

// fails runs a job that must fail, and returns the error. The output stays as
// it was, and nothing is left beside it.
func fails(t *testing.T, p Plan, patterns ...string) error {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.bin")
	require.NoError(t, os.WriteFile(out, []byte("before"), 0o600))
	pipeline, s := beam.NewPipelineWithRoot()
	Files(s, p, out, patterns...)
	err := ptest.Run(pipeline)
	require.Error(t, err)
	text, readErr := os.ReadFile(out)
	require.NoError(t, readErr)
	require.Equal(t, "before", string(text))
	return err
}

func TestAPatternThatMatchesNothingFails(t *testing.T) {
	p, err := Bloom(bloomConfig(bloom.Classic))
	require.NoError(t, err)
	require.ErrorContains(t, fails(t, p, filepath.Join(t.TempDir(), "*.txt")), "one that matches a file")
	require.ErrorContains(t, fails(t, Plan{}, writeKeys(t, t.TempDir(), testKeys(10), 1)), "the zero Plan")
}

// More keys than a cuckoo filter takes are an error that says how many.
func TestAFullCuckooFilterFails(t *testing.T) {
	p, err := Cuckoo(cuckoo.Config{Capacity: 1000, FPRate: 0.01})
	require.NoError(t, err)
	require.ErrorContains(t, fails(t, p, writeKeys(t, t.TempDir(), testKeys(5000), 3)), "of 5000 different keys: raise its Capacity")
}

// A line that never ends is an error, not a huge allocation.
func TestALineThatIsTooLongFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys.txt")
	require.NoError(t, os.WriteFile(file, make([]byte, maxLine+1), 0o600))
	p, err := Bloom(bloomConfig(bloom.Classic))
	require.NoError(t, err)
	require.ErrorContains(t, fails(t, p, file), "has more than 16777216 bytes")
}

// A bundle that fails leaves nothing for the next one: the engine may call the
// same DoFn again.
func TestABundleThatFailedLeavesNothing(t *testing.T) {
	for _, n := range []int{0, 7} {
		p, err := Bloom(bloomConfig(bloom.Blocked))
		require.NoError(t, err)
		p, err = p.Windows(n)
		require.NoError(t, err)
		f := &keyFn[string]{elements{bundle: bundle{Spec: p.spec}}}
		ctx := context.Background()
		drop := func(int, []byte) {}
		f.StartBundle(drop)
		for range batchKeys + 10 {
			require.NoError(t, f.ProcessElement(ctx, "of the failed bundle", drop))
		}
		var sent [][]byte
		keep := func(owner int, value []byte) {
			if owner != tallyOwner {
				sent = append(sent, value[:len(value)-itemBytes])
			}
		}
		f.StartBundle(keep)
		require.NoError(t, f.ProcessElement(ctx, "of the next bundle", keep))
		require.NoError(t, f.FinishBundle(ctx, keep))
		require.Len(t, sent, 1)
		if n > 0 {
			require.Len(t, sent[0], 8+1, "one digest and the kind of the value")
		} else {
			var g bloom.Filter
			require.NoError(t, g.UnmarshalBinary(sent[0]))
			require.True(t, g.ContainsString("of the next bundle"))
			require.False(t, g.ContainsString("of the failed bundle"))
		}
	}
}

// A stage that runs twice writes the same frame again, and a damaged part is an
// error.
func TestStagesCanBeRepeated(t *testing.T) {
	p, err := Bloom(bloomConfig(bloom.Blocked))
	require.NoError(t, err)
	p, err = p.Windows(3)
	require.NoError(t, err)
	d, err := p.spec.design()
	require.NoError(t, err)
	keys := testKeys(1000)
	blocks := map[int][][]byte{}
	c, err := d.collector()
	require.NoError(t, err)
	keep := func(owner int, _ uint64, value []byte) { blocks[owner] = append(blocks[owner], value) }
	require.NoError(t, c.addKeys(keys, keep))
	require.NoError(t, c.flush(keep))

	ctx, out := context.Background(), filepath.Join(t.TempDir(), "out.bin")
	var records [][]byte
	for range 2 { // the first attempt's parts are left behind
		records = records[:0]
		for owner, values := range blocks {
			record, err := d.gather(ctx, out, owner, sequence(values))
			require.NoError(t, err)
			records = append(records, record)
		}
	}
	want, err := bloomFrame(bloom.Blocked)(keys)
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, d.finish(ctx, out, certain(sequence(records)), &Summary{}))
		frame, err := os.ReadFile(out)
		require.NoError(t, err)
		require.Equal(t, want, frame)
	}
	parts, err := partsOf(certain(sequence(records)))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(string(parts[1].Name), make([]byte, parts[1].Bytes), 0o600))
	require.ErrorIs(t, d.finish(ctx, out, certain(sequence(records)), &Summary{}), ErrCorrupt)
	require.NoError(t, os.Truncate(string(parts[1].Name), 8))
	require.Error(t, d.finish(ctx, out, certain(sequence(records)), &Summary{}))
	frame, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Equal(t, want, frame)
	for _, n := range []int{2 * len(records), 0} {
		removed, err := Clean(ctx, out)
		require.NoError(t, err)
		require.Len(t, removed, n)
	}
	left, err := os.ReadDir(filepath.Dir(out))
	require.NoError(t, err)
	require.Len(t, left, 1)
}

func sequence(values [][]byte) iter.Seq[[]byte] { return slices.Values(values) }
