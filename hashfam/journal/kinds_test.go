package journal

import (
	"bytes"
	"encoding/binary"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/sharded"
)

// A kind is a structure, and what a program does to it.
type kind struct {
	Structure
	add     func(d hashfam.Digest) bool // reports whether the digest was added
	remove  func(d hashfam.Digest) bool // reports whether it was deleted; nil if this is impossible
	advance func(t time.Time)           // nil if the structure does not forget
}

func alwaysAdds(add func(hashfam.Digest)) func(hashfam.Digest) bool {
	return func(d hashfam.Digest) bool {
		add(d)
		return true
	}
}

func absent(contains func(hashfam.Digest) bool) func(hashfam.Digest) bool {
	return func(d hashfam.Digest) bool { return !contains(d) }
}

func noError(add func(hashfam.Digest) error) func(hashfam.Digest) bool {
	return func(d hashfam.Digest) bool { return add(d) == nil }
}

func bloomKind(layout bloom.Layout) func() kind {
	return func() kind {
		f := hashfam.Must(bloom.New(bloom.Config{Capacity: 300, FPRate: 0.01, Layout: layout}))
		return kind{Structure: f, add: absent(f.ContainsOrAddDigest)}
	}
}

func rotatingKind(span time.Duration) func() kind {
	return func() kind {
		f := hashfam.Must(bloom.NewRotating(bloom.RotatingConfig{Keys: 100, Span: span, FPRate: 0.01}))
		k := kind{Structure: f, add: absent(f.ContainsOrAddDigest)}
		if span > 0 {
			k.advance = f.Advance
		}
		return k
	}
}

func cuckooKind(compact bool) func() kind {
	return func() kind {
		f := hashfam.Must(cuckoo.New(cuckoo.Config{Capacity: 200, FPRate: 0.01, Compact: compact}))
		return kind{Structure: f, add: noError(f.AddDigest), remove: f.DeleteDigest}
	}
}

func countminKind(conservative bool) func() kind {
	return func() kind {
		s := hashfam.Must(countmin.New(countmin.Config{Width: 64, Depth: 3, Conservative: conservative}))
		k := kind{Structure: s, add: alwaysAdds(s.AddDigest)}
		if !conservative {
			k.remove = func(d hashfam.Digest) bool { return s.RemoveDigest(d, 1) == nil }
		}
		return k
	}
}

// kinds contains each kind of structure that can be kept in a journal.
var kinds = map[string]func() kind{
	"bloom": bloomKind(bloom.Classic), "partitioned": bloomKind(bloom.Partitioned), "blocked": bloomKind(bloom.Blocked),
	"rotating": rotatingKind(time.Minute), "rotating by keys": rotatingKind(0),
	"cuckoo": cuckooKind(false), "compact cuckoo": cuckooKind(true),
	"sketch": countminKind(false), "conservative sketch": countminKind(true),
	"scalable": func() kind {
		f := hashfam.Must(bloom.NewScalable(bloom.ScalableConfig{Expected: 20, FPRate: 0.01}))
		return kind{Structure: f, add: absent(f.ContainsOrAddDigest)}
	},
	"scalable cuckoo": func() kind {
		f := hashfam.Must(cuckoo.NewScalable(cuckoo.ScalableConfig{Expected: 20, FPRate: 0.01}))
		return kind{Structure: f, add: noError(f.AddDigest), remove: f.DeleteDigest}
	},
	"counting": func() kind {
		f := hashfam.Must(counting.New(counting.Config{Capacity: 300, FPRate: 0.01}))
		return kind{Structure: f, add: alwaysAdds(f.AddDigest), remove: f.DeleteDigest}
	},
	"sharded counting": func() kind {
		o := hashfam.Must(sharded.New(4, func(int) (*counting.Filter, error) {
			return counting.New(counting.Config{Capacity: 100, FPRate: 0.01})
		}))
		return kind{Structure: Shards(o), add: alwaysAdds(func(d hashfam.Digest) {
			o.Do(d, func(f *counting.Filter) { f.AddDigest(d) })
		}), remove: func(d hashfam.Digest) (ok bool) {
			o.Do(d, func(f *counting.Filter) { ok = f.DeleteDigest(d) })
			return ok
		}}
	},
}

func kindNames() []string { return slices.Sorted(maps.Keys(kinds)) }

// eachKind runs a test for each kind of structure.
func eachKind(t *testing.T, test func(t *testing.T, create func() kind)) {
	for _, name := range kindNames() {
		t.Run(name, func(t *testing.T) { test(t, kinds[name]) })
	}
}

// state returns the bytes of a structure: all of its keys and counts.
func state(s io.WriterTo) string {
	var b bytes.Buffer
	hashfam.Must(s.WriteTo(&b))
	return b.String()
}

func digestOf(i uint64) hashfam.Digest { return hashfam.Family{}.SumUint64(i) }

func sizeOf(t testing.TB, name string) int64 {
	info, err := os.Stat(name)
	require.NoError(t, err)
	return info.Size()
}

func readAll(t testing.TB, name string) []byte {
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	return b
}

func write(t testing.TB, name string, b []byte) {
	require.NoError(t, os.WriteFile(name, b, 0o600))
}

// quickDir returns a new folder in memory if there is such a file system, for
// tests with thousands of files that are not about the disk.
func quickDir(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "journal")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

func mustOpen(t testing.TB, name string, of Structure) *Journal {
	t.Helper()
	j, err := Open(name, of)
	require.NoError(t, err)
	return j
}

// withLimit makes new files due when the blocks have more than limit bytes.
func withLimit(t testing.TB, limit int64) {
	before := limitFor
	limitFor = func(int64) int64 { return limit }
	t.Cleanup(func() { limitFor = before })
}

// An operator makes random changes, and records them.
type operator struct {
	kind
	j       *Journal
	rng     *rand.Rand
	now     time.Time
	present []hashfam.Digest
}

func newOperator(k kind, j *Journal, rng *rand.Rand) *operator {
	return &operator{kind: k, j: j, rng: rng, now: time.Unix(1000, 0)}
}

func (o *operator) change() {
	if o.advance != nil && o.rng.IntN(10) == 0 {
		o.now = o.now.Add(time.Duration(o.rng.IntN(5)) * time.Second)
		o.advance(o.now)
		o.j.Advance(o.now)
	}
	if n := len(o.present); o.remove != nil && n > 0 && o.rng.IntN(3) == 0 {
		i := o.rng.IntN(n)
		d := o.present[i]
		if o.remove(d) {
			o.j.Delete(d)
		}
		o.present = slices.Delete(o.present, i, i+1)
		return
	}
	d := digestOf(o.rng.Uint64N(400))
	if o.add(d) {
		o.j.Add(d)
		o.present = append(o.present, d)
	}
}

// A saved state is what Open must restore if the file ends at this offset.
type saved struct {
	end      int64
	state    string
	position uint64
}

// history calls Sync several times, each after fewer than most changes, and
// returns the states since the file was begun.
func history(t *testing.T, name string, k kind, rng *rand.Rand, syncs, most int) []saved {
	j := mustOpen(t, name, k.Structure)
	defer j.Close()
	all := []saved{{sizeOf(t, name), state(k), 0}}
	o := newOperator(k, j, rng)
	for i := range syncs {
		for range rng.IntN(most) {
			o.change()
		}
		position := uint64(i+1) * 1000
		if i < syncs/2 && rng.IntN(10) == 0 {
			require.NoError(t, j.Save(position))
			all = nil // another file
		} else {
			require.NoError(t, j.Sync(position))
		}
		require.Equal(t, position, j.Position())
		all = append(all, saved{sizeOf(t, name), state(k), position})
	}
	return all
}

// requireRestored checks that Open restores a saved state, and cuts the file.
func requireRestored(t *testing.T, name string, create func() kind, want saved) (*Journal, kind) {
	t.Helper()
	k := create()
	j := mustOpen(t, name, k.Structure)
	require.Equal(t, want.position, j.Position())
	require.True(t, want.state == state(k), "another state than that at position %d", want.position)
	require.Equal(t, want.end, sizeOf(t, name))
	return j, k
}

// requireRefused checks that Open returns an error and does not change the
// file.
func requireRefused(t *testing.T, name string, of Structure) error {
	t.Helper()
	before := readAll(t, name)
	_, err := Open(name, of)
	require.Error(t, err)
	require.True(t, bytes.Equal(before, readAll(t, name)), "a refused file was changed")
	return err
}

func littleEndian(word uint64) []byte { return binary.LittleEndian.AppendUint64(nil, word) }
