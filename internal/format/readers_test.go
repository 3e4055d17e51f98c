package format

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/perfect"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/frame/frametest"
)

// A reader reads frames in another language.
type reader struct {
	name    string // of the program that runs the language, for messages
	command string
	file    string // in docs
	asker   string // a program that answers questions
	secret  bool   // whether it reads frames of secret families
}

var readers = []reader{
	{"Python", "python3", "filterfam.py", pythonAsker, true},
	{"Node", "node", "filterfam.mjs", nodeAsker, false},
}

// readKinds contains the kinds that readers read.
var readKinds = map[frame.Kind]bool{
	frame.Bloom: true, frame.Counting: true, frame.Cuckoo: true, frame.Static: true, frame.PerfectFunction: true, frame.PerfectFilter: true,
}

// A question is a frame and the number of keys to look up.
type question struct {
	Frame  []byte
	Secret bool // the reader gets the key of the golden files
	Keys   int
	Trace  bool // whether to measure the memory
}

// An answer has the reason of the error, or the results in the same form as
// those of answersIn.
type answer struct {
	Reason  string
	Results []byte
	Memory  int // bytes that were needed to open the frame
}

// If i is odd, key i is the text "ключ i". Otherwise it consists of up to 20
// zeros and the eight bytes of i.
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

const pythonAsker = `import base64, filterfam, json, struct, sys, tracemalloc

keys = []
for i in range(100000):
    if i % 2:
        keys.append(f"ключ {i}")
    elif i % 21:
        keys.append(bytes(i % 21) + i.to_bytes(8, "little"))
    else:
        keys.append(i)


def results(f, keys):
    if hasattr(f, "count"):
        counts = [f.count(key) for key in keys]
        assert f.has_all(keys) == [n > 0 for n in counts]
        return struct.pack(f"<{len(keys)}Q", *counts)
    if hasattr(f, "value"):
        values = [f.value(key) for key in keys]
        assert f.has_all(keys) == [v is not None for v in values]
        return b"".join(struct.pack("<QQ", v or 0, v is not None) for v in values)
    if hasattr(f, "index"):
        return struct.pack(f"<{len(keys)}Q", *map(f.index, keys))
    bits = sum(1 << i for i, found in enumerate(f.has_all(keys)) if found)
    return bits.to_bytes((len(keys) + 7) // 8, "little")


def ask(q):
    data = base64.b64decode(q["Frame"] or "")
    key = bytes((1, 2, 3)) + bytes(13) if q["Secret"] else None
    memory = 0
    try:
        if q["Trace"]:
            tracemalloc.start()
        f = filterfam.load(data, key)
        if tracemalloc.is_tracing():
            memory = tracemalloc.get_traced_memory()[1]
    except filterfam.FrameError as e:
        assert str(e).startswith("filterfam: "), e
        if tracemalloc.is_tracing():
            memory = tracemalloc.get_traced_memory()[1]
        return {"Reason": e.reason, "Memory": memory}
    finally:
        tracemalloc.stop()
    return {"Results": base64.b64encode(results(f, keys[: q["Keys"]])).decode(), "Memory": memory}


json.dump([ask(q) for q in json.load(sys.stdin)], sys.stdout)
`

const nodeAsker = `import fs from "node:fs";
import { open } from "./filterfam.mjs";

const keys = Array.from({ length: 100000 }, (_, i) => {
  if (i % 2) return "ключ " + i;
  const key = new Uint8Array(8 + i % 21);
  new DataView(key.buffer).setUint32(i % 21, i, true);
  return key;
});
const used = () => { const { heapUsed, arrayBuffers } = process.memoryUsage(); return heapUsed + arrayBuffers; };
const assert = (ok) => { if (!ok) throw new Error("a filter contains a key that it does not contain"); };
const words = (numbers) => Buffer.from(BigUint64Array.from(numbers).buffer);
function results(f, keys) {
  if (f.count) return words(keys.map((key) => { const n = f.count(key); assert(f.has(key) === n > 0); return BigInt(n); }));
  if (f.value) return words(keys.flatMap((key) => { const v = f.value(key); assert(f.has(key) === (v !== null)); return [v ?? 0n, BigInt(v !== null)]; }));
  if (f.index) return words(keys.map((key) => BigInt(f.index(key))));
  const bits = new Uint8Array(Math.ceil(keys.length / 8));
  keys.forEach((key, i) => { if (f.has(key)) bits[i >> 3] |= 1 << (i & 7); });
  return Buffer.from(bits);
}
console.log(JSON.stringify(JSON.parse(fs.readFileSync(0)).map(({ Frame, Keys, Trace }) => {
  const data = Buffer.from(Frame ?? "", "base64"), before = Trace ? used() : 0;
  let filter, Reason;
  try { filter = open(data); } catch (e) {
    Reason = e.reason;
    if (!Reason || !e.message.startsWith("filterfam: ")) throw e;
  }
  const Memory = Trace ? Math.max(0, used() - before) : 0;
  return Reason ? { Reason, Memory } : { Results: results(filter, keys.slice(0, Keys)).toString("base64"), Memory };
})));
`

// run runs a program beside the reader's file, or skips the test if the
// language is not installed. It returns the output.
func (r reader) run(t *testing.T, program string, input []byte, more map[string][]byte) []byte {
	t.Helper()
	command, err := exec.LookPath(r.command)
	if err != nil {
		t.Skipf("there is no %s on this machine, so docs/%s is not tested", r.name, r.file)
	}
	dir := t.TempDir()
	name := "program" + filepath.Ext(r.file)
	write := func(name string, data []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	write(name, []byte(program))
	write(r.file, []byte(read(t, "docs/"+r.file)))
	for name, data := range more {
		write(name, data)
	}
	cmd := exec.Command(command, name)
	cmd.Dir = dir
	cmd.Stdin = bytes.NewReader(input)
	var messages bytes.Buffer
	cmd.Stderr = &messages
	out, err := cmd.Output()
	require.NoError(t, err, messages.String())
	return out
}

// ask requires that the reader has the same answers as the library.
func (r reader) ask(t *testing.T, all []question) (answers []answer) {
	t.Helper()
	require.NoError(t, json.Unmarshal(r.run(t, r.asker, must(json.Marshal(all)), nil), &answers))
	require.Len(t, answers, len(all))
	for i, q := range all {
		want := r.wanted(q)
		got := answers[i]
		require.Equal(t, want.Reason, got.Reason, "frame %d: %x", i, q.Frame)
		require.True(t, bytes.Equal(want.Results, got.Results), "frame %d: the results differ: %x", i, q.Frame[:min(100, len(q.Frame))])
	}
	return answers
}

// wanted returns the right answer.
func (r reader) wanted(q question) answer {
	h, err := frame.Identify(q.Frame)
	known := err == nil && uint64(len(q.Frame)) == h.Size() && h.Kind <= delta
	if known && !readKinds[h.Kind] {
		return answer{Reason: "kind"}
	}
	fam := hashfam.Family{}
	if q.Secret && r.secret {
		fam = hashfam.New(hashfam.Key{1, 2, 3})
	}
	s := receivers(fam)[frame.Bloom]
	if known {
		s = receivers(fam)[h.Kind]
	}
	err = s.UnmarshalBinary(q.Frame)
	if err != nil {
		return answer{Reason: reasonOf(err)}
	}
	return answer{Results: answersIn(s, askedKeys[:q.Keys])}
}

// reasonOf returns the reason that a reader has for an error.
func reasonOf(err error) string {
	for reason, of := range map[string]error{"corrupt": hashfam.ErrCorrupt, "version": hashfam.ErrVersion, "family": hashfam.ErrFamily} {
		if errors.Is(err, of) {
			return reason
		}
	}
	return err.Error()
}

// forEachReader runs a test with each reader.
func forEachReader(t *testing.T, test func(t *testing.T, r reader)) {
	for _, r := range readers {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			test(t, r)
		})
	}
}

func TestReadersReturnTheSameResults(t *testing.T) {
	all := manyKeys(t)
	forEachReader(t, func(t *testing.T, r reader) {
		for i, a := range r.ask(t, all) {
			require.Equal(t, all[i].Secret && !r.secret, a.Reason != "", "%d", i)
		}
	})
}

// manyKeys returns structures with most of the keys in askedKeys. There are
// 10,000 questions for each kind, or 100,000 in the long form.
func manyKeys(t *testing.T) (all []question) {
	ctx := t.Context()
	questions := 10_000
	if checks.Long(t, 0.3, 0.5) {
		questions = 100_000
	}
	digests := hashfam.Family{}.SumAllStrings(nil, askedKeys)
	secret := hashfam.New(hashfam.Key{1, 2, 3})
	hidden := secret.SumAllStrings(nil, askedKeys)
	inside := 75_000
	absent := 10_000
	kind := func(structures ...structure) {
		for _, s := range structures {
			b := must(s.MarshalBinary())
			all = append(all, question{b, binary.LittleEndian.Uint64(b[8:]) == secret.CheckValue(), questions / len(structures), false})
		}
	}
	clone := func(digests []hashfam.Digest) []hashfam.Digest { return append([]hashfam.Digest(nil), digests...) }
	var filters []structure
	for layout := bloom.Classic; layout <= bloom.Blocked; layout++ {
		f := must(bloom.New(bloom.Config{Capacity: 75_000, FPRate: 0.03, Layout: layout}))
		f.AddAll(digests[:inside])
		filters = append(filters, f)
	}
	keyed := must(bloom.New(bloom.Config{Capacity: 75_000, FPRate: 0.03, Family: secret}))
	keyed.AddAll(hidden[:inside])
	kind(append(filters, keyed)...)

	filters = nil
	for _, layout := range []bloom.Layout{bloom.Classic, bloom.Blocked} {
		f := must(counting.New(counting.Config{Capacity: 75_000, FPRate: 0.03, Layout: layout}))
		f.AddAll(digests[:inside])
		f.AddAll(digests[:100])
		filters = append(filters, f)
	}
	kind(filters...)

	filters = nil
	for _, c := range []cuckoo.Config{{FPRate: 0.001}, {FPRate: 0.2}, {FPRate: 0.001, Compact: true}, {FPRate: 0.2, Compact: true, Family: secret}} {
		c.Capacity = 20_000
		f := must(cuckoo.New(c))
		for i, key := range askedKeys[:10_000] {
			for range 1 + i%3*i%2 {
				require.NoError(t, f.AddString(key))
			}
		}
		filters = append(filters, f)
	}
	kind(filters...)

	filters = nil
	for _, rate := range []float64{0.8, 0.03, 1e-9} {
		filters = append(filters, must(static.New(ctx, static.Config{FPRate: rate}, clone(digests[:inside]))))
	}
	for _, rate := range []float64{1, 0.01} {
		filters = append(filters, must(static.NewExact(ctx, static.Config{FPRate: rate}, clone(digests[:absent]), clone(digests[absent:]))),
			must(static.NewExact(ctx, static.Config{FPRate: rate}, clone(digests[absent:]), clone(digests[:absent]))))
	}
	filters = append(filters, must(static.NewExact(ctx, static.Config{FPRate: 0.01, Family: secret}, clone(hidden[:absent]), clone(hidden[absent:]))))
	kind(filters...)

	filters = nil
	for _, compact := range []bool{false, true} {
		filters = append(filters, must(perfect.New(ctx, perfect.Config{Compact: compact}, clone(digests[:inside]))),
			must(perfect.New(ctx, perfect.Config{Compact: compact}, clone(digests[:200]))))
	}
	filters = append(filters, must(perfect.New(ctx, perfect.Config{Family: secret}, clone(hidden[:absent]))))
	kind(filters...)

	filters = nil
	for _, bits := range []int{0, 7, 64} {
		values := make([]uint64, inside)
		for i := range values {
			values[i] = uint64(i) * 0x9e3779b97f4a7c15 & (1<<bits - 1)
		}
		c := perfect.FilterConfig{FPRate: 0.011, ValueBits: bits, Compact: bits == 7}
		if bits == 0 {
			values = nil
		}
		filters = append(filters, must(perfect.NewFilter(ctx, c, clone(digests[:inside]), values)))
	}
	kind(filters...)
	return all
}

// Frames at the limits of the format, and golden files of all kinds.
func TestReadersReadAllFramesOfTheTests(t *testing.T) {
	var all []question
	for _, path := range files(t, limits) {
		for _, entry := range strings.Split(read(t, path), "\n\n") {
			_, digits, _ := strings.Cut(entry, "\n")
			digits, _, whole := strings.Cut(digits, "\n  answers ")
			if whole {
				all = append(all, question{unshown(digits), false, 200, false})
			}
		}
	}
	for _, path := range files(t, "*.bin") {
		b := []byte(read(t, path))
		all = append(all, question{b, false, 200, false}, question{b, true, 200, false})
	}
	forEachReader(t, func(t *testing.T, r reader) {
		accepted := 0
		for _, a := range r.ask(t, all) {
			if a.Reason == "" {
				accepted++
			}
		}
		require.Greater(t, accepted, 50)
	})
}

// Readers must find the same errors as the library, in golden files that are
// truncated or have a changed byte, with the old and with correct checksums.
func TestReadersRefuseDamagedFrames(t *testing.T) {
	every := 7
	if checks.Long(t, 0.2, 0.5) {
		every = 1
	}
	var all []question
	for _, path := range files(t, "*.bin") {
		b := []byte(read(t, path))
		secret := strings.Contains(path, "keyed")
		if !readKinds[frame.Kind(b[frametest.Kind])] {
			continue
		}
		for i := range b {
			if i%every != 0 && i > 80 {
				continue
			}
			all = append(all, question{b[:i:i], secret, 8, false})
			for _, change := range []byte{1, 128} {
				changed := bytes.Clone(b)
				changed[i] ^= change
				all = append(all, question{changed, secret, 8, false}, question{frametest.Seal(changed), secret, 8, false})
			}
		}
	}
	all = append(all, question{crafted(frame.Cuckoo, make([]byte, 1<<20+8), 1<<19, 4, 0), false, 8, false}) // fingerprints must have 5 bits
	forEachReader(t, func(t *testing.T, r reader) {
		reasons := map[string]int{}
		for _, a := range r.ask(t, all) {
			reasons[a.Reason]++
		}
		t.Log(reasons)
		for _, reason := range []string{"corrupt", "version", "family", "kind", ""} {
			require.Greater(t, reasons[reason], 20, reason)
		}
	})
}

// Anyone can write a frame with correct checksums. Opening such a frame must
// need neither much more memory than its length nor much time. If it is
// accepted, a reader must return the same results as the library.
func TestReadersOpenForgedFrames(t *testing.T) {
	var golden [][]byte
	for _, path := range files(t, "*.bin") {
		b := []byte(read(t, path))
		if readKinds[frame.Kind(b[frametest.Kind])] && !strings.Contains(path, "keyed") {
			golden = append(golden, b)
		}
	}
	count := 1000
	if checks.Long(t, 0.2, 0.5) {
		count = 10_000
	}
	forged := rapid.Custom(func(t *rapid.T) []byte {
		from := rapid.SampledFrom(golden)
		return frametest.Change(t, from.Draw(t, "frame"), from.Draw(t, "another"))
	})
	var all []question
	for i := range count {
		all = append(all, question{forged.Example(i), false, 8, true})
	}
	forEachReader(t, func(t *testing.T, r reader) {
		accepted := 0
		for i, a := range r.ask(t, all) {
			if a.Reason == "" {
				accepted++
			}
			require.LessOrEqual(t, a.Memory, 200_000+20*len(all[i].Frame), "%x", all[i].Frame)
		}
		t.Log(accepted, "of", count, "accepted")
		require.Greater(t, accepted, count/50)
	})
}

// The error for a frame that a reader does not read names the structure.
func TestReadersNameWhatTheyDoNotRead(t *testing.T) {
	programs := map[string]string{
		"Python": "import filterfam\ntry:\n    filterfam.load(open('frame', 'rb').read())\nexcept filterfam.FrameError as e:\n    print(e)\n",
		"Node": "import fs from \"node:fs\"; import { open } from \"./filterfam.mjs\";\n" +
			"try { open(fs.readFileSync(\"frame\")); } catch (e) { console.log(e.message); }",
	}
	forEachReader(t, func(t *testing.T, r reader) {
		for file, name := range map[string]string{
			"bloom/testdata/scalable.bin": "a scalable Bloom filter", "countmin/testdata/top.bin": "a top k", "countmin/testdata/plain32.bin": "a count-min sketch",
		} {
			out := r.run(t, programs[r.name], nil, map[string][]byte{"frame": []byte(read(t, file))})
			require.Equal(t, "filterfam: cannot read "+name+"\n", string(out))
		}
	})
}

// Programs in docs/recipes.md must print the next block, which has no language.
func TestRecipesOfReadersRun(t *testing.T) {
	list := must(static.New(t.Context(), static.Config{FPRate: 0.01}, []hashfam.Digest{hashfam.Family{}.SumString("login.example")}))
	d := hashfam.Family{}.SumAllStrings(nil, []string{"example.org", "example.net"})
	values := must(perfect.NewFilter(t.Context(), perfect.FilterConfig{FPRate: 0.001, ValueBits: 8}, d, []uint64{3, 7}))
	more := map[string][]byte{"blocked.bin": must(list.MarshalBinary()), "categories.bin": must(values.MarshalBinary())}
	languages := map[string]string{"Python": "python", "Node": "js"}
	const server = "import fs from \"node:fs\"; globalThis.fetch = async (path) => new Response(fs.readFileSync(\".\" + path));"
	forEachReader(t, func(t *testing.T, r reader) {
		ran := 0
		blocks := fenced.FindAllStringSubmatch(read(t, "docs/recipes.md"), -1)
		for i, b := range blocks {
			if b[1] != languages[r.name] {
				continue
			}
			program := b[2]
			if r.name == "Node" {
				program = server + program
			}
			ran++
			require.True(t, i+1 < len(blocks) && blocks[i+1][1] == "", "no output is shown for %s", b[2])
			require.Equal(t, blocks[i+1][2], string(r.run(t, program, nil, more)))
		}
		require.Positive(t, ran)
	})
}

func TestRecipesShowTheSizeOfTheReader(t *testing.T) {
	checks.Documented(t, "recipes.md", "[filterfam.mjs](filterfam.mjs) (%.0f KB)", float64(len(read(t, "docs/filterfam.mjs")))/1e3)
}

// The file for Python must be valid for Python 3.9, and import only modules of
// the standard library that are as old.
func TestThePythonReaderNeedsOnlyPython39(t *testing.T) {
	const program = `import ast

tree = ast.parse(open("filterfam.py").read(), feature_version=(3, 9))
for node in ast.walk(tree):
    if isinstance(node, ast.Import):
        print(*(alias.name for alias in node.names))
    if isinstance(node, ast.ImportFrom):
        print(node.module)
`
	out := readers[0].run(t, program, nil, nil)
	require.Equal(t, "itertools\nstruct\narray\n", string(out))
}
