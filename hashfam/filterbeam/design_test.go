package filterbeam

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/filterbeam/internal/cutrunner"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// gathered returns the records that a design creates from bundles of keys, and
// the number of bytes that the bundles send.
func gathered(t *testing.T, d design, out string, bundles ...[][]byte) (records iter.Seq2[int, []byte], bytes int) {
	t.Helper()
	values := map[int][][]byte{}
	for _, keys := range bundles {
		c := must(d.collector(func(task int, _ uint64, value []byte) {
			values[task] = append(values[task], value)
			bytes += len(value)
		}))
		for some := range slices.Chunk(keys, 1000) {
			require.NoError(t, c.add(hashfam.Family{}.SumAll(nil, some), some))
		}
		require.NoError(t, c.flush())
	}
	all := map[int][]byte{}
	for task, some := range values {
		all[task] = must(d.gather(t.Context(), out, task, slices.Values(some)))
	}
	return maps.All(all), bytes
}

// finish writes the frame that a design creates from records.
func finish(t *testing.T, d design, out string, records iter.Seq2[int, []byte]) error {
	t.Helper()
	content, err := d.finish(t.Context(), records, &Summary{})
	if err != nil {
		return err
	}
	_, err = replace(t.Context(), out, content)
	return err
}

// stages returns the frame that the stages of a design build from bundles of
// keys, and the number of bytes that the bundles send.
func stages(t *testing.T, p Plan, bundles ...[][]byte) ([]byte, int) {
	t.Helper()
	d, out := must(p.spec.design()), filepath.Join(t.TempDir(), "out.bin")
	records, n := gathered(t, d, out, bundles...)
	require.NoError(t, finish(t, d, out, records))
	return must(os.ReadFile(out)), n
}

// A damaged intermediate file is an error, and the output stays unchanged.
func TestDamagedFilesFail(t *testing.T) {
	for _, p := range []Plan{bloomPlan(bloom.Blocked), ordered[0].plan, ordered[1].plan} {
		d := must(must(p.Windows(3)).spec.design())
		out := outputBefore(t)
		written, _ := gathered(t, d, out, testKeys(1000))
		damaged := must(decodeRecords[file](written, 3))[1]
		content := must(os.ReadFile(string(damaged.Name)))
		content[len(content)-1] ^= 1
		require.NoError(t, os.WriteFile(string(damaged.Name), content, 0o600))
		require.ErrorIs(t, finish(t, d, out, written), hashfam.ErrCorrupt)
		require.NoError(t, os.Truncate(string(damaged.Name), 8))
		require.ErrorIs(t, finish(t, d, out, written), io.ErrUnexpectedEOF)
		require.Equal(t, "before", string(must(os.ReadFile(out))))
	}
}

// The error of a full cuckoo filter contains the number of keys.
func TestFullCuckooFiltersFail(t *testing.T) {
	p := must(Cuckoo(cuckoo.Config{Capacity: 1000, FPRate: 0.01}))
	require.ErrorContains(t, fails(t, p, writeKeys(t, t.TempDir(), testKeys(5000), 3)), "the Capacity is too small for 5000 keys; want a Capacity for 5000 keys")
}

// For a small array, a bundle with few keys sends digests or positions, and a
// bundle with many keys sends a copy. For a large array, it always sends
// blocks. The frame is the same as a single process's.
func TestBundlesSendDigestsOrCopies(t *testing.T) {
	keys := testKeys(testCapacity)
	for _, test := range singles[:5] {
		want := test.frame(keys)
		p := must(test.plan.Windows(3))
		a := must(p.spec.array())
		few := 100*int(a.items*a.itemSize) + 10 // bytes of 100 keys

		frame, n := stages(t, p, keys[:100], keys[100:])
		require.Equal(t, want, frame, test.name)
		require.Less(t, n, int(a.header.Payload)+few)

		frame, n = stages(t, p, keys[:testCapacity/2], keys[testCapacity/2:])
		require.Equal(t, want, frame, test.name)
		require.LessOrEqual(t, n, 2*int(a.header.Payload)+10)

		_, n = stages(t, p, keys[:100])
		require.Less(t, n, few, test.name)
	}
	c := bloom.Config{Capacity: 15_000_000, FPRate: 0.01, Layout: bloom.Blocked}
	frame, n := stages(t, must(must(Bloom(c)).Windows(2)), keys)
	require.InDelta(t, 8*len(keys), n, 100)
	require.True(t, bytes.Equal(frameOf(bloom.New, c)(keys), frame))
}

// A bundle with many keys sends its counts several times, but each count once.
func TestBundlesSendEachCountOnce(t *testing.T) {
	keys := testKeys(2*maxCounted + 1000)
	frame, _ := stages(t, topkPlan, keys)
	total, _ := highs(t, topkPlan, frame)
	require.EqualValues(t, len(keys), total)
}

// A value must be a block or a copy of the window.
func TestDamagedValuesOfAWindowFail(t *testing.T) {
	d := must(must(must(Counting(counting.Config{Capacity: 1000, FPRate: 0.01})).Windows(3)).spec.design())
	for _, bad := range [][]byte{{}, {0}, {0, 0, 0, copyValue}} {
		_, err := d.gather(t.Context(), filepath.Join(t.TempDir(), "out.bin"), 0, slices.Values([][]byte{bad}))
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
	}
}

// Every position of a key reaches the window that owns it, even in arrays of
// more than 2^32 cells, and the windows cover the payload.
func TestPositionsReachTheirWindows(t *testing.T) {
	for _, capacity := range []uint64{1000, 1e6, 1e9, 1e11} {
		for _, n := range []int{0, 1, 3, maxTasks} {
			for _, p := range []Plan{
				must(Bloom(bloom.Config{Capacity: capacity, FPRate: 0.01})),
				must(Bloom(bloom.Config{Capacity: capacity, FPRate: 0.01, Layout: bloom.Partitioned})),
				must(Counting(counting.Config{Capacity: capacity, FPRate: 0.01})),
			} {
				a := must(must(p.Windows(n)).spec.array())
				end := uint64(0)
				for w := range a.windows() {
					from, to := a.payload(w)
					require.Equal(t, end, from)
					end = to
				}
				require.Equal(t, a.header.Payload, end)
				requireRouted(t, &a)
			}
		}
	}
}

// requireRouted checks where a sends the positions of some keys.
func requireRouted(t *testing.T, a *array) {
	t.Helper()
	for key := range uint64(20) {
		d := hashfam.Family{}.SumUint64(key)
		var got, want []uint64
		to := newBlocks(a.windows(), nil)
		a.route([]hashfam.Digest{d}, to)
		for w, block := range to.of {
			for data := block.data; len(data) > 0; data = data[4:] {
				got = append(got, uint64(w)*a.window+uint64(binary.LittleEndian.Uint32(data)))
			}
		}
		for p := d.Probe(); len(want) < a.Hashes; p = p.Next() {
			want = append(want, uint64(len(want))*a.slice+p.In(a.span))
		}
		require.ElementsMatch(t, want, got, "%d windows of %d cells", a.windows(), a.window)
	}
}

func init() { beam.RegisterType(reflect.TypeFor[wrongFn]()) }

// A wrongFn passes on the values of bundles, but does something wrong with the
// first value of each.
type wrongFn struct {
	How string

	done bool
}

func (f *wrongFn) StartBundle(func(int, []byte)) { f.done = false }

func (f *wrongFn) ProcessElement(task int, value []byte, emit func(int, []byte)) {
	if f.done || task == tallyTask {
		emit(task, value)
		return
	}
	f.done = true
	switch f.How {
	case "drop":
	case "repeat":
		emit(task, value)
		emit(task, value)
	case "change":
		changed := bytes.Clone(value)
		changed[0] ^= 1
		emit(task, changed)
	}
}

// wrong returns a job of Build with a wrongFn.
func wrong(how string, keys any) job {
	return func(s beam.Scope, p Plan, out string) {
		collect := &keyFn[string]{elements{bundle: bundle{Spec: p.spec}}}
		sent := beam.ParDo(s, collect, beam.CreateList(s, keys))
		gatherAndFinish(s, p, out, 0, beam.ParDo(s, &wrongFn{How: how}, sent))
	}
}

// A job fails if a block is dropped, sent twice or changed, whatever the runner
// and the structure. The error contains both numbers, and the output stays
// unchanged.
func TestLostRepeatedOrChangedBlocksFailTheJob(t *testing.T) {
	keys := forms(testKeys(3000))[0]
	for _, s := range everything() {
		if strings.HasSuffix(s.name, "large") {
			continue
		}
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
					require.ErrorContains(t, err, "that arrived at task", "%s, %s: %s", s.name, r.name, how)
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
		want, _ := runAlone(t, p, pattern)
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

// recordsOf returns the records of two tasks, which received 3 and 5 items, and
// of the bundles.
func recordsOf() [][]byte {
	t := tally{Totals: [totals]uint64{keysRead: 8, itemsRead: 8}}
	var records [][]byte
	for task, items := range []uint64{3, 5} {
		got := load{Runs: 1}
		value := sealed([]byte("block"), items)
		t.send(task, value)
		got.enter(value)
		records = append(records, append(tally{Arrived: map[int]load{task: got}}.append(nil), "record"...))
	}
	return append(records, t.append(nil))
}

// The error names the task and both numbers.
func TestTalliesMustMatch(t *testing.T) {
	all := recordsOf()
	with := func(more tally) [][]byte { return append(all[:3:3], more.append(nil)) }
	for _, test := range []struct {
		records [][]byte
		want    string
	}{
		{all, ""},
		{[][]byte{all[2], all[1], all[0]}, ""},
		{all[1:], "items that arrived at task 0 = 0, want 3, as sent"},
		{[][]byte{all[0], all[1], all[1], all[2]}, "items that arrived at task 1 = 10, want 5, as sent"},
		{all[:2], "items that arrived at task 0 = 3, want 0, as sent"},
		{with(tally{Totals: [totals]uint64{keysRead: 1, itemsRead: 1}}), "items that arrived = 8, want 9, as read"},
		{with(tally{Totals: [totals]uint64{filesListed: 1, bytesListed: 9}}), "files read = 0, want 1, as listed"},
		{with(tally{Totals: [totals]uint64{bytesListed: 9}}), "bytes read = 0, want 9, as listed"},
		{with(tally{Totals: [totals]uint64{listsWanted: 1}}), "listings of files = 0, want 1, as wanted"},
		{with(tally{Arrived: map[int]load{0: {Runs: 1}}}), "runs of task 0 = 2, want 1, as every task has"},
		{append(all[:3:3], nil), "tally = \"\""},
		{append(all[:3:3], all[2][:9]), "want the line that was sent"},
	} {
		r := records{arriving: slices.Values(test.records)}
		for range r.all {
		}
		if test.want == "" {
			require.NoError(t, r.err)
			require.EqualValues(t, 8, r.tally.Totals[keysRead])
			continue
		}
		require.ErrorIs(t, r.err, hashfam.ErrCorrupt)
		require.ErrorContains(t, r.err, test.want)
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
		compare := func(arrived load) error {
			t := tally{Sent: map[int]load{0: sent}, Arrived: map[int]load{0: arrived}}
			t.Totals[itemsRead] = sent.Items
			return t.check()
		}
		require.ErrorContains(t, compare(arrived), "sum of the checksums")
		require.NoError(t, compare(sent))
		arrived.Values++
		require.ErrorContains(t, compare(arrived), "blocks that arrived at task 0 = 3, want 2")
	}
}

func TestDamagedKeysNameTheLength(t *testing.T) {
	key, rest, err := cutKey([]byte("\x03abcd"))
	require.Equal(t, []any{"abc", "d", nil}, []any{string(key), string(rest), err})
	for bad, want := range map[string]string{
		"\x05abcd": "length of a key = 5, want at most 4, the rest of its block",
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01abcd": "length of a key = 18446744073709551615, want at most 4",
		"\x80": "length of a key = 80, want a varint",
		"":     "length of a key = , want a varint",
	} {
		_, _, err := cutKey([]byte(bad))
		require.ErrorIs(t, err, hashfam.ErrCorrupt)
		require.ErrorContains(t, err, want)
	}
}

// The number of distinct keys is known only when all ranges are sorted. Then
// the last task returns an error if a static filter cannot have this number, or
// does not fit into the memory.
func TestStaticFiltersHaveLimits(t *testing.T) {
	for _, c := range []struct {
		rate float64
		keys uint64
		err  error
		want string
	}{
		{0.01, ribbon.MaxKeys + 1, hashfam.ErrParams, "keys = 281474976710657, want at most 281474976710656"},
		{5e-10, 1 << 34, hashfam.ErrParams, "Config.FPRate = 5e-10, want at least "},
		{0.01, 1 << 40, nil, "filterbeam: a task of this job needs 1"},
	} {
		s := must(Static(static.Config{FPRate: c.rate})).spec
		record := must(json.Marshal(file{Bytes: 8 * c.keys}))
		_, err := ranges{s}.finish(t.Context(), maps.All(map[int][]byte{0: record}), &Summary{})
		require.ErrorIs(t, err, cmp.Or(c.err, err))
		require.ErrorContains(t, err, c.want)
	}
}
