package sharded_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/sharded"
)

func sketches(t require.TestingT, n int) *sharded.Of[*countmin.Sketch] {
	o, err := sharded.New(n, func(int) (*countmin.Sketch, error) {
		return countmin.New(countmin.Config{Width: 16, Depth: 2, CounterBits: 32})
	})
	require.NoError(t, err)
	return o
}

func receiver(int) (*countmin.Sketch, error) { return new(countmin.Sketch), nil }

// Read must return equal shards for the number that was written. For any other,
// the error names the number of shards, or says that there are more.
func TestReadReturnsWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "shards")
		o := sketches(t, n)
		for _, key := range rapid.SliceOf(rapid.String()).Draw(t, "keys") {
			d := hashfam.Family{}.SumString(key)
			o.Do(d, func(s *countmin.Sketch) { s.AddDigest(d) })
		}
		var frames, single bytes.Buffer
		size, err := o.WriteTo(&frames)
		require.NoError(t, err)
		require.EqualValues(t, frames.Len(), size)
		require.NoError(t, o.Each(func(_ int, s *countmin.Sketch) error {
			_, err := s.WriteTo(&single)
			return err
		}))
		require.Equal(t, single.Bytes(), frames.Bytes())

		m := rapid.IntRange(1, 9).Draw(t, "shards to read")
		got, err := sharded.Read(bytes.NewReader(frames.Bytes()), m, receiver)
		if m != n {
			require.ErrorIs(t, err, hashfam.ErrParams)
			var field *hashfam.FieldError
			require.ErrorAs(t, err, &field)
			require.Equal(t, m, field.Value)
			found := "more"
			if m > n {
				found = fmt.Sprint(n)
			}
			require.Equal(t, found+", the number of shards that were written", field.Allowed)
			require.Nil(t, got)
			return
		}
		require.NoError(t, err)
		var again bytes.Buffer
		_, err = got.WriteTo(&again)
		require.NoError(t, err)
		require.Equal(t, frames.Bytes(), again.Bytes())
	})
}

func TestReadReturnsTheErrorsOfShardsAndReaders(t *testing.T) {
	var frames bytes.Buffer
	size, err := sketches(t, 4).WriteTo(&frames)
	require.NoError(t, err)
	data := frames.Bytes()
	quarter := int(size / 4)

	damaged := bytes.Clone(data)
	damaged[2*quarter+100] ^= 1
	_, err = sharded.Read(bytes.NewReader(damaged), 4, receiver)
	require.ErrorIs(t, err, hashfam.ErrCorrupt)
	require.ErrorContains(t, err, "shard 2: ")
	_, err = sharded.Read(bytes.NewReader(data[:3*quarter+100]), 4, receiver)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.ErrorContains(t, err, "shard 3: ")

	_, err = sharded.Read(bytes.NewReader(append(bytes.Clone(data), "more"...)), 4, receiver)
	require.ErrorContains(t, err, "n = 4, want more, ")
	_, err = sharded.Read(bytes.NewReader(nil), 4, receiver)
	require.ErrorContains(t, err, "n = 4, want 0, ")

	broken := errors.New("broken")
	for _, n := range []int{0, quarter, 4 * quarter} {
		r := io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(broken))
		_, err = sharded.Read(r, 4, receiver)
		require.ErrorIs(t, err, broken)
	}
	_, err = sharded.Read(bytes.NewReader(data), 4, func(int) (*countmin.Sketch, error) { return nil, broken })
	require.ErrorIs(t, err, broken)
	_, err = sharded.Read(bytes.NewReader(data), 0, receiver)
	require.ErrorContains(t, err, "n = 0, want 1 to 65536")
	_, err = sharded.Read(bytes.NewReader(data), 4, func(int) (*countmin.Sketch, error) {
		return countmin.NewReceiver(hashfam.New(hashfam.Key{1})), nil
	})
	require.ErrorIs(t, err, hashfam.ErrFamily)

	_, err = sketches(t, 4).WriteTo(failingWriter{broken})
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "shard 0: ")
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// A reader that needs the whole stream cannot be a shard.
func TestShardsWithoutEncodingAreUnsupported(t *testing.T) {
	_, err := lists(t, 2).WriteTo(io.Discard)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorContains(t, err, "sharded: shard 0: *sharded_test.list has no method WriteTo(")
	_, err = sharded.Read(bytes.NewReader([]byte("text")), 2, func(int) (*list, error) { return new(list), nil })
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorContains(t, err, "sharded: shard 0: *sharded_test.list has no method ReadFrom(")
	_, err = sharded.Read(bytes.NewReader([]byte("text")), 2, func(int) (*bytes.Buffer, error) { return new(bytes.Buffer), nil })
	require.ErrorContains(t, err, "n = 2, want 1, ")
	_, err = new(sharded.Of[*list]).WriteTo(io.Discard)
	require.ErrorIs(t, err, hashfam.ErrParams)
}

// An interface can be the type of the shards if their values can be encoded.
func TestShardsOfAnInterfaceCanBeStored(t *testing.T) {
	name := filepath.Join(t.TempDir(), "shards")
	o, err := sharded.New(2, func(int) (filter, error) {
		return cuckoo.New(cuckoo.Config{Capacity: 10, FPRate: 0.01})
	})
	require.NoError(t, err)
	require.NoError(t, hashfam.WriteFile(name, o))
}
