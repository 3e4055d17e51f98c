package filterbeam

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/cuckoo"
)

// fails runs a job that must fail, and returns the error. The output stays as
// it was.
func fails(t *testing.T, p Plan, patterns ...string) error {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.bin")
	require.NoError(t, os.WriteFile(out, []byte("before"), 0o600))
	pipeline, s := beam.NewPipelineWithRoot()
	Files(s, p, out, patterns...)
	err := ptest.Run(pipeline)
	require.Error(t, err)
	require.Equal(t, "before", string(must(os.ReadFile(out))))
	return err
}

func TestAPatternThatMatchesNothingFails(t *testing.T) {
	p := bloomPlan(bloom.Classic)
	require.ErrorContains(t, fails(t, p, filepath.Join(t.TempDir(), "*.txt")), "one that matches a file")
	require.ErrorContains(t, fails(t, Plan{}, writeKeys(t, t.TempDir(), testKeys(10), 1)), "the zero Plan")
}

// More keys than a cuckoo filter takes are an error that says how many.
func TestAFullCuckooFilterFails(t *testing.T) {
	p := must(Cuckoo(cuckoo.Config{Capacity: 1000, FPRate: 0.01}))
	require.ErrorContains(t, fails(t, p, writeKeys(t, t.TempDir(), testKeys(5000), 3)), "of 5000 different keys: raise its Capacity")
}

// A line that never ends is an error, not a huge allocation.
func TestALineThatIsTooLongFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys.txt")
	require.NoError(t, os.WriteFile(file, make([]byte, maxLine+1), 0o600))
	p := bloomPlan(bloom.Classic)
	require.ErrorContains(t, fails(t, p, file), "has more than 16777216 bytes")
}

// A part that is damaged is an error, and leaves the output as it was.
func TestADamagedPartFails(t *testing.T) {
	p := must(bloomPlan(bloom.Blocked).Windows(3))
	ctx, out := t.Context(), filepath.Join(t.TempDir(), "out.bin")
	frame, _ := stages(t, p, out, testKeys(1000))
	d := must(p.spec.design())
	records := gathered(t, d, out, sent(t, d, testKeys(1000)))
	parts := must(decodeRecords[part](all(records), 3))
	require.NoError(t, os.WriteFile(string(parts[1].Name), make([]byte, parts[1].Bytes), 0o600))
	require.ErrorIs(t, d.finish(ctx, out, all(records), &Summary{}), ErrCorrupt)
	require.NoError(t, os.Truncate(string(parts[1].Name), 8))
	require.ErrorIs(t, d.finish(ctx, out, all(records), &Summary{}), io.ErrUnexpectedEOF)
	require.Equal(t, frame, must(os.ReadFile(out)))
}
