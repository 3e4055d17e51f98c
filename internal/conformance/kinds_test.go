package conformance_test

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam/perfect"
	"github.com/filterfam/filterfam/internal/frame"
)

// A codec writes and reads frames.
type codec interface {
	io.WriterTo
	io.ReaderFrom
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// A sample is a structure of a kind, and its frame of more than 64 KiB.
type sample struct {
	name  string
	value codec
	frame []byte
	zero  func() codec // returns a receiver of the public family
}

// kind returns the kind in the header of s's frame.
func (s sample) kind() frame.Kind { return frame.Kind(s.frame[4]) }

// requireIs checks that g is what s is.
func (s sample) requireIs(t *testing.T, g codec) {
	b, err := g.MarshalBinary()
	require.NoError(t, err)
	require.True(t, bytes.Equal(s.frame, b), s.name)
}

// numbered returns n keys of eight bytes, from a number on.
func numbered(first, n int) [][]byte {
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = binary.LittleEndian.AppendUint64(nil, uint64(first+i))
	}
	return keys
}

// sampler collects samples.
type sampler struct {
	t       *testing.T
	samples []sample
}

// add adds a sample whose zero value is a *T, or fails on an error of its
// constructor. fill is what follows.
func add[T any, P interface {
	*T
	codec
}](s *sampler, name string, value P, err error) P {
	require.NoError(s.t, err, name)
	s.samples = append(s.samples, sample{name: name, value: value, zero: func() codec { return P(new(T)) }})
	return value
}

// samples returns one structure of every kind that is written and read, and the
// snapshots of those for many goroutines.
func samples(t *testing.T) []sample {
	s := &sampler{t: t}
	changing(s, numbered(0, 60_000))
	counters(s, numbered(0, 60_000))
	fixed(s, numbered(0, 270_000), numbered(1_000_000, 270_000))
	snapshots(s, numbered(0, 60_000))
	for i := range s.samples {
		b, err := s.samples[i].value.MarshalBinary()
		require.NoError(t, err)
		s.samples[i].frame = b
	}
	return s.samples
}

// changing adds the filters to which keys are added.
func changing(s *sampler, keys [][]byte) {
	n := uint64(len(keys))
	b, err := bloom.New(bloom.Config{Capacity: n, FPRate: 0.001})
	add(s, "bloom.Filter", b, err).AddAll(keys)
	scalable, err := bloom.NewScalable(bloom.ScalableConfig{Expected: n / 4, FPRate: 0.001})
	add(s, "bloom.Scalable", scalable, err).AddAll(keys)
	rotating, err := bloom.NewRotating(bloom.RotatingConfig{Capacity: n / 2, FPRate: 0.001})
	add(s, "bloom.Rotating", rotating, err).AddAll(keys)
	c, err := counting.New(counting.Config{Capacity: n, FPRate: 0.01})
	add(s, "counting.Filter", c, err).AddAll(keys)
	k, err := cuckoo.New(cuckoo.Config{Capacity: n, FPRate: 0.001})
	_, full := add(s, "cuckoo.Filter", k, err).AddAll(keys)
	require.NoError(s.t, full)
	grown, err := cuckoo.NewScalable(cuckoo.ScalableConfig{Expected: n / 4, FPRate: 0.001})
	_, full = add(s, "cuckoo.Scalable", grown, err).AddAll(keys)
	require.NoError(s.t, full)
}

// counters adds the structures that count.
func counters(s *sampler, keys [][]byte) {
	sketch, err := countmin.New(countmin.Config{Epsilon: 0.0005, Delta: 0.01})
	add(s, "countmin.Sketch", sketch, err).AddAll(keys)
	heavy, err := countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 0.0001, MemoryBytes: 256 << 10})
	add(s, "countmin.HeavyHitters", heavy, err).AddAll(keys)
	top, err := countmin.NewTopK(countmin.TopKConfig{K: 5000, MemoryBytes: 256 << 10})
	add(s, "countmin.TopK", top, err).AddAll(keys)
	window, err := countmin.NewWindow(countmin.WindowConfig{Phi: 0.001, Keys: 50_000, MemoryBytes: 512 << 10})
	add(s, "countmin.Window", window, err).AddAll(keys)
}

// fixed adds the structures that are built from a set.
func fixed(s *sampler, keys, others [][]byte) {
	f, err := static.New(static.Config{FPRate: 0.001}, keys[:60_000])
	add(s, "static.Filter", f, err)
	exact, err := static.NewExact(static.ExactConfig{}, keys, others)
	add(s, "static.Exact", exact, err)
	function, err := perfect.New(perfect.Config{}, keys)
	add(s, "perfect.Function", function, err)
	filter, err := perfect.NewFilter(perfect.FilterConfig{FPRate: 0.001}, keys[:60_000])
	add(s, "perfect.Filter", filter, err)
}

// snapshots adds the snapshots of structures for many goroutines.
func snapshots(s *sampler, keys [][]byte) {
	n := uint64(len(keys))
	b, err := bloom.NewConcurrent(bloom.Config{Capacity: n, FPRate: 0.001})
	require.NoError(s.t, err)
	b.AddAll(keys)
	add(s, "bloom.Concurrent", b.Snapshot(), nil)
	c, err := counting.NewConcurrent(counting.Config{Capacity: n, FPRate: 0.01, Layout: counting.Blocked})
	require.NoError(s.t, err)
	c.AddAll(keys)
	add(s, "counting.Concurrent", c.Snapshot(), nil)
	k, err := cuckoo.NewConcurrent(cuckoo.Config{Capacity: n, FPRate: 0.001})
	require.NoError(s.t, err)
	_, full := k.AddAll(keys)
	require.NoError(s.t, full)
	add(s, "cuckoo.Concurrent", k.Snapshot(), nil)
	sketch, err := countmin.NewConcurrentSketch(countmin.Config{Epsilon: 0.0005, Delta: 0.01})
	require.NoError(s.t, err)
	sketch.AddAll(keys)
	add(s, "countmin.ConcurrentSketch", sketch.Snapshot(), nil)
	heavy, err := countmin.NewConcurrentHeavyHitters(countmin.HeavyConfig{Phi: 0.0001, MemoryBytes: 1 << 20})
	require.NoError(s.t, err)
	heavy.AddAll(keys[:10_000])
	add(s, "countmin.ConcurrentHeavyHitters", heavy.Snapshot(), nil)
}

// everyKind checks that there is a sample of every kind that package frame
// knows.
func everyKind(t *testing.T, all []sample) {
	seen := map[frame.Kind]bool{}
	for _, s := range all {
		seen[s.kind()] = true
		require.Greater(t, len(s.frame), 1<<16, s.name)
	}
	for k := frame.Kind(1); !strings.HasPrefix(k.String(), "unknown"); k++ {
		require.True(t, seen[k], k)
	}
}
