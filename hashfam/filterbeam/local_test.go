package filterbeam

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
)

// A canceled context leaves the output unchanged, for every kind of plan, and
// also if no line is read.
func TestLocalStopsWhenItsContextIsCanceled(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.txt")
	write(t, empty, "")
	out := outputBefore(t)
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, s := range everything() {
		for _, pattern := range []string{empty, writeKeys(t, t.TempDir(), testKeys(100), 3)} {
			_, err := Local(canceled, s.plan, out, nil, pattern)
			require.ErrorIs(t, err, context.Canceled, "%s of %s", s.name, pattern)
			requireUntouched(t, out)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	_, err := replace(ctx, out, writerTo(func(w io.Writer) (int64, error) {
		defer cancel()
		n, err := w.Write([]byte("after"))
		return int64(n), err
	}))
	require.ErrorIs(t, err, context.Canceled)
	requireUntouched(t, out)
}

// Local does not copy the structure.
func TestLocalMakesNoCopyOfTheStructure(t *testing.T) {
	pattern := writeKeys(t, t.TempDir(), testKeys(10), 1)
	for _, p := range []Plan{
		must(Bloom(bloom.Config{Capacity: 1e7, FPRate: 0.01})),
		must(Sketch(countmin.Config{Width: 1 << 20, Depth: 3})),
		must(Cuckoo(cuckoo.Config{Capacity: 1e7, FPRate: 0.01})),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		sum, err := Local(t.Context(), p, filepath.Join(t.TempDir(), "out.bin"), nil, pattern)
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		require.Greater(t, sum.Size, uint64(10e6))
		require.Less(t, after.TotalAlloc-before.TotalAlloc, sum.Size+3e6, p.spec.Kind)
	}
}

// A frame that cannot be renamed is removed.
func TestFramesThatCannotBeRenamedAreRemoved(t *testing.T) {
	out := filepath.Join(t.TempDir(), "folder")
	require.NoError(t, os.Mkdir(out, 0o700))
	_, err := Local(t.Context(), bloomPlan(bloom.Blocked), out, nil, writeKeys(t, t.TempDir(), testKeys(10), 1))
	require.ErrorContains(t, err, "filterbeam: "+out)
	requireFiles(t, filepath.Dir(out), 1)
}

// Without patterns nothing is built, since an empty filter would not contain
// any key. A pattern must match a file.
func TestPatternsMustMatchAFile(t *testing.T) {
	out := outputBefore(t)
	for i, s := range everything() {
		for _, patterns := range [][]string{nil, {""}, {filepath.Join(t.TempDir(), "*.txt")}} {
			_, err := Local(t.Context(), s.plan, out, nil, patterns...)
			require.ErrorIs(t, err, ErrParams, s.name)
			require.ErrorContains(t, err, "one that matches a file", s.name)
			requireUntouched(t, out)
			if i == 0 {
				err = fails(t, s.plan, patterns...)
				require.ErrorContains(t, err, ErrParams.Error())
				require.ErrorContains(t, err, "one that matches a file")
			}
		}
	}
	require.ErrorContains(t, fails(t, Plan{}, writeKeys(t, t.TempDir(), testKeys(10), 1)), "the zero Plan")
}

// It is an error if a file's length changes while Local reads it. A file that
// is only modified is counted.
func TestLocalNoticesFilesThatChange(t *testing.T) {
	var text bytes.Buffer
	for i := range 100_000 {
		fmt.Fprintln(&text, "key", i)
	}
	length := text.Len()
	for _, c := range []struct {
		change  func(name string) error
		want    int // the length that is read
		changed uint64
	}{
		{func(string) error { return nil }, length, 0},
		{func(name string) error { return os.Chtimes(name, time.Now(), time.Unix(1e9, 0)) }, length, 1},
		{func(name string) error { return os.Truncate(name, int64(length/2+3)) }, length/2 + 3, 0},
		{func(name string) error { return os.WriteFile(name, append(text.Bytes(), "more\n"...), 0o600) }, length + 5, 0},
	} {
		name, out := filepath.Join(t.TempDir(), "keys.txt"), outputBefore(t)
		write(t, name, text.String())
		var once sync.Once
		sum, err := Local(t.Context(), bloomPlan(bloom.Blocked), out, func(Summary) { once.Do(func() { require.NoError(t, c.change(name)) }) }, name)
		if c.want == length {
			require.NoError(t, err)
			require.Equal(t, c.changed, sum.Changed)
			continue
		}
		require.ErrorIs(t, err, ErrParams)
		require.ErrorContains(t, err, fmt.Sprintf("%s: filterbeam: invalid parameters: length = %d, want %d bytes", name, c.want, length))
		requireUntouched(t, out)
	}
}
