package journal

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/block"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/checks/machine"
)

// fields are the offsets of the fields in a block, and of its first words.
var fields = []int64{0, 4, 5, 6, 8, 16, 24, 32, 40, 56, 60, 64, 72}

// A file that ends anywhere in its blocks has the state and the position of the
// last block that is complete, also after the journal has gone on. The short
// form cuts only the last two blocks: at each field, a byte after it, and at
// some other places.
func TestCutFilesHaveTheStateOfTheLastCompleteBlock(t *testing.T) {
	long := checks.Long(t, 4, 0.1)
	seeds := uint64(1)
	if long {
		seeds = 20
	}
	eachKind(t, func(t *testing.T, create func() kind) {
		for seed := range seeds {
			name := filepath.Join(quickDir(t), "journal")
			all := history(t, name, create(), rand.New(rand.NewPCG(seed, 1)), 6, 20)
			data := readAll(t, name)
			require.Len(t, data, int(all[len(all)-1].end))
			last := len(all) - 3
			if long {
				last = 0
			}
			rng := rand.New(rand.NewPCG(seed, 2))
			for cut := all[last].end; cut <= int64(len(data)); cut++ {
				for last+1 < len(all) && all[last+1].end <= cut {
					last++
				}
				if !long && !atField(cut, all, last) && rng.IntN(8) > 0 {
					continue
				}
				write(t, name, data[:cut])
				j, k := requireRestored(t, name, create, all[last])
				if cut%7 == 0 || cut == all[last].end {
					requireGoesOn(t, j, k, create)
				}
				require.NoError(t, j.Close())
			}
		}
	})
}

// atField reports whether the first or the second byte of a field is at this
// place of the block that follows all[last], or whether the block's checksum or
// the zeros after it begin there.
func atField(place int64, all []saved, last int) bool {
	begin := all[last].end
	if slices.Contains(fields, place-begin) || slices.Contains(fields, place-begin-1) {
		return true
	}
	return last+1 < len(all) && slices.Contains([]int64{1, 4, 8, 9}, all[last+1].end-place)
}

// requireGoesOn adds a key and reads the file again.
func requireGoesOn(t *testing.T, j *Journal, k kind, create func() kind) {
	d := digestOf(1 << 40)
	if k.add(d) {
		j.Add(d)
	}
	require.NoError(t, j.Sync(77))
	require.NoError(t, j.Close())
	again, _ := requireRestored(t, j.name, create, saved{sizeOf(t, j.name), state(k), 77})
	*j = Journal{file: again.file}
	j.disk.free.L = &j.disk.mu
}

// Without a complete block, a file is damaged, which a crash cannot cause.
func TestFilesThatEndBeforeTheFirstBlockAreRefused(t *testing.T) {
	eachKind(t, func(t *testing.T, create func() kind) {
		name := filepath.Join(quickDir(t), "journal")
		all := history(t, name, create(), rand.New(rand.NewPCG(1, 1)), 1, 20)
		data := readAll(t, name)
		for cut := max(1, all[0].end-300); cut < all[0].end; cut++ {
			write(t, name, data[:cut])
			require.ErrorIs(t, requireRefused(t, name, create().Structure), hashfam.ErrCorrupt)
		}
		for _, cut := range []int{1, 4, 5, 24, 71, 72, 73} {
			write(t, name, data[:cut])
			require.ErrorIs(t, requireRefused(t, name, create().Structure), hashfam.ErrCorrupt)
		}
	})
}

// A flipped bit before the last block is an error, and the file stays as it is.
// In the last block it looks like an interrupted write. The short form flips a
// bit of each field of each frame, and some others.
func TestFlippedBitsAreRefusedOrCutOff(t *testing.T) {
	long := checks.Long(t, 1, 0.1)
	eachKind(t, func(t *testing.T, create func() kind) {
		name := filepath.Join(quickDir(t), "journal")
		all := history(t, name, create(), rand.New(rand.NewPCG(3, 1)), 3, 10)
		data := readAll(t, name)
		before := all[len(all)-2]
		rng := rand.New(rand.NewPCG(3, 2))
		chosen := bitsOfFields(rng, all)
		for bit := range 8 * len(data) {
			if at := int64(bit / 8); at > 200 && at < all[0].end-200 && bit%64 > 7 {
				continue // most of the structure: its own tests flip all bits
			}
			if !long && !chosen[bit] && rng.IntN(61) > 0 {
				continue
			}
			b := bytes.Clone(data)
			b[bit/8] ^= 1 << (bit % 8)
			write(t, name, b)
			if int64(bit/8) < before.end {
				requireRefused(t, name, create().Structure)
				continue
			}
			k := create()
			j, err := Open(name, k.Structure)
			if err != nil { // for example another kind, with a valid checksum
				continue
			}
			require.Equal(t, before.position, j.Position())
			require.True(t, before.state == state(k))
			require.NoError(t, j.Close())
		}
	})
}

// bitsOfFields returns a bit in the first byte of each field of the start, of
// the first frame of the structure, and of each block.
func bitsOfFields(rng *rand.Rand, all []saved) map[int]bool {
	begins := []int64{0, block.StartBytes, all[0].end - block.StartBytes} // the first block has no words, like the start
	for _, s := range all[:len(all)-1] {
		begins = append(begins, s.end)
	}
	chosen := map[int]bool{}
	choose := func(at int64) { chosen[8*int(at)+rng.IntN(8)] = true }
	for _, begin := range begins {
		for _, field := range fields {
			choose(begin + field)
		}
	}
	for _, s := range all {
		choose(s.end - 8) // the checksum
		choose(s.end - 4)
	}
	return chosen
}

// Any of the last block's sectors can be lost when the machine crashes: then
// they contain zeros or other bytes, and the file may be longer than the block.
func TestLostSectorsAreCutOff(t *testing.T) {
	machine.Matters(t)
	tries := 15
	if checks.Long(t, 1, 0.1) {
		tries = 1000
	}
	eachKind(t, func(t *testing.T, create func() kind) {
		name := filepath.Join(quickDir(t), "journal")
		all := history(t, name, create(), rand.New(rand.NewPCG(9, 1)), 3, 600)
		data := readAll(t, name)
		before := all[len(all)-2]
		rng := rand.New(rand.NewPCG(1, 2))
		for range tries {
			b := loseSectors(rng, data, int(before.end))
			want := before
			if bytes.Equal(b, data) {
				want = all[len(all)-1]
			}
			if rng.IntN(3) == 0 {
				b = append(b, make([]byte, rng.IntN(9000))...)
			}
			write(t, name, b)
			j, _ := requireRestored(t, name, create, want)
			require.NoError(t, j.Close())
		}
	})
}

// loseSectors replaces half of the sectors of a file's last block.
func loseSectors(rng *rand.Rand, data []byte, begin int) []byte {
	const sector = 512
	b := bytes.Clone(data)
	random := rng.IntN(2) == 0
	for at := begin; at < len(b); at = (at/sector + 1) * sector {
		if rng.IntN(2) == 0 {
			continue
		}
		lost := b[at:min(len(b), (at/sector+1)*sector)]
		clear(lost)
		if random {
			for i := range lost {
				lost[i] = byte(rng.Uint32())
			}
		}
	}
	return b
}

// The blocks of a file with the same first words, but another position, are
// refused, too: a place does not depend on words alone.
func TestBlocksAfterAnotherPositionAreRefused(t *testing.T) {
	machine.Matters(t)
	var files [2][]byte
	var first int64
	for i := range files {
		name := filepath.Join(quickDir(t), "journal")
		j := mustOpen(t, name, smallBloom())
		require.NoError(t, j.Save(uint64(i)))
		first = j.end.At
		j.Add(1)
		require.NoError(t, j.Sync(5))
		require.NoError(t, j.Close())
		files[i] = readAll(t, name)
	}
	name := filepath.Join(quickDir(t), "journal")
	write(t, name, append(files[0][:first:first], files[1][first:]...))
	require.ErrorIs(t, requireRefused(t, name, smallBloom()), hashfam.ErrCorrupt)
}

// Whole blocks that are repeated, left out, in another order or from an older
// file have valid checksums, but are never applied.
func TestBlocksInTheWrongPlaceAreRefused(t *testing.T) {
	machine.Matters(t)
	eachKind(t, func(t *testing.T, create func() kind) {
		name := filepath.Join(quickDir(t), "journal")
		var all []saved
		for seed := uint64(1); len(all) < 5; seed++ {
			os.Remove(name)
			all = history(t, name, create(), rand.New(rand.NewPCG(seed, 1)), 6, 30)
		}
		data := readAll(t, name)
		var list [][]byte
		for i, s := range all[1:] {
			list = append(list, data[all[i].end:s.end])
		}
		other := filepath.Join(quickDir(t), "journal")
		older := history(t, other, create(), rand.New(rand.NewPCG(99, 1)), 1, 30)
		foreign := readAll(t, other)[older[0].end:]
		for i := range list {
			swapped := slices.Clone(list)
			swapped[i], swapped[0] = swapped[0], swapped[i]
			wrong := [][][]byte{
				slices.Insert(slices.Clone(list), i, list[i]), // twice
				slices.Insert(slices.Clone(list), i, foreign),
			}
			if i > 0 {
				wrong = append(wrong, swapped, append(slices.Clone(list[:i]), foreign))
			}
			if i < len(list)-1 {
				wrong = append(wrong, slices.Delete(slices.Clone(list), i, i+1))
			}
			for _, blocks := range wrong {
				write(t, name, append(bytes.Clone(data[:all[0].end]), bytes.Join(blocks, nil)...))
				require.ErrorIs(t, requireRefused(t, name, create().Structure), hashfam.ErrCorrupt)
			}
		}
	})
}
