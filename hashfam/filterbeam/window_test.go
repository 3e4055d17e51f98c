package filterbeam

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
)

func init() { register.Function1x2(stamped) }

// stamped gives a key a time in one of many windows.
func stamped(key string) (beam.EventTime, string) {
	return mtime.FromTime(time.Unix(int64(60*len(key)), 0)), key
}

// Build ignores the windows of its collection.
func TestBuildOfACollectionInWindows(t *testing.T) {
	var texts []string
	keys := testKeys(200)
	for i, key := range keys {
		texts = append(texts, string(key)+"windows of a minute"[:i%19])
	}
	want, err := bloom.New(bloomConfig(bloom.Blocked))
	require.NoError(t, err)
	for _, text := range texts {
		want.AddString(text)
	}
	encoded, err := want.MarshalBinary()
	require.NoError(t, err)
	for _, n := range []int{0, 7} {
		p, err := bloomPlan(bloom.Blocked)()
		require.NoError(t, err)
		p, err = p.Windows(n)
		require.NoError(t, err)
		out := filepath.Join(t.TempDir(), "out.bin")
		pipeline, s := beam.NewPipelineWithRoot()
		timed := beam.ParDo(s, stamped, beam.CreateList(s, texts))
		Build(s, p, out, beam.WindowInto(s, window.NewFixedWindows(time.Minute), timed))
		require.NoError(t, ptest.Run(pipeline))
		frame, err := os.ReadFile(out)
		require.NoError(t, err)
		require.Equal(t, encoded, frame)
	}
}
