package filterbeam

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/cutrunner"
)

func init() { beam.RegisterType(reflect.TypeFor[wrongFn]()) }

// A wrongFn passes on the values of bundles, but does something wrong with the
// first value of each.
type wrongFn struct {
	How string

	done bool
}

func (f *wrongFn) StartBundle(func(int, []byte)) { f.done = false }

func (f *wrongFn) ProcessElement(owner int, value []byte, emit func(int, []byte)) {
	if f.done || owner == tallyOwner {
		emit(owner, value)
		return
	}
	f.done = true
	switch f.How {
	case "drop":
	case "repeat":
		emit(owner, value)
		emit(owner, value)
	case "change":
		changed := bytes.Clone(value)
		changed[0] ^= 1
		emit(owner, changed)
	}
}

// wrong returns a job of Build with a wrongFn.
func wrong(how string, keys any) job {
	return func(s beam.Scope, p Plan, out string) {
		collect := &keyFn[string]{elements{bundle: bundle{Spec: p.spec}}}
		sent := beam.ParDo(s, collect, beam.CreateList(s, keys))
		join(s, p, out, 0, beam.ParDo(s, &wrongFn{How: how}, sent))
	}
}

// A job fails if a block is dropped, sent twice or changed, whatever the runner
// and the structure. The error contains both numbers, and the output stays
// unchanged.
func TestLostRepeatedOrChangedBlocksFailTheJob(t *testing.T) {
	keys := forms(testKeys(3000))[0]
	for _, s := range everything() {
		p := must(s.plan.Windows(3))
		plans := []Plan{p}
		if apart, err := p.Parts(3); err == nil {
			plans = append(plans, apart)
		}
		for i, how := range []string{"drop", "repeat", "change"} {
			for j, r := range forElements[i : i+3] {
				out := outputBefore(t)
				_, err := r.try(t, out, plans[j%len(plans)], wrong(how, keys))
				require.Error(t, err, "%s, %s: %s", s.name, r.name, how)
				require.Equal(t, "before", string(must(os.ReadFile(out))))
				if how != "change" { // a changed frame is rejected before the tallies are compared
					require.ErrorContains(t, err, "that arrived at shard", "%s, %s: %s", s.name, r.name, how)
				}
			}
		}
	}
}

// If an engine passes a key's values to two tasks, the job fails, or its frame
// is still the same as the loop's.
func TestSplitValuesCannotChangeTheFrame(t *testing.T) {
	pattern := writeKeys(t, t.TempDir(), testKeys(3000), 5)
	failed := map[int]int{}
	some := append(ordered[:2:2], singles[2], single{"topk", topkPlan, nil})
	for _, s := range some {
		p := must(s.plan.Windows(3))
		want, _ := runLocal(t, p, pattern)
		for grouping := 1; grouping <= 3; grouping++ {
			out := filepath.Join(t.TempDir(), "out.bin")
			_, err := cut(cutrunner.Options{Elements: 1, Divide: grouping}).try(t, out, p, files(pattern))
			if err != nil {
				require.ErrorContains(t, err, "the engine lost, repeated or changed some", s.name)
				require.NoFileExists(t, out)
				failed[grouping]++
			} else if !loose(p) {
				require.True(t, bytes.Equal(want, must(os.ReadFile(out))), "%s, grouping %d", s.name, grouping)
			}
		}
	}
	require.Equal(t, len(some), failed[1], "the values of a shard")
	require.Equal(t, len(some), failed[2], "the records of all shards")
}

// recordsOf returns the records of two shards, which received 3 and 5 items,
// and of the bundles.
func recordsOf() [][]byte {
	t := tally{Totals: [totals]uint64{keysRead: 8, itemsRead: 8}}
	var records [][]byte
	for owner, items := range []uint64{3, 5} {
		got := load{Tasks: 1}
		value := sealed([]byte("block"), items)
		t.send(owner, value)
		got.enter(value)
		records = append(records, append(tally{Arrived: map[int]load{owner: got}}.append(nil), "record"...))
	}
	return append(records, t.append(nil))
}

// The error names the shard and both numbers.
func TestTalliesMustMatch(t *testing.T) {
	all := recordsOf()
	with := func(more tally) [][]byte { return append(all[:3:3], more.append(nil)) }
	for _, test := range []struct {
		records [][]byte
		want    string
	}{
		{all, ""},
		{[][]byte{all[2], all[1], all[0]}, ""},
		{all[1:], "items that arrived at shard 0 = 0, want 3, as sent"},
		{[][]byte{all[0], all[1], all[1], all[2]}, "items that arrived at shard 1 = 10, want 5, as sent"},
		{all[:2], "items that arrived at shard 0 = 3, want 0, as sent"},
		{with(tally{Totals: [totals]uint64{keysRead: 1, itemsRead: 1}}), "items that arrived = 8, want 9, as read"},
		{with(tally{Totals: [totals]uint64{filesListed: 1, bytesListed: 9}}), "files read = 0, want 1, as listed"},
		{with(tally{Totals: [totals]uint64{bytesListed: 9}}), "bytes read = 0, want 9, as listed"},
		{with(tally{Totals: [totals]uint64{listsWanted: 1}}), "listings of files = 0, want 1, as wanted"},
		{with(tally{Arrived: map[int]load{0: {Tasks: 1}}}), "tasks of shard 0 = 2, want 1, as every key has"},
		{append(all[:3:3], nil), "tally = \"\""},
		{append(all[:3:3], all[2][:9]), "want the line that was sent"},
	} {
		var books tally
		var failed error
		for range books.records(slices.Values(test.records), &failed) {
		}
		if test.want == "" {
			require.NoError(t, failed)
			require.EqualValues(t, 8, books.Totals[keysRead])
			continue
		}
		require.ErrorIs(t, failed, ErrCorrupt)
		require.ErrorContains(t, failed, test.want)
	}
}

// A block cannot replace another with the same number of items. A frame cannot
// either, although all frames have the same CRC-32C.
func TestBlocksCannotReplaceEachOther(t *testing.T) {
	a, b := bloomFrame([][]byte{[]byte("ada")}), bloomFrame([][]byte{[]byte("grace")})
	for _, values := range [][2][]byte{{[]byte("block 0"), []byte("block 1")}, {a, b}} {
		var sent, arrived load
		for i := range values {
			sent.enter(sealed(slices.Clone(values[i]), 7))
			arrived.enter(sealed(slices.Clone(values[0]), 7))
		}
		require.ErrorContains(t, compare(0, arrived, sent), "sum of the checksums")
		require.NoError(t, compare(0, sent, sent))
		arrived.Values++
		require.ErrorContains(t, compare(0, arrived, sent), "blocks that arrived at shard 0 = 3, want 2")
	}
}
