package parts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/index"
)

var family = hashfam.New(hashfam.Key{4, 5, 6})

// must returns v if err is nil.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// frames returns the frames of filters of each kind.
func frames(t *testing.T, digests []hashfam.Digest) map[string][]byte {
	t.Helper()
	c := must(counting.New(counting.Config{Capacity: 100, FPRate: 0.001, Family: family}))
	c.AddAll(digests)
	k := must(cuckoo.New(cuckoo.Config{Capacity: 100, FPRate: 0.001, Family: family}))
	must(k.AddAll(digests))
	return map[string][]byte{
		"bloom":    must(bloom.AppendFrame(nil, bloom.Config{Capacity: 100, FPRate: 0.001, Family: family}, digests)),
		"counting": must(c.MarshalBinary()),
		"cuckoo":   must(k.MarshalBinary()),
		"static":   must(static.AppendFrame(t.Context(), nil, static.Config{FPRate: 0.001, Family: family}, slices.Clone(digests))),
	}
}

// put writes an index.
func put(dir fstest.MapFS, x index.Index) {
	dir["dir/index"] = &fstest.MapFile{Data: must(x.Append(nil))}
}

// files returns the files of a filter of some keys in three parts. The last
// part has no keys.
func files(t *testing.T, kind string) (fstest.MapFS, []hashfam.Digest) {
	t.Helper()
	var shards [3][]hashfam.Digest
	for i := range 100 {
		d := family.SumString(fmt.Sprint(i))
		shards[d.Shard(3)] = append(shards[d.Shard(3)], d)
	}
	dir := fstest.MapFS{}
	x := index.Index{Version: 1, Kind: kind, Check: family.CheckValue(), Parts: make([]index.Part, 3)}
	for i, shard := range shards[:2] {
		frame := frames(t, shard)[kind]
		x.Parts[i] = index.Part{Name: fmt.Sprintf("part-%d", i), Bytes: int64(len(frame)), CRC: crc32.Checksum(frame, index.Table)}
		dir[fmt.Sprintf("dir/part-%d", i)] = &fstest.MapFile{Data: frame}
	}
	put(dir, x)
	return dir, append(shards[0], shards[1]...)
}

func open(t *testing.T, dir fs.FS) *Filter {
	t.Helper()
	f, err := Open(dir, "dir/index", family)
	require.NoError(t, err)
	return f
}

// Several goroutines find all keys, whatever the kind of the filters.
func TestAllKeysAreFound(t *testing.T) {
	for _, kind := range []string{"bloom", "counting", "cuckoo", "static"} {
		dir, digests := files(t, kind)
		f := open(t, dir)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for _, d := range digests {
					if found, err := f.ContainsDigest(d); !found || err != nil {
						t.Errorf("%s: %v %v", kind, found, err)
					}
				}
			})
		}
		group.Wait()
		wrong := 0
		for i := range 1000 {
			if must(f.Contains(fmt.Appendf(nil, "absent %d", i))) {
				wrong++
			}
		}
		require.Less(t, wrong, 20) // 0.67 are expected; more has a chance below 1e-20
	}
}

// Only the part that is queried is read, until it is forgotten.
func TestOnlyQueriedPartsAreRead(t *testing.T) {
	dir, digests := files(t, "bloom")
	f := open(t, dir)
	first := digests[0]
	delete(dir, f.File(1-f.Part(first)))
	require.True(t, must(f.ContainsDigest(first)))
	for _, d := range digests {
		if f.Part(d) != f.Part(first) {
			_, err := f.ContainsDigest(d)
			require.ErrorIs(t, err, fs.ErrNotExist)
		}
	}
	require.Empty(t, f.File(2))
	require.Empty(t, f.File(-1))
	require.Empty(t, f.File(3))

	delete(dir, f.File(f.Part(first)))
	must(f.ContainsDigest(first)) // the part is in memory
	f.Forget(-1)
	f.Forget(f.Part(first))
	_, err := f.ContainsDigest(first)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// A part that differs from the one that the job wrote is an error, until it is
// repaired.
func TestDamagedPartsAreErrors(t *testing.T) {
	dir, digests := files(t, "static")
	f := open(t, dir)
	d := digests[0]
	mine, other := f.File(f.Part(d)), f.File(1-f.Part(d))
	good := dir[mine].Data
	flipped := slices.Clone(good)
	flipped[len(flipped)/2] ^= 1
	for _, data := range [][]byte{flipped, good[1:], append(good[:len(good):len(good)], 0), nil, dir[other].Data} {
		dir[mine] = &fstest.MapFile{Data: data}
		_, err := f.ContainsDigest(d)
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
	}
	dir[mine] = &fstest.MapFile{Data: good}
	require.True(t, must(f.ContainsDigest(d)))
}

// The file and the frame in it must both have the length in the index.
func TestErrorsOfPartsNameWhatIsWrong(t *testing.T) {
	dir, digests := files(t, "static")
	d := digests[0]
	mine := open(t, dir).File(open(t, dir).Part(d))
	good := dir[mine].Data
	longer := append(good[:len(good):len(good)], 0)
	for _, c := range []struct {
		data  []byte
		bytes int // in the index
		crc   uint32
		want  string
	}{
		{longer, len(good), 0, fmt.Sprintf("length of %s = %d, want %d", mine, len(longer), len(good))},
		{longer, len(longer), 0, fmt.Sprintf("length of the frame in %s = %d, want %d", mine, len(good), len(longer))},
		{good, len(good), 1, "checksum of " + mine},
	} {
		f := open(t, dir)
		p := &f.index.Parts[f.Part(d)]
		p.Bytes = int64(c.bytes)
		p.CRC += c.crc
		dir[mine] = &fstest.MapFile{Data: c.data}
		_, err := f.ContainsDigest(d)
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
		require.ErrorContains(t, err, c.want)
	}
}

// An index with a wrong bit is an error, and so are another family, no parts,
// and a part that is not beside the index.
func TestDamagedIndexesAreErrors(t *testing.T) {
	dir, _ := files(t, "bloom")
	good := dir["dir/index"].Data
	for i := range good {
		bad := slices.Clone(good)
		bad[i] ^= 4
		dir["dir/index"] = &fstest.MapFile{Data: bad}
		_, err := Open(dir, "dir/index", family)
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
		dir["dir/index"] = &fstest.MapFile{Data: good[:i]}
		_, err = Open(dir, "dir/index", family)
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
	}
	put(dir, index.Index{Version: 2, Parts: make([]index.Part, 1)})
	_, err := Open(dir, "dir/index", family)
	require.ErrorIs(t, err, hashfam.ErrVersion)
	named := []index.Part{{}, {Name: ".."}, {Name: "../secret"}, {Name: "/etc/passwd"}, {Name: "sub/part-0"}, {Name: "part-0/"}}
	for i, part := range named {
		put(dir, index.Index{Version: 1, Kind: "bloom", Check: family.CheckValue(), Parts: []index.Part{part}[:min(i, 1)]})
		_, err := Open(dir, "dir/index", family)
		require.ErrorIs(t, err, hashfam.ErrCorrupt, part.Name)
	}
	dir["dir/index"] = &fstest.MapFile{Data: good}
	_, err = Open(dir, "dir/index", hashfam.Family{})
	require.ErrorIs(t, err, hashfam.ErrFamily)
	_, err = Open(dir, "dir/none", family)
	require.ErrorIs(t, err, fs.ErrNotExist)
	var field *hashfam.FieldError
	dir, digests := files(t, "unknown")
	_, err = open(t, dir).ContainsDigest(digests[0])
	require.ErrorAs(t, err, &field)
	require.ErrorIs(t, err, hashfam.ErrCorrupt)
}

// No output contains the family's key, {4, 5, 6, 0, ...}: neither through a
// pointer, nor a value, nor a value that contains one. Encoding a Filter is an
// error, which is better than {}.
func TestNoOutputShowsTheKey(t *testing.T) {
	dir, digests := files(t, "bloom")
	f := open(t, dir)
	_, err := f.ContainsDigest(digests[0]) // a part is in memory
	require.NoError(t, err)
	shown := fmt.Sprintf("parts.Filter(bloom, parts: 3, family: %v)", family)
	for _, v := range []any{f, *f, []*Filter{f}, struct{ Filter Filter }{*f}, map[string]any{"f": *f}} {
		var out bytes.Buffer
		for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%x", "%s", "%q", "%30v"} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
		require.Equal(t, 8, strings.Count(out.String(), shown), "%T: %s", v, out.String())
		slog.New(slog.NewJSONHandler(&out, nil)).Info("here", "v", v)
		slog.New(slog.NewTextHandler(&out, nil)).Info("here", "v", v)
		_, err := json.Marshal(v)
		require.True(t, errors.Is(err, errors.ErrUnsupported), "%T: %v", v, err)
		fmt.Fprintln(&out, err, (*Filter)(nil))
		for _, secret := range []string{"394500", "60504", "4 5 6", "4,5,6", "040506"} {
			require.NotContains(t, out.String(), secret)
		}
	}
}
