package format

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	"github.com/filterfam/filterfam/hashfam/perfect"
	"github.com/filterfam/filterfam/internal/conformance"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/frame/frametest"
)

const jsonVectors = "docs/vectors.json"

var digits = regexp.MustCompile(`[0-9a-f]{16}|[0-9]+`)

// A vector is an element of docs/vectors.json: a frame with the results of
// queries, or a damaged frame with the error. docs/format.md describes the
// fields.
type vector struct {
	Name   string     `json:"name"`
	Kind   int        `json:"kind"`
	Secret string     `json:"secret,omitempty"`
	Frame  []byte     `json:"frame"`
	Error  string     `json:"error,omitempty"`
	Before []byte     `json:"before,omitempty"`
	Time   string     `json:"time,omitempty"`
	Keys   string     `json:"keys,omitempty"`
	Has    string     `json:"has,omitempty"`
	Count  []string   `json:"count,omitempty"`
	Index  []string   `json:"index,omitempty"`
	Value  []*string  `json:"value,omitempty"`
	Low    []string   `json:"low,omitempty"`
	High   []string   `json:"high,omitempty"`
	List   [][]string `json:"list,omitempty"`
}

// -update writes the file.
func TestTheVectorsInJSON(t *testing.T) {
	c := &collector{t: t}
	c.small()
	c.golden()
	c.limits()
	c.medium()
	c.add("a last level without keys, which other keys reach", crafted(frame.PerfectFunction, make([]byte, 8), 9, 1<<8, 0, 0), nil, "letters")
	damaged := append(c.damaged(), c.invalid()...)
	text := fmt.Sprintf("{\"keys\": %s, \"frames\": [\n%s\n], \"damaged\": [\n%s\n]}\n", must(json.Marshal(keySets)), linesOf(c.all), linesOf(damaged))
	t.Log(len(c.all), "frames,", len(damaged), "damaged frames,", len(text), "bytes")
	if *frametest.Update {
		require.NoError(t, os.WriteFile(filepath.Join(root, jsonVectors), []byte(text), 0o644))
	}
	want := read(t, jsonVectors)
	require.True(t, text == want, "%s differs: go test ./internal/format -run VectorsInJSON -update", jsonVectors)
}

// keySets contains the keys that are looked up. A string is its bytes, and a
// number is an integer key.
var keySets = func() map[string][]any {
	sets := map[string][]any{"letters": {"", "ключ", uint64(0), uint64(1<<53 - 1)}}
	for letter := 'a'; letter <= 'z'; letter++ {
		sets["letters"] = append(sets["letters"], string(letter))
	}
	for _, key := range queries() {
		sets["words"] = append(sets["words"], key)
	}
	for i := range uint64(300) {
		sets["integers"] = append(sets["integers"], 7*i, 2_100+1_130*i)
	}
	return sets
}()

// linesOf returns a line for each vector.
func linesOf(all []vector) string {
	var lines []string
	for _, v := range all {
		lines = append(lines, string(must(json.Marshal(v))))
	}
	return strings.Join(lines, ",\n")
}

// A collector collects vectors.
type collector struct {
	t   *testing.T
	all []vector
}

// add adds a frame with its results for keys. For a delta, before is the filter
// that it changes. add returns the structure.
func (c *collector) add(name string, b []byte, before *bloom.Filter, keys string) any {
	v := vector{Name: name, Kind: int(b[frametest.Kind]), Frame: b, Keys: keys}
	if public := (hashfam.Family{}); binary.LittleEndian.Uint64(b[8:]) != public.CheckValue() {
		key := hashfam.Key{1, 2, 3}
		v.Secret = fmt.Sprintf("%x", key[:])
	}
	if v.Kind == delta {
		v.Before = must(before.MarshalBinary())
	}
	s := decoded(c.t, b, before)
	c.all = append(c.all, v.with(s))
	if at, ok := partLater(b); ok {
		s.(interface{ Advance(time.Time) }).Advance(at)
		v.Time = fmt.Sprint(at.UnixNano())
		c.all = append(c.all, v.with(s))
	}
	return s
}

// with returns v with the results of s.
func (v vector) with(s any) vector {
	for _, key := range keySets[v.Keys] {
		v.ask(s, bytesOf(key))
	}
	if list, ok := s.(tracked); ok {
		for key, e := range list.All() {
			v.List = append(v.List, []string{key, fmt.Sprint(e.Low), fmt.Sprint(e.High)})
		}
	}
	return v
}

func (v *vector) ask(s any, key string) {
	switch s := s.(type) {
	case tracked:
		e := s.EstimateString(key)
		v.Low = append(v.Low, fmt.Sprint(e.Low))
		v.High = append(v.High, fmt.Sprint(e.High))
	case interface{ CountString(string) uint64 }:
		v.Count = append(v.Count, fmt.Sprint(s.CountString(key)))
	case *perfect.Function:
		v.Index = append(v.Index, fmt.Sprint(s.IndexString(key)))
	case *perfect.Filter:
		var value *string
		if number, found := s.ValueString(key); found {
			text := fmt.Sprint(number)
			value = &text
		}
		v.Value = append(v.Value, value)
	case set:
		v.Has += fmt.Sprint(conformance.One(s.ContainsString(key)))
	}
}

// bytesOf returns the bytes of a key in docs/vectors.json, which is a text or an
// integer.
func bytesOf(key any) string {
	switch key := key.(type) {
	case string:
		return key
	case uint64:
		return string(binary.LittleEndian.AppendUint64(nil, key))
	}
	panic(fmt.Sprintf("a key of type %T", key))
}

// small adds the frames that are also shown in docs/vectors.md.
func (c *collector) small() {
	shown := &vectors{t: c.t}
	for _, add := range []func(){shown.filters, shown.counters, shown.sets, shown.grown, shown.delta} {
		add()
	}
	for _, f := range shown.frames {
		var before *bloom.Filter
		if f.bytes[frametest.Kind] == delta {
			before = must(bloom.NewFromParams(bloom.Params{Bits: 128, Hashes: 2}))
			before.AddString("a")
		}
		c.add(f.name, f.bytes, before, "letters")
	}
}

// golden adds the golden files, except for journals, which consist of several
// frames.
func (c *collector) golden() {
	for _, path := range files(c.t, "*.bin") {
		b := []byte(read(c.t, path))
		if !strings.Contains(path, "conformance") && b[frametest.Kind] != inJournal {
			c.add(path, b, baseOf(path), "words")
		}
	}
}

// baseOf returns the filter before a golden delta is applied, or nil for other
// golden files.
func baseOf(path string) *bloom.Filter {
	b, ok := bases[path]
	if !ok {
		return nil
	}
	f := must(bloom.NewFromParams(b.params))
	for i := range b.keys {
		f.AddString(fmt.Sprint("key ", i))
	}
	return f
}

// limits adds the frames at the limits of the format, except for large ones.
func (c *collector) limits() {
	for _, path := range files(c.t, limits) {
		var before *bloom.Filter
		for _, entry := range strings.Split(strings.TrimSpace(read(c.t, path)), "\n\n") {
			name, rest, _ := strings.Cut(entry, "\n")
			digits, _, whole := strings.Cut(rest, "\n  answers ")
			b := unshown(digits)
			if whole && len(b) > 4_096 {
				before, _ = decoded(c.t, b, before).(*bloom.Filter)
			} else if whole {
				before, _ = c.add(name, b, before, "words").(*bloom.Filter)
			}
		}
	}
}

// medium adds frames with thousands of integer keys.
func (c *collector) medium() {
	ctx := c.t.Context()
	add := func(name string, f structure) { c.add(name, must(f.MarshalBinary()), nil, "integers") }
	d := func(from, to uint64) (all []hashfam.Digest) {
		for i := from; i < to; i++ {
			all = append(all, hashfam.Family{}.SumUint64(i))
		}
		return all
	}
	for layout := bloom.Classic; layout <= bloom.Blocked; layout++ {
		f := must(bloom.New(bloom.Config{Capacity: 2_000, FPRate: 0.05, Layout: layout}))
		f.AddAll(d(0, 2_000))
		add("the integers below 2,000", f)
	}
	counted := must(counting.New(counting.Config{Capacity: 1_000, FPRate: 0.05}))
	sketch := must(countmin.NewFromParams(countmin.Params{Width: 501, Depth: 3, CounterBits: 16}))
	for i := range uint64(1_000) {
		for range i % 20 {
			counted.AddDigest(d(i, i+1)[0])
			sketch.AddDigest(d(i, i+1)[0])
		}
	}
	add("the integers i below 1,000, i mod 20 times each", counted)
	add("the integers i below 1,000, i mod 20 times each", sketch)
	for _, compact := range []bool{false, true} {
		f := must(cuckoo.New(cuckoo.Config{Capacity: 1_500, FPRate: 0.01, Compact: compact}))
		for i := range uint64(1_500) {
			require.NoError(c.t, f.AddDigest(d(i, i+1)[0]))
		}
		add("the integers below 1,500", f)
	}
	add("the integers below 170,000, which need several segments without starts",
		must(static.New(ctx, static.Config{FPRate: 0.7}, d(0, 170_000))))
	add("the integers below 2,000 without those up to 4,500, with no columns in the first ribbon",
		must(static.NewExact(ctx, static.Config{FPRate: 1}, d(0, 2_000), d(2_000, 4_500))))
	add("the integers below 5,000, which need several layers",
		must(static.New(ctx, static.Config{FPRate: 0.015}, d(0, 5_000))))
	for _, rate := range []float64{0.1, 1} {
		add("the integers below 2,000 without those up to 20,000",
			must(static.NewExact(ctx, static.Config{FPRate: rate}, d(0, 2_000), d(2_000, 20_000))))
		add("the integers below 8,000 without those up to 9,000",
			must(static.NewExact(ctx, static.Config{FPRate: rate}, d(0, 8_000), d(8_000, 9_000))))
	}
	for _, compact := range []bool{false, true} {
		add("the integers below 13,000", must(perfect.New(ctx, perfect.Config{Compact: compact}, d(0, 13_000))))
	}
	values := make([]uint64, 5_000)
	for i := range values {
		values[i] = uint64(i % 32)
	}
	add("the integers i below 5,000 with the values i mod 32",
		must(perfect.NewFilter(ctx, perfect.FilterConfig{FPRate: 0.015, ValueBits: 5}, d(0, 5_000), values)))
}

// damaged returns damaged frames of each kind, with as few bytes as possible.
func (c *collector) damaged() (all []vector) {
	seen := map[string]int{}
	frames := slices.Clone(c.all)
	slices.SortStableFunc(frames, func(v, w vector) int { return cmp.Or(v.Kind-w.Kind, len(v.Frame)-len(w.Frame)) })
	for _, v := range frames {
		if len(v.Frame) > 1_200 || v.Time != "" {
			continue
		}
		d := damager{t: c.t, from: v, seen: seen}
		d.header()
		d.bytes()
		all = append(all, d.all...)
	}
	return all
}

// crafted returns a frame with these words as parameters.
func crafted(kind frame.Kind, payload []byte, params ...uint64) []byte {
	public := hashfam.Family{}
	h := frame.Header{Kind: kind, Version: 1, Check: public.CheckValue(), Params: frame.EncodeParams(params), Payload: uint64(len(payload))}
	return frame.Append(nil, h, frame.Numbers(payload))
}

// invalid returns frames that only break rules which a changed byte does not
// break alone.
func (c *collector) invalid() (all []vector) {
	add := func(name string, b []byte) {
		d := damager{t: c.t, from: vector{Kind: int(b[frametest.Kind])}}
		require.ErrorIs(c.t, d.decode(b), hashfam.ErrCorrupt, name)
		all = append(all, vector{Name: name, Kind: d.from.Kind, Frame: b, Error: "ErrCorrupt"})
	}
	second := func(keys byte) []byte { return append([]byte{keys, keys / 255}, make([]byte, 54)...) }
	add("no keys in the second layer", crafted(frame.Static, second(0), 300, 1|2<<32, 0, 0))
	add("511 keys in the second layer, but 300 in the first one", crafted(frame.Static, second(255), 300, 1|2<<32, 0, 0))
	add("as many absent keys as keys", crafted(frame.Static, make([]byte, 8), 1, 1<<48, 1, 2))
	// Each of these lists has room for its numbers, and all of them are 0.
	list := func(seeds, numbers int) (payload []byte) {
		payload = make([]byte, (seeds+(numbers+16)/64*8+15)/8*8)
		for i := range numbers {
			payload[seeds+i/8] |= 1 << (i % 8)
		}
		return payload
	}
	add("a level of buckets for 8 keys", crafted(frame.PerfectFunction, make([]byte, 8), 8, 1<<8, 0, 0))
	add("10 keys in the second level, but 9 in the first one", crafted(frame.PerfectFunction, list(6, 18), 9, 2<<8, 0, 10, 8))
	add("9 keys in the last level", crafted(frame.PerfectFunction, list(3, 9), 10, 1<<8, 0, 9))
	nines := slices.Repeat([]uint64{9}, 24)
	add("25 levels", crafted(frame.PerfectFunction, list(75, 224), append(append([]uint64{9, 25 << 8, 0}, nines...), 8)...))
	return all
}

// A damager damages a frame. It keeps one frame for each kind and name, or two
// for a rule that any byte can break.
type damager struct {
	t    *testing.T
	from vector
	seen map[string]int
	all  []vector
}

// keep adds a frame for which the library returns an error, unless it has one
// like it. If reason is not nil, this must be the error.
func (d *damager) keep(name string, b []byte, reason error) {
	err := d.decode(b)
	if reason != nil {
		require.ErrorIs(d.t, err, reason, "%s: %s: %x", d.from.Name, name, b)
	}
	if err == nil {
		return
	}
	var field *hashfam.FieldError
	most := 1
	if name == "" && errors.As(err, &field) {
		name = digits.ReplaceAllString(field.Field+": "+field.Allowed, "N")
		most = 2
	}
	id := fmt.Sprint(d.from.Kind, name)
	if d.seen[id] >= most {
		return
	}
	d.seen[id]++
	d.all = append(d.all, vector{Name: name, Kind: d.from.Kind, Secret: d.from.Secret, Frame: b, Before: d.from.Before, Error: nameOf(d.t, err)})
}

// decode decodes a damaged frame.
func (d *damager) decode(b []byte) error {
	fam := hashfam.Family{}
	if d.from.Secret != "" {
		fam = hashfam.New(hashfam.Key{1, 2, 3})
	}
	if d.from.Kind == delta {
		f := bloom.NewReceiver(fam)
		require.NoError(d.t, f.UnmarshalBinary(d.from.Before))
		return f.ApplyDelta(b)
	}
	return receivers(fam)[d.from.Kind].UnmarshalBinary(b)
}

// nameOf returns the name that docs/format.md has for an error.
func nameOf(t *testing.T, err error) string {
	for name, of := range map[string]error{
		"ErrCorrupt": hashfam.ErrCorrupt, "ErrVersion": hashfam.ErrVersion, "ErrFamily": hashfam.ErrFamily, "ErrIncompatible": hashfam.ErrIncompatible,
	} {
		if errors.Is(err, of) {
			return name
		}
	}
	require.NoError(t, err, "an error that docs/format.md does not name")
	return ""
}

// header adds frames that break the rules for headers, some of which break
// several rules, so that they show the order of the checks.
func (d *damager) header() {
	b := d.from.Frame
	size := frametest.HeaderLen(b)
	keep := func(name string, reason error, seal bool, change func(b []byte)) {
		changed := bytes.Clone(b)
		change(changed)
		if seal {
			changed = frametest.Seal(changed)
		}
		d.keep(name, changed, reason)
	}
	flip := func(offsets ...int) func([]byte) {
		return func(b []byte) {
			for _, at := range offsets {
				b[at] ^= 0x81
			}
		}
	}
	const family = 8
	corrupt := hashfam.ErrCorrupt
	version := hashfam.ErrVersion
	keep("magic", corrupt, true, flip(0))
	keep("p is not a multiple of 8", corrupt, true, flip(6))
	keep("p is above 256", corrupt, true, func(b []byte) { b[7] = 2 })
	keep("L is not a multiple of 8", corrupt, true, func(b []byte) { b[frametest.Payload]++ })
	keep("L is above 2^62", corrupt, true, func(b []byte) { b[frametest.Payload+7] = 0x80 })
	d.keep("nothing", []byte{}, corrupt)
	d.keep("a part of the header", b[:size-1], corrupt)
	d.keep("a part of the checksum", b[:len(b)-1], corrupt)
	d.keep("a byte after the frame", append(bytes.Clone(b), 0), corrupt)
	keep("checksum of the header", corrupt, false, flip(size-8))
	keep("zeros after the checksum of the header", corrupt, false, flip(size-4))
	keep("another kind, and no checksum for it", corrupt, false, func(b []byte) { b[frametest.Kind] = 255 })
	keep("kind 255", version, true, func(b []byte) { b[frametest.Kind] = 255 })
	keep("version 0", version, true, func(b []byte) { b[frametest.Version] = 0 })
	keep("version 255", version, true, func(b []byte) { b[frametest.Version] = 255 })
	keep("version 255 of another family", version, true, func(b []byte) { b[frametest.Version] = 255; b[family]++ })
	keep("version 255, and the checksum of the frame", version, false, func(b []byte) {
		b[frametest.Version] = 255
		copy(b, frametest.Seal(b))
		b[len(b)-8]++
	})
	keep("another family", hashfam.ErrFamily, true, flip(family))
	keep("another family, and other parameters", hashfam.ErrFamily, true, func(b []byte) {
		b[family]++
		copy(b[frametest.Params:], bytes.Repeat([]byte{255}, 16))
	})
	invalid := corrupt
	if d.from.Kind == delta {
		invalid = hashfam.ErrIncompatible // all numbers are possible, but belong to another filter
	}
	keep("other parameters", invalid, true, func(b []byte) { copy(b[frametest.Params:], bytes.Repeat([]byte{255}, 16)) })
	keep("checksum of the frame", corrupt, false, flip(len(b)-8))
	keep("zeros after the checksum of the frame", corrupt, false, flip(len(b)-4))
	if len(b) > size+8 {
		keep("payload, and no checksum for it", corrupt, false, flip(size))
	}
	longer := append(bytes.Clone(b), make([]byte, 8)...)
	longer[frametest.Payload] += 8
	d.keep("a word after the payload", frametest.Seal(longer), corrupt)
}

// bytes adds a frame for each rule that a changed byte of the parameters or of
// the payload breaks.
func (d *damager) bytes() {
	size := frametest.HeaderLen(d.from.Frame)
	for i := frametest.Params; i < len(d.from.Frame)-8; i++ {
		if i >= size-8 && i < size {
			continue // the checksum
		}
		for _, change := range []byte{1, 2, 0x80, 0xff} {
			b := bytes.Clone(d.from.Frame)
			b[i] ^= change
			d.keep("", frametest.Seal(b), nil)
		}
	}
}

// Readers must have the results and the errors in docs/vectors.json.
func TestReadersAgreeWithTheVectors(t *testing.T) {
	forEachReader(t, func(t *testing.T, r reader) {
		program := map[string]string{"Python": pythonVectors, "Node": nodeVectors}[r.name]
		out := r.run(t, program, []byte(read(t, jsonVectors)), nil)
		fields := strings.Fields(string(out))
		require.Len(t, fields, 2, "%s", out)
		for i, least := range []int{50, 100} {
			require.Greater(t, must(strconv.Atoi(fields[i])), least, "%s", out)
		}
	})
}

// pythonVectors prints the numbers of frames with and without results.
const pythonVectors = `import base64, filterfam, json, sys

vectors = json.load(sys.stdin)
read = (1, 2, 3, 7, 9, 10)
frames = 0
for v in vectors["frames"]:
    data = base64.b64decode(v["frame"])
    key = bytes.fromhex(v["secret"]) if "secret" in v else None
    try:
        f = filterfam.load(data, key)
    except filterfam.FrameError as e:
        assert v["kind"] not in read and e.reason == "kind", (v["name"], e)
        continue
    frames += 1
    asked = 0
    for name in ("has", "count", "index", "value"):
        if name in v:
            asked += 1
            got = [getattr(f, name)(k) for k in vectors["keys"][v["keys"]]]
            want = [c == "1" for c in v["has"]] if name == "has" else [w and int(w) for w in v[name]]
            assert got == want, (v["name"], name)
    assert asked == 1, v["name"]
damaged = 0
for v in vectors["damaged"]:
    data = base64.b64decode(v["frame"])
    key = bytes.fromhex(v["secret"]) if "secret" in v else None
    try:
        filterfam.load(data, key)
        assert False, v["name"]
    except filterfam.FrameError as e:
        if v["kind"] in read:
            damaged += 1
            assert "Err" + e.reason.capitalize() == v["error"], (v["name"], e)
print(frames, damaged)
`

const nodeVectors = `import assert from "node:assert";
import fs from "node:fs";
import { open } from "./filterfam.mjs";

const vectors = JSON.parse(fs.readFileSync(0)), read = [1, 2, 3, 7, 9, 10];
const opened = (v) => { try { return open(Buffer.from(v.frame, "base64")); } catch (e) { return { reason: e.reason ?? assert.fail(e) }; } };
const bytes = (key) => typeof key === "string" ? key : new Uint8Array(BigUint64Array.of(BigInt(key)).buffer);
let frames = 0, damaged = 0;
for (const v of vectors.frames) {
  const f = opened(v);
  if (!read.includes(v.kind)) { assert.equal(f.reason, "kind", v.name); continue; }
  if (v.secret) { assert.equal(f.reason, "family", v.name); continue; }
  frames++;
  const [name] = ["has", "count", "index", "value"].filter((name) => v[name]);
  const want = name === "has" ? [...v.has].map((c) => c === "1") : v[name];
  const got = vectors.keys[v.keys].map((key) => f[name](bytes(key))).map((x) => name === "has" || x === null ? x : String(x));
  assert.deepEqual(got, want, v.name);
}
for (const v of vectors.damaged) {
  if (v.secret || !read.includes(v.kind)) continue;
  damaged++;
  const { reason } = opened(v);
  assert.equal("Err" + reason[0].toUpperCase() + reason.slice(1), v.error, v.name);
}
console.log(frames, damaged);
`
