// Package format checks that docs/format.md and docs/vectors.md describe the
// encoders and decoders, and that golden files do not change.
package format

import (
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/journal"
	"github.com/filterfam/filterfam/hashfam/perfect"
	"github.com/filterfam/filterfam/internal/frame/frametest"
)

const root = "../.."

// fenced matches a fenced block: its language and its text.
var fenced = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

// files returns the matching files in all testdata directories, as paths from
// the root.
func files(t *testing.T, pattern string) (found []string) {
	require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if matches, _ := filepath.Match(pattern, filepath.Base(path)); matches && filepath.Base(filepath.Dir(path)) == "testdata" {
			found = append(found, filepath.ToSlash(path[len(root)+1:]))
		}
		return err
	}))
	return found
}

func read(t *testing.T, path string) string {
	text, err := os.ReadFile(filepath.Join(root, path))
	require.NoError(t, err)
	return string(text)
}

// golden.sum contains the SHA-256 of every golden file, in the same format as
// sha256sum. Files in this list must not be changed or deleted, since they show
// that frames stay readable. -update only adds new files.
func TestGoldenFilesNeverChange(t *testing.T) {
	const list = "internal/format/testdata/golden.sum"
	text := read(t, list)
	frozen := map[string]string{}
	for line := range strings.Lines(text) {
		sum, path, found := strings.Cut(strings.TrimSpace(line), "  ")
		require.True(t, found, line)
		frozen[path] = sum
		assert.FileExists(t, filepath.Join(root, path), "a golden file is gone")
	}
	require.GreaterOrEqual(t, len(frozen), 60)
	added := ""
	for _, path := range append(files(t, "*.bin"), files(t, limits)...) {
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(read(t, path))))
		want, listed := frozen[path]
		if listed {
			assert.Equal(t, want, sum, "%s has changed: give the encoding a new version instead", path)
		} else {
			added += sum + "  " + path + "\n"
		}
	}
	if *frametest.Update && added != "" {
		require.NoError(t, os.WriteFile(filepath.Join(root, list), []byte(text+added), 0o644))
		added = ""
	}
	require.Empty(t, added, "new golden files: go test ./internal/format -run Golden -update")
}

// -update writes the test vectors.
func TestTheDocumentHasTheTestVectors(t *testing.T) {
	const page = "docs/vectors.md"
	text := read(t, page)
	section := regexp.MustCompile("(?s)\n## The vectors\n\n```text\n(.*)```\n$").FindStringSubmatchIndex(text)
	require.NotNil(t, section, "the page ends with a block of test vectors")
	v := &vectors{t: t}
	for _, add := range []func(){
		v.hashes, v.positions, v.buckets, v.filters, v.counters, v.sets, v.grown, v.delta, v.journal, v.large,
	} {
		add()
	}
	if *frametest.Update {
		require.NoError(t, os.WriteFile(filepath.Join(root, page), []byte(text[:section[2]]+v.text.String()+text[section[3]:]), 0o644))
		return
	}
	require.Equal(t, v.text.String(), text[section[2]:section[3]], "go test ./internal/format -run TestVectors -update")
}

// vectors is used to collect the lines.
type vectors struct {
	t      *testing.T
	text   strings.Builder
	frames []shownFrame
}

// A shownFrame is a frame in docs/vectors.md, and also in docs/vectors.json.
type shownFrame struct {
	name  string
	bytes []byte
}

// line adds a line. Digests are written with 16 hexadecimal digits.
func (v *vectors) line(values ...any) {
	var fields []string
	for _, value := range values {
		switch x := value.(type) {
		case hashfam.Digest, hashfam.Probe:
			fields = append(fields, fmt.Sprintf("%016x", x))
		case []byte:
			fields = append(fields, fmt.Sprintf("%x", x))
		default:
			fields = append(fields, strings.Trim(fmt.Sprint(x), "[]"))
		}
	}
	line := strings.Join(fields, " ")
	require.LessOrEqual(v.t, len(line), 120, line)
	v.text.WriteString(line + "\n")
}

// ascending returns the bytes 0, 1, 2, ...
func ascending(n int) (b []byte) {
	for i := range n {
		b = append(b, byte(i))
	}
	return b
}

func (v *vectors) hashes() {
	v.line("crc32c 123456789", crcOf([]byte("123456789")))
	v.line("public check", hashfam.Digest(hashfam.Family{}.CheckValue()))
	v.line("public relocation", hashfam.Family{}.Derive("cuckoo relocation").SumUint64(0))
	secret := hashfam.Key(ascending(16)) // also the key in the test vectors of SipHash
	fam := hashfam.New(secret)
	k0, k1 := binary.LittleEndian.Uint64(secret[:8]), binary.LittleEndian.Uint64(secret[8:])
	v.line("secret", secret[:], "k0", hashfam.Digest(k0), "k1", hashfam.Digest(k1))
	v.line("secret check", hashfam.Digest(fam.CheckValue()))
	v.line("secret relocation", fam.Derive("cuckoo relocation").SumUint64(0))
	for _, n := range []int{0, 1, 7, 8, 9, 16, 64} {
		v.line("secret digest", n, fam.Sum(ascending(n)))
	}
}

// positions finds a key's bits in a filter that contains only this key.
func (v *vectors) positions() {
	d := hashfam.Family{}.SumString("a")
	v.line("a digest", d)
	v.line("a x", d.Probe(), d.Probe().Next(), d.Probe().Next().Next())
	v.line("a shard 10", d.Shard(10))
	for _, p := range []bloom.Params{
		{Bits: 1000, Hashes: 5},
		{Bits: 1000, Hashes: 5, Layout: bloom.Partitioned},
		{Bits: 1024, Hashes: 5, Layout: bloom.Blocked},
	} {
		f := must(bloom.NewFromParams(p))
		f.AddString("a")
		set := v.payload(f)
		var at []int
		for i := range 8 * len(set) {
			if set[i/8]>>(i%8)&1 != 0 {
				at = append(at, i)
			}
		}
		v.line("a", p.Layout, p.Bits, p.Hashes, "sorted", at)
	}
}

// buckets finds a key's buckets and its fingerprint in a cuckoo filter. The
// first copy is stored in bucket i, and the second in bucket j, because it has
// more free slots then.
func (v *vectors) buckets() {
	p := cuckoo.Params{Buckets: 38, FingerprintBits: 8}
	f := must(cuckoo.NewFromParams(p))
	v.add(f, "a")
	first := v.payload(f)
	v.add(f, "a")
	var i, j int
	var fp byte
	for at, c := range v.payload(f) { // a slot is a byte
		if c != 0 && first[at] != 0 {
			i, fp = at/4, c
		} else if c != 0 {
			j = at / 4
		}
	}
	v.line("a cuckoo", p.Buckets, p.FingerprintBits, "p", fp, "i", i, "j", j)
	v.bucket()
}

// bucket shows bucket 0 of a plain filter, and of a compact filter with the
// same fingerprints.
func (v *vectors) bucket() {
	plain := must(cuckoo.NewFromParams(cuckoo.Params{Buckets: 2, FingerprintBits: 8}))
	compact := must(cuckoo.NewFromParams(cuckoo.Params{Buckets: 2, FingerprintBits: 8, Compact: true}))
	v.add(plain, "a", "b", "c", "d", "e", "f")
	v.add(compact, "a", "b", "c", "d", "e", "f")
	slots, want := v.payload(plain)[:4], uint32(0)
	number := binary.LittleEndian.Uint32(v.payload(compact)) & (1<<28 - 1)
	for i, fp := range slices.Sorted(slices.Values(slots)) {
		high, choose := uint32(fp>>4), uint32(1)
		for n := range uint32(i + 1) { // out of high+i, i+1
			choose = choose * (high + n) / (n + 1)
		}
		want += choose | uint32(fp&15)<<(12+4*i)
	}
	require.Equal(v.t, want, number)
	v.line("bucket 8 slots", fmt.Sprintf("% x", slots), "compact", fmt.Sprintf("%07x", number))
}

func (v *vectors) add(f interface{ AddString(string) error }, keys ...string) {
	for _, key := range keys {
		require.NoError(v.t, f.AddString(key))
	}
}

// frame adds a frame: a line with a description, and its bytes.
func (v *vectors) frame(f encoding.BinaryMarshaler, what string) {
	b := must(f.MarshalBinary())
	v.frames = append(v.frames, shownFrame{what, b})
	v.line("\nframe", b[4], what)
	header := frametest.HeaderLen(b)
	all := ""
	for _, part := range [][]byte{b[:24], b[24:header], b[header : len(b)-8], b[len(b)-8:]} {
		for _, line := range shown(part) {
			v.line(" ", line)
			all += line + " "
		}
	}
	require.Equal(v.t, b, unshown(all))
}

var (
	runOrByte = regexp.MustCompile(`(?:00){8,}|..`)
	zeros     = regexp.MustCompile(`00x\d+`)
)

// shown returns lines of hexadecimal digits. Runs of zeros are replaced by
// their length.
func shown(b []byte) (lines []string) {
	const width = 112
	text := ""
	for _, digits := range runOrByte.FindAllString(hex.EncodeToString(b), -1) {
		if len(digits) > 2 {
			digits = fmt.Sprintf(" 00x%d ", len(digits)/2)
		}
		text += digits
	}
	for _, field := range strings.Fields(text) {
		for part := range slices.Chunk([]byte(field), width) {
			if last := len(lines) - 1; last >= 0 && len(lines[last])+1+len(part) <= width {
				lines[last] += " " + string(part)
			} else {
				lines = append(lines, string(part))
			}
		}
	}
	return lines
}

// payload returns the payload of a frame with 16 or 24 bytes of parameters.
func (v *vectors) payload(f encoding.BinaryMarshaler) []byte {
	b := must(f.MarshalBinary())
	return b[64 : len(b)-8]
}

// answers adds a line with the results of ask for each key. Each key has one
// letter.
func answers[T any](v *vectors, question, keys string, ask func(string) T) {
	fields := []any{" ", question}
	for _, key := range strings.Split(keys, "") {
		fields = append(fields, fmt.Sprint(key, ":", strings.NewReplacer(" ", ",", "{", "", "}", "").Replace(fmt.Sprint(ask(key)))))
	}
	v.line(fields...)
}

// filters adds kinds 1 to 3.
func (v *vectors) filters() {
	b := must(bloom.NewFromParams(bloom.Params{Bits: 128, Hashes: 2}))
	b.AddString("a")
	v.frame(b, "a")
	answers(v, "Contains", "ab", b.ContainsString)

	c := must(counting.NewFromParams(counting.Params{Counters: 32, Hashes: 2}))
	for range 20 {
		c.AddString("a")
	}
	c.AddString("b")
	v.frame(c, "a*20 b")
	answers(v, "Count", "abc", c.CountString)

	for _, compact := range []bool{false, true} {
		f := must(cuckoo.NewFromParams(cuckoo.Params{Buckets: 6, FingerprintBits: 9, Compact: compact}))
		v.add(f, "a", "b", "b")
		v.frame(f, "a b*2")
		answers(v, "Count", "abc", f.CountString)
	}
}

// counters adds kinds 4 to 6.
func (v *vectors) counters() {
	s := must(countmin.NewFromParams(countmin.Params{Width: 3, Depth: 2, CounterBits: 32}))
	s.AddN([]byte("a"), 1<<32)
	s.AddN([]byte("b"), 2)
	v.frame(s, "a*4294967296 b*2")
	answers(v, "Count", "abc", s.CountString)

	s = must(countmin.NewFromParams(countmin.Params{Width: 7, Depth: 2, CounterBits: 8, Conservative: true}))
	s.AddN([]byte("a"), 1000)
	s.AddN([]byte("b"), 21)
	must(0, s.Halve())
	s.AddN([]byte("c"), 300)
	v.frame(s, "a*1000 b*21, halved, c*300")
	answers(v, "Count", "abcd", s.CountString)

	// Since not all keys fit, some have an estimate. One estimate is too large
	// for its record.
	h := must(countmin.NewHeavyHitters(countmin.HeavyConfig{Phi: 0.06, MemoryBytes: 1024}))
	for _, key := range strings.Split("abcdefghijklmnopqrstuvwxyzabc", "") {
		h.AddN([]byte(key), 1<<32+7)
	}
	v.tracked(h, "a to z and a to c, 4294967303 times each", "abcyz")

	k := must(countmin.NewHeavyHitters(countmin.HeavyConfig{K: 2, MemoryBytes: 1024}))
	for _, key := range strings.Split("abcdefghijklmnopqrstuvwxyzyyyzzz", "") {
		k.AddString(key)
	}
	v.tracked(k, "a to z, y*3 z*3", "abcyz")
}

// A tracked is a HeavyHitters or a Window.
type tracked interface {
	encoding.BinaryMarshaler
	EstimateString(string) countmin.Estimate
	All() iter.Seq2[string, countmin.Estimate]
}

// tracked adds the frame, the estimates for some keys, and the list.
func (v *vectors) tracked(f tracked, what, keys string) {
	v.frame(f, what)
	answers(v, "Estimate", keys, f.EstimateString)
	list := []any{" ", "All"}
	for key := range f.All() {
		list = append(list, key)
	}
	v.line(list...)
}

// digests returns the digests of keys with one letter.
func digests(keys string) []hashfam.Digest {
	return hashfam.Family{}.SumAllStrings(nil, strings.Split(keys, ""))
}

// sets adds kinds 7, 9 and 10.
func (v *vectors) sets() {
	ctx := v.t.Context()
	s := must(static.New(ctx, static.Config{FPRate: 0.25}, digests("ab")))
	v.frame(s, "a b")
	answers(v, "Contains", "abcdef", s.ContainsString)

	for _, rate := range []float64{0.1, 1} {
		e := must(static.NewExact(ctx, static.Config{FPRate: rate}, digests("b"), digests("ac")))
		v.frame(e, "b, absent a c")
		answers(v, "Contains", "abcdef", e.ContainsString)
	}
	inverse := must(static.NewExact(ctx, static.Config{FPRate: 1}, digests("abc"), digests("d")))
	v.frame(inverse, "a to c, absent d")
	answers(v, "Contains", "abcdef", inverse.ContainsString)

	f := must(perfect.New(ctx, perfect.Config{}, digests("abcdefghijklm")))
	v.frame(f, "a to m")
	answers(v, "Index", "abcdefghijklmz", f.IndexString)

	c := perfect.FilterConfig{FPRate: 0.1, ValueBits: 3}
	v.values(must(perfect.NewFilter(ctx, c, digests("abcd"), []uint64{1, 2, 3, 4})), "a to d with the values 1 to 4")
	v.values(must(perfect.NewFilter(ctx, perfect.FilterConfig{FPRate: 0.1}, nil, nil)), "nothing")
	large := []uint64{1, 1 << 32, 1<<64 - 1, 0}
	c.ValueBits = 64
	v.values(must(perfect.NewFilter(ctx, c, digests("abcd"), large)), "a to d with the values 1, 2^32, 2^64-1 and 0")
}

func (v *vectors) values(f *perfect.Filter, what string) {
	v.frame(f, what)
	answers(v, "Value", "abcdz", func(key string) string { return fmt.Sprint(f.ValueString(key)) })
}

// grown adds kinds 11 to 14.
func (v *vectors) grown() {
	s := must(bloom.NewScalable(bloom.ScalableConfig{Expected: 1, FPRate: 0.5}))
	r := must(bloom.NewRotating(bloom.RotatingConfig{Keys: 2, FPRate: 0.5, Parts: 1}))
	for _, key := range []string{"a", "b", "c"} {
		s.AddString(key)
		r.AddString(key)
	}
	v.frame(s, "a b c")
	answers(v, "Contains", "abcdef", s.ContainsString)

	c := must(cuckoo.NewScalable(cuckoo.ScalableConfig{Expected: 1, FPRate: 0.5}))
	v.add(c, "a", "b", "b")
	v.frame(c, "a b*2")
	answers(v, "Count", "abc", c.CountString)

	v.frame(r, "a b c")
	answers(v, "Contains", "abcdef", r.ContainsString)

	w := must(countmin.NewWindow(countmin.WindowConfig{Phi: 0.3, Keys: 4, Parts: 1, MemoryBytes: 2560}))
	for _, key := range strings.Split("bbbaaac", "") {
		w.AddString(key)
	}
	v.tracked(w, "b*3 a, a*2 c", "abcd")
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

type encoded []byte

func (e encoded) MarshalBinary() ([]byte, error) { return e, nil }

// delta adds kind 15.
func (v *vectors) delta() {
	f := must(bloom.NewFromParams(bloom.Params{Bits: 128, Hashes: 2}))
	old := f.Clone()
	old.AddString("a")
	f.AddString("b")
	delta := must(f.AppendDelta(nil, old))
	v.frame(encoded(delta), "from a to b in the filter of frame 1")
	require.NoError(v.t, old.ApplyDelta(delta))
	answers(v, "Contains", "ab", old.ContainsString)
}

// journal adds kind 16: the start of a file, which a frame of kind 1 follows,
// and two blocks.
func (v *vectors) journal() {
	name := filepath.Join(v.t.TempDir(), "journal")
	f := must(bloom.NewFromParams(bloom.Params{Bits: 128, Hashes: 2}))
	f.AddString("a")
	require.NoError(v.t, hashfam.WriteFile(name, f))
	j := must(journal.Open(name, f))
	d := f.Family().SumString("b")
	f.AddDigest(d)
	j.Add(d)
	require.NoError(v.t, j.Sync(5))
	require.NoError(v.t, j.Close())
	all := must(os.ReadFile(name))
	for _, what := range []string{"start of a journal", "a", "first block of this journal", "second block, adds b"} {
		n := frametest.Len(all)
		if what != "a" {
			v.frame(encoded(all[:n]), what)
		}
		all = all[n:]
	}
	answers(v, "Contains", "ab", f.ContainsString)
}
