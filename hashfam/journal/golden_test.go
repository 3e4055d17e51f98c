package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/block"
	"github.com/filterfam/filterfam/internal/checks/machine"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/frame/frametest"
)

func goldenKey(i int) hashfam.Digest { return hashfam.Family{}.SumString(fmt.Sprint("key ", i)) }

// writeGolden writes a journal. The structure contains the keys 0 to 49, the
// second block adds the keys 50 to 79 at position 2000, and the third block
// adds the keys 80 to 99 at position 3000. If the structure can delete keys,
// the third block also deletes the keys 50 to 55.
func writeGolden(t *testing.T, name string, k kind) {
	j := mustOpen(t, name, k.Structure)
	add := func(from, to int) {
		for i := from; i < to; i++ {
			if k.advance != nil && i%10 == 0 {
				k.advance(time.Unix(int64(i), 0))
				j.Advance(time.Unix(int64(i), 0))
			}
			if k.add(goldenKey(i)) {
				j.Add(goldenKey(i))
			}
		}
	}
	add(0, 50)
	require.NoError(t, j.Save(1000))
	add(50, 80)
	require.NoError(t, j.Sync(2000))
	add(80, 99)
	for i := 50; i < 56 && k.remove != nil; i++ {
		require.True(t, k.remove(goldenKey(i)))
		j.Delete(goldenKey(i))
	}
	add(99, 100)
	require.NoError(t, j.Sync(3000))
	require.NoError(t, j.Close())
}

// Journals have the same bytes on every machine, and in every later version.
func TestGoldenFiles(t *testing.T) {
	machine.Matters(t)
	for _, kindName := range kindNames() {
		name := filepath.Join(quickDir(t), "journal")
		k := kinds[kindName]()
		writeGolden(t, name, k)
		written := readAll(t, name)
		golden := strings.ReplaceAll(kindName, " ", "-") + ".bin"
		frametest.Golden(t, golden, written)
		write(t, name, readAll(t, filepath.Join("testdata", golden)))
		j, _ := requireRestored(t, name, kinds[kindName], saved{int64(len(written)), state(k), 3000})
		require.NoError(t, j.Close())
	}
}

// receiver returns a structure for the journal data, which has the public
// family.
func receiver(data []byte) Structure {
	if len(data) > 76 {
		switch frame.Kind(data[76]) {
		case frame.Counting:
			return new(counting.Filter)
		case frame.Cuckoo:
			return new(cuckoo.Filter)
		case frame.CountMin:
			return new(countmin.Sketch)
		case frame.ScalableBloom:
			return new(bloom.Scalable)
		case frame.ScalableCuckoo:
			return new(cuckoo.Scalable)
		case frame.RotatingBloom:
			return new(bloom.Rotating)
		}
	}
	return new(bloom.Filter)
}

// seal corrects the checksums of all frames in data, and the words that chain
// blocks, so that a decoder will check the rest.
func seal(data []byte) (sealed []byte) {
	place := make([]byte, 8)
	for len(data) >= 24 {
		b := bytes.Clone(data[:frametest.Len(data)])
		data = data[len(b):]
		if frame.Kind(b[frametest.Kind]) == frame.Journal && len(b) >= 72 && len(sealed) > 0 {
			copy(b[frametest.Params+8:], place)
		}
		b = frametest.Seal(b)
		sealed = append(sealed, b...)
		copy(place, b[len(b)-8:])
		if len(b) >= 72 && frame.Kind(b[frametest.Kind]) == frame.Journal {
			binary.LittleEndian.PutUint64(place, block.After(b))
		}
	}
	return append(sealed, data...)
}

// Open accepts a file or returns an error of the right kind without changing
// the file. If it accepts the file, it does so again, with the same result.
func FuzzOpen(f *testing.F) {
	for _, kindName := range kindNames() {
		name := filepath.Join(f.TempDir(), "journal")
		j := mustOpen(f, name, kinds[kindName]().Structure)
		j.Add(1, 2, 3)
		require.NoError(f, j.Sync(1))
		require.NoError(f, j.Close())
		f.Add(readAll(f, name))
	}
	name := filepath.Join(quickDir(f), "journal")
	frametest.Fuzz(f, func(t *testing.T, data []byte) {
		for _, b := range [][]byte{data, seal(data)} {
			if len(b) > 0 {
				fuzzOpen(t, name, b)
			}
		}
	})
}

func fuzzOpen(t *testing.T, name string, data []byte) {
	write(t, name, data)
	s := receiver(data)
	j, err := Open(name, s)
	if err != nil {
		known := false
		for _, want := range []error{
			hashfam.ErrCorrupt, hashfam.ErrVersion, hashfam.ErrFamily, hashfam.ErrParams, errors.ErrUnsupported,
			cuckoo.ErrFull, cuckoo.ErrCopies,
		} {
			known = known || errors.Is(err, want)
		}
		require.True(t, known, "%v", err)
		require.True(t, bytes.Equal(data, readAll(t, name)), "a refused file was changed")
		return
	}
	position := j.Position()
	require.NoError(t, j.Close())
	size := sizeOf(t, name)
	if data[frametest.Kind] == byte(frame.Journal) {
		require.True(t, bytes.HasPrefix(data, readAll(t, name)), "more than the end was changed")
	}
	again := receiver(data)
	j = mustOpen(t, name, again)
	require.Equal(t, position, j.Position())
	require.True(t, state(s) == state(again), "another state")
	require.Equal(t, size, sizeOf(t, name))
	require.NoError(t, j.Close())
}

// Words that are not runs, and a start that is not empty, are refused although
// their checksums are right.
func TestForgedBlocksAreRefused(t *testing.T) {
	machine.Matters(t)
	name := filepath.Join(quickDir(t), "journal")
	j := mustOpen(t, name, smallBloom())
	first := int(j.end.At)
	j.Add(1, 2, 3)
	require.NoError(t, j.Sync(9))
	require.NoError(t, j.Close())
	data := readAll(t, name)
	for _, c := range []struct {
		at   int
		word uint64
		want string
	}{
		{24, 1, "position = 1, want 0 at the start of a journal"},
		{32, 1, "previous checksum = 1, want 0 at the start of a journal"},
		{first + 64, 1<<56 | 4, "words of a run = 4, want 1 to the number of words that follow"},
		{first + 64, 1 << 56, "words of a run = 0, want 1"},
		{first + 64, 3, "operation of a run = 0, want 1 to 3"},
		{first + 64, 4<<56 | 3, "operation of a run = 4, want 1 to 3"},
		{first + 64, 2<<56 | 3, "has no DeleteAll for digests"},
		{first + 64, 3<<56 | 3, "has no Advance for digests"},
	} {
		b := bytes.Clone(data)
		binary.LittleEndian.PutUint64(b[c.at:], c.word)
		write(t, name, seal(b))
		require.ErrorContains(t, requireRefused(t, name, smallBloom()), c.want)
	}
	withWords := append(data[first:first+104:first+104], data[72:]...)
	copy(withWords[24:40], make([]byte, 16))
	write(t, name, seal(withWords))
	require.ErrorContains(t, requireRefused(t, name, smallBloom()), "words = 4, want none at the start of a journal")
	chained := bytes.Clone(data)
	chained[first+32] ^= 1
	write(t, name, append(chained[:first:first], frametest.Seal(chained[first:])...))
	require.ErrorContains(t, requireRefused(t, name, smallBloom()), "previous checksums = ")
}
