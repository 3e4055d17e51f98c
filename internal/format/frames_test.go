package format

import (
	"bytes"
	"context"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/journal"
	"github.com/filterfam/filterfam/hashfam/perfect"
	"github.com/filterfam/filterfam/hashfam/sharded"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/frame/frametest"
	"github.com/filterfam/filterfam/internal/sizing"
)

type structure interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// receivers returns a receiver for each kind. A delta needs a Bloom filter
// instead.
func receivers(fam hashfam.Family) []structure {
	return []structure{
		1: bloom.NewReceiver(fam), 2: counting.NewReceiver(fam), 3: cuckoo.NewReceiver(fam), 4: countmin.NewReceiver(fam),
		5: countmin.NewHeavyReceiver(fam), 6: countmin.NewHeavyReceiver(fam), 7: static.NewReceiver(fam),
		9: perfect.NewReceiver(fam), 10: perfect.NewFilterReceiver(fam), 11: bloom.NewScalableReceiver(fam),
		12: cuckoo.NewScalableReceiver(fam), 13: bloom.NewRotatingReceiver(fam), 14: countmin.NewWindowReceiver(fam),
	}
}

const (
	delta     = 15
	inJournal = 16
	limits    = "limits*.txt"
)

// decoded decodes a frame, which must use the public family or the secret
// family of the golden files. For a delta it returns base after the change.
func decoded(t *testing.T, frame []byte, base *bloom.Filter) any {
	fam := hashfam.Family{}
	if binary.LittleEndian.Uint64(frame[8:]) != fam.CheckValue() {
		fam = hashfam.New(hashfam.Key{1, 2, 3})
	}
	if frame[4] == delta {
		require.NotNil(t, base)
		require.NoError(t, base.ApplyDelta(frame))
		return base
	}
	s := receivers(fam)[frame[4]]
	require.NoError(t, s.UnmarshalBinary(frame))
	require.Equal(t, frame, must(s.MarshalBinary()), "encoded again")
	return s
}

// queries returns the keys that are used in docs/vectors.md. Half of them are
// also used in golden files.
func queries() (keys []string) {
	for i := range 32 {
		keys = append(keys, fmt.Sprint("key ", 3*i))
	}
	for i := range 32 {
		keys = append(keys, fmt.Sprint("other ", i))
	}
	return keys
}

// answered returns the results for s in the same form as docs/vectors.md: a
// bitmap, or a checksum. If s forgets as time passes, the results one part
// later follow.
func answered(s any, frame []byte) string {
	all := answersTo(s, queries())
	if at, ok := partLater(frame); ok {
		s.(interface{ Advance(time.Time) }).Advance(at)
		all += " " + answersTo(s, queries())
	}
	return all
}

func answersTo(s any, keys []string) string {
	var b []byte
	put := func(numbers ...uint64) {
		for _, n := range numbers {
			b = binary.LittleEndian.AppendUint64(b, n)
		}
	}
	for _, key := range keys {
		switch s := s.(type) {
		case tracked:
			e := s.EstimateString(key)
			put(e.Low, e.High)
		case interface{ CountString(string) uint64 }:
			put(s.CountString(key))
		case interface{ IndexString(string) uint64 }:
			put(s.IndexString(key))
		case *perfect.Filter:
			value, found := s.ValueString(key)
			put(value, conformance.One(found))
		}
	}
	if list, ok := s.(tracked); ok {
		for key, e := range list.All() {
			b = append(b, key...)
			put(e.Low, e.High)
		}
	}
	if b == nil {
		b = bitmap(s.(set), keys)
	}
	if len(b) == 8 {
		return fmt.Sprintf("%016x", binary.LittleEndian.Uint64(b))
	}
	return crcOf(b)
}

type set interface{ ContainsString(string) bool }

// bitmap has a bit for each key, which is set if s contains the key.
func bitmap(s set, keys []string) []byte {
	b := make([]byte, (len(keys)+7)/8)
	for i, key := range keys {
		b[i/8] |= byte(conformance.One(s.ContainsString(key))) << (i % 8)
	}
	return b
}

func crcOf(b []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// partLater returns the start of the part after the newest one in a frame of
// kind 13 or 14, or false if there is none.
func partLater(frame []byte) (time.Time, bool) {
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(frame[24+at:]) }
	var span, parts, part int64
	switch {
	case frame[4] == 13 && word(40) != 1<<63:
		span, parts, part = int64(word(16)), int64(frame[24+34]), int64(word(40))
	case frame[4] == 14 && word(40) == 1:
		span, parts, part = int64(word(16)), int64(word(24)), int64(word(48))
	}
	if span == 0 {
		return time.Time{}, false
	}
	span = (span-1)/parts + 1
	return time.Unix(0, (part+1)*span), part < math.MaxInt64/span && part+1 >= math.MinInt64/span
}

// bases contains the filters before the golden deltas are applied. Their keys
// are "key 0", "key 1", ...
var bases = map[string]struct {
	params bloom.Params
	keys   int
}{
	"bloom/testdata/delta.bin":         {bloom.Params{Bits: 10_000, Hashes: 7}, 100},
	"bloom/testdata/delta-blocked.bin": {bloom.Params{Bits: 1024, Hashes: 4, Layout: bloom.Blocked, Family: hashfam.New(hashfam.Key{1, 2, 3})}, 10},
	"bloom/testdata/delta-empty.bin":   {bloom.Params{Bits: 64, Hashes: 1}, 1},
	"bloom/testdata/delta-flip.bin":    {bloom.Params{Bits: 1001, Hashes: 7, Layout: bloom.Partitioned}, 300},
}

// golden adds the results for the golden files.
func (v *vectors) golden() {
	v.text.WriteString("\n")
	for _, path := range files(v.t, "*.bin") {
		if strings.Contains(path, "conformance") {
			continue
		}
		fields, frame := []any{path}, []byte(read(v.t, path))
		if frame[4] == inJournal {
			v.line(append(fields, restored(v.t, frame)...)...)
			continue
		}
		var base *bloom.Filter
		if b, ok := bases[path]; ok {
			base = must(bloom.NewFromParams(b.params))
			for i := range b.keys {
				base.AddString(fmt.Sprint("key ", i))
			}
			fields = append(fields, "base", b.params.Bits, b.params.Hashes, b.params.Layout, b.keys)
		}
		v.line(append(fields, answered(decoded(v.t, frame, base), frame))...)
	}
}

// restored returns the position of the journal data, and the results for its
// structure.
func restored(t *testing.T, data []byte) []any {
	name := filepath.Join(t.TempDir(), "journal")
	require.NoError(t, os.WriteFile(name, data, 0o600))
	inner := data[72:]
	s := receivers(hashfam.Family{})[inner[4]].(journal.Structure)
	first := frametest.Len(inner)
	if inner[first+4] == inJournal {
		j := must(journal.Open(name, s))
		defer j.Close()
		return []any{j.Position(), answered(s, inner)}
	}
	o := must(sharded.New(4, func(int) (*counting.Filter, error) { return new(counting.Filter), nil }))
	j := must(journal.Open(name, journal.Shards(o)))
	defer j.Close()
	return []any{j.Position(), answered(counters{o}, inner)}
}

// counters are shards that count.
type counters struct{ *sharded.Of[*counting.Filter] }

func (c counters) CountString(key string) (n uint64) {
	d := hashfam.Family{}.SumString(key)
	c.Do(d, func(f *counting.Filter) { n = f.CountDigest(d) })
	return n
}

// larger returns the larger test vectors. keys contains the integers 0, 1, 2,
// ... in 8 bytes each, and d contains their digests.
func larger(ctx context.Context, keys []string, d []hashfam.Digest) []structure {
	set := must(static.New(ctx, static.Config{FPRate: 0.015}, d[:100_500]))
	exact := must(static.NewExact(ctx, static.Config{FPRate: 1}, d[:5_000], d[5_000:100_000]))
	function := must(perfect.New(ctx, perfect.Config{}, d[:30_000]))
	small := make([]uint64, 20_000)
	for i := range small {
		small[i] = uint64(i % 32)
	}
	c := perfect.FilterConfig{FPRate: 0.01, ValueBits: 5, Compact: true}
	values := must(perfect.NewFilter(ctx, c, d[:20_000], small))
	grown := must(bloom.NewScalable(bloom.ScalableConfig{Expected: 100, FPRate: 0.1, MemoryBytes: 12_000}))
	pages := must(cuckoo.NewScalable(cuckoo.ScalableConfig{Expected: 2_100, FPRate: 0.5, MemoryBytes: 200_000}))
	heavy := must(countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 0.002, MemoryBytes: 4_096}))
	window := must(countmin.NewWindow(countmin.WindowConfig{Phi: 0.005, Keys: 30_000, Parts: 3, MemoryBytes: 8_192}))
	for i, digest := range d {
		pages.AddDigest(digest) // until its memory is full
		heavy.AddString(keys[i*(i%7)%4_999])
		window.AddString(keys[i*(i%9)%(4_999+i/5_000)])
		if i < 20_000 {
			grown.AddDigest(digest)
		}
	}
	return []structure{set, exact, function, values, grown, pages, heavy, window}
}

// large adds the larger vectors, and their results for 0, 5, 10, ..., 199,995.
func (v *vectors) large() {
	var keys []string
	var digests []hashfam.Digest
	for i := range uint64(200_000) {
		keys = append(keys, string(binary.LittleEndian.AppendUint64(nil, i)))
		if i < 110_000 {
			digests = append(digests, hashfam.Family{}.SumUint64(i))
		}
	}
	v.text.WriteString("\n")
	list := larger(v.t.Context(), keys, digests)
	for i := range 40_000 {
		keys[i] = keys[5*i]
	}
	for _, s := range list {
		b := must(s.MarshalBinary())
		v.line("larger", b[4], len(b), crcOf(b[:len(b)-8]), answersTo(s, keys[:40_000]))
	}
}

// Each frame must be decoded, encoded to the same bytes, and return the same
// results. For the largest frames only the header is stored. It is valid if the
// only error is that the stream is too short.
func TestFramesAtTheLimitsAreAccepted(t *testing.T) {
	frames := 0
	for _, path := range files(t, limits) {
		var base *bloom.Filter
		for _, entry := range strings.Split(strings.TrimSpace(read(t, path)), "\n\n") {
			name, rest, _ := strings.Cut(entry, "\n")
			digits, answers, whole := strings.Cut(rest, "\n  answers ")
			frame := unshown(digits)
			frames++
			t.Run(name, func(t *testing.T) {
				if whole {
					s := decoded(t, frame, base)
					base, _ = s.(*bloom.Filter)
					require.Equal(t, answers, answered(s, frame))
				} else if sizing.Addresses > 1<<48 { // smaller platforms refuse such frames
					_, err := receivers(hashfam.Family{})[frame[4]].(io.ReaderFrom).ReadFrom(io.MultiReader(bytes.NewReader(frame)))
					require.ErrorIs(t, err, io.ErrUnexpectedEOF)
				}
			})
		}
	}
	require.Greater(t, frames, 60)
}

func unshown(text string) []byte {
	digits := zeros.ReplaceAllStringFunc(text, func(run string) string { return strings.Repeat("00", must(strconv.Atoi(run[3:]))) })
	return must(hex.DecodeString(strings.Join(strings.Fields(digits), "")))
}

// A question is a frame and the number of keys to look up. The answer is a
// bitmap of the keys that are found, or nil if the frame is rejected.
type question struct {
	Frame []byte
	Keys  int
}

// asker is a Node program that answers questions. If i is odd, key i is the
// text "ключ i", and otherwise the bytes of i after up to 20 zeros.
const asker = `import fs from "node:fs";
import { open } from "./filterfam.mjs";
const keys = Array.from({ length: 100000 }, (_, i) => {
  if (i % 2) return "ключ " + i;
  const key = new Uint8Array(8 + i % 21);
  new DataView(key.buffer).setUint32(i % 21, i, true);
  return key;
});
console.log(JSON.stringify(JSON.parse(fs.readFileSync(0)).map(({ Frame, Keys }) => {
  let filter;
  try { filter = open(Buffer.from(Frame, "base64")); } catch (e) {
    if (!e.message.startsWith("filterfam: ")) throw e;
    return null;
  }
  const bits = new Uint8Array((Keys + 7) / 8);
  for (let i = 0; i < Keys; i++) if (filter.has(keys[i])) bits[i >> 3] |= 1 << (i & 7);
  return Buffer.from(bits).toString("base64");
})));
`

var askedKeys = func() (keys []string) {
	for i := range 100_000 {
		if i%2 == 1 {
			keys = append(keys, fmt.Sprint("ключ ", i))
		} else {
			keys = append(keys, strings.Repeat("\x00", i%21)+string(binary.LittleEndian.AppendUint64(nil, uint64(i))))
		}
	}
	return keys
}()

// docs/filterfam.mjs must accept the same frames and return the same results as
// the library, for 100,000 keys in filters of each layout, and for frames with
// a damaged byte, some with correct checksums. All its errors must be its own.
func TestTheScriptReturnsTheSameResults(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node")
	}
	all := append(ownFilters(t), damaged(t)...)
	dir := t.TempDir()
	script := read(t, "docs/filterfam.mjs")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "filterfam.mjs"), []byte(script), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ask.mjs"), []byte(asker), 0o600))
	cmd := exec.Command(node, filepath.Join(dir, "ask.mjs"))
	cmd.Stdin = bytes.NewReader(must(json.Marshal(all)))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	requireRecipeRuns(t, node, dir)
	var got [][]byte
	require.NoError(t, json.Unmarshal(out, &got))
	refused := 0
	for i, q := range all {
		want := answerOf(q)
		require.True(t, bytes.Equal(want, got[i]) && (want == nil) == (got[i] == nil), "question %d: the library: %x, the script: %x, frame %x", i, want, got[i], q.Frame)
		if want == nil {
			refused++
		}
	}
	t.Log(len(all), "frames,", refused, "refused")
	require.Greater(t, refused, 2_000)
	require.Greater(t, len(all)-refused, 1_000)
}

// A frame that the script does not read is refused by its name.
func TestTheScriptNamesWhatItDoesNotRead(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "filterfam.mjs"), []byte(read(t, "docs/filterfam.mjs")), 0o600))
	const script = `import fs from "node:fs"; import { open } from "./filterfam.mjs"; open(fs.readFileSync("frame"));`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "open.mjs"), []byte(script), 0o600))
	for file, name := range map[string]string{
		"hashfam/perfect/testdata/filterwide.bin": "a perfect hash filter", "countmin/testdata/top.bin": "a top k",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "frame"), []byte(read(t, file)), 0o600))
		cmd := exec.Command(node, "open.mjs")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), "filterfam: cannot read "+name)
	}
}

// requireRecipeRuns runs the script in docs/recipes.md. dir contains
// filterfam.mjs.
func requireRecipeRuns(t *testing.T, node, dir string) {
	blocked := must(static.New(t.Context(), static.Config{FPRate: 0.01}, []hashfam.Digest{hashfam.Family{}.SumString("login.example")}))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "blocked.bin"), must(blocked.MarshalBinary()), 0o600))
	for _, b := range fenced.FindAllStringSubmatch(read(t, "docs/recipes.md"), -1) {
		if b[1] == "js" {
			server := "import fs from \"node:fs\"; globalThis.fetch = async (path) => new Response(fs.readFileSync(\".\" + path));"
			require.NoError(t, os.WriteFile(filepath.Join(dir, "recipe.mjs"), []byte(server+b[2]), 0o600))
			cmd := exec.Command(node, "recipe.mjs")
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Equal(t, "ask the server\n", string(out))
		}
	}
}

// answerOf returns the library's answer.
func answerOf(q question) []byte {
	f := receivers(hashfam.Family{})[1]
	if len(q.Frame) > 4 && q.Frame[4] == 7 {
		f = receivers(hashfam.Family{})[7]
	}
	if f.UnmarshalBinary(q.Frame) != nil {
		return nil
	}
	return bitmap(f.(set), askedKeys[:q.Keys])
}

// ownFilters returns questions about filters with 75,000 keys, and about frames
// at the limits of the format.
func ownFilters(t *testing.T) (all []question) {
	digests := hashfam.Family{}.SumAllStrings(nil, askedKeys[:75_000])
	add := func(s structure) { all = append(all, question{must(s.MarshalBinary()), 100_000}) }
	for layout := bloom.Classic; layout <= bloom.Blocked; layout++ {
		f := must(bloom.New(bloom.Config{Capacity: 75_000, FPRate: 0.03, Layout: layout}))
		f.AddAll(digests)
		add(f)
	}
	for _, rate := range []float64{0.8, 0.03, 1e-9} {
		add(must(static.New(t.Context(), static.Config{FPRate: rate}, digests)))
	}
	for _, entry := range strings.Split(read(t, files(t, limits)[0]), "\n\n") {
		_, frame, _ := strings.Cut(entry, "\n")
		frame, _, whole := strings.Cut(frame, "\n  answers ")
		if b := unshown(frame); whole && (b[4] == 1 || b[4] == 7) {
			all = append(all, question{b, 200})
		}
	}
	return all
}

// damaged returns questions about the golden files, and about frames with a
// changed byte, with the old and with correct checksums.
func damaged(t *testing.T) (all []question) {
	for _, path := range files(t, "*.bin") {
		frame := []byte(read(t, path))
		all = append(all, question{frame, 200})
		if strings.Contains(path, "keyed") || frame[4] != 1 && frame[4] != 7 {
			continue
		}
		if frame[4] == 7 && len(frame) > 80 { // more layers than the payload has numbers of keys
			columns := uint64(binary.LittleEndian.Uint32(frame[32:]))
			all = append(all, question{frametest.Set(frame[:80], map[int]uint64{16: 8, 32: columns | 32<<32}), 64})
		}
		for i := range frame {
			for _, change := range []byte{1, 128} {
				b := bytes.Clone(frame)
				b[i] ^= change
				all = append(all, question{b, 64}, question{frametest.Seal(b), 64}, question{b[:i], 64})
			}
		}
	}
	return all
}
