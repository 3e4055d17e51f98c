package block

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/fault"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/frame/frametest"
)

var errs = &fault.Maker{Package: "test"}

// A record is a word with its operation.
type record struct {
	op   Op
	word uint64
}

// Runs contain the records in their order, and need one word for each record
// and for each change of the operation.
func TestRunsContainTheRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOf(rapid.Custom(func(t *rapid.T) record {
			return record{Op(rapid.IntRange(1, 3).Draw(t, "operation")), rapid.Uint64().Draw(t, "word")}
		})).Draw(t, "records")
		var r Recorder
		words, last := 0, Op(0)
		for _, x := range records {
			r.Add(x.op, x.word)
			words++
			if x.op != last {
				words++
			}
			last = x.op
		}
		require.Len(t, r.Words, words)
		var got []record
		require.NoError(t, EachRun(r.Words, errs, func(op Op, at int, run []uint64) error {
			require.Equal(t, run, r.Words[at:at+len(run)])
			for _, w := range run {
				got = append(got, record{op, w})
			}
			return nil
		}))
		require.True(t, slices.Equal(records, got))
	})
}

// journal returns a file: the start, two structures, and blocks with one word
// each at positions 1, 2, ...
func journal(blocks uint64) []byte {
	fam := hashfam.Family{}
	check := fam.CheckValue()
	structure := frame.Array{Kind: frame.Bloom, Cells: 128, Hashes: 2}.Header(check)
	file := Block{}.Append(nil, check)
	for range 2 {
		file = frame.Append(file, structure, frame.Numbers([]uint64{1, 2}))
	}
	place, err := AfterStructure(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		panic(err)
	}
	for i := range blocks {
		b := Block{Position: i + 1, Previous: place, Words: []uint64{uint64(Add)<<56 | 1, i}}.Append(nil, check)
		place = After(b)
		file = append(file, b...)
	}
	return file
}

func inspect(file []byte) (Contents, error) {
	h, err := frame.Identify(file)
	if err != nil {
		return Contents{}, err
	}
	return Inspect(bytes.NewReader(file), int64(len(file)), h, errs)
}

func TestInspectDescribesAFile(t *testing.T) {
	file := journal(3)
	c, err := inspect(file)
	require.NoError(t, err)
	require.Equal(t, Contents{Structures: 2, Position: 3, Blocks: 3, Records: 3}, c)
	last := len(journal(2))
	for end := last; end < len(file); end++ {
		c, err := inspect(file[:end:end])
		require.NoError(t, err)
		require.Equal(t, Contents{Structures: 2, Position: 2, Blocks: 2, Records: 2, Cut: int64(end - last)}, c)
	}
	for end := range len(journal(1)) {
		_, err := inspect(file[:end:end])
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
	}
}

func TestInspectFindsDamage(t *testing.T) {
	file := journal(3)
	for bit := range 8 * len(journal(2)) {
		b := bytes.Clone(file)
		b[bit/8] ^= 1 << (bit % 8)
		_, err := inspect(b)
		require.Error(t, err)
	}
	start := len(journal(0)) - 2*88
	_, err := inspect(append(bytes.Clone(file[:start]), file[len(journal(0)):]...))
	require.ErrorContains(t, err, "structures = 0, want at least 1")
	other := frametest.Set(file[start:], map[int]uint64{8: 1})
	_, err = inspect(append(append(bytes.Clone(file[:start]), other...), file[start+len(other):]...))
	require.ErrorContains(t, err, "family of the structure = keyed:0000000000000001, want public")
}
