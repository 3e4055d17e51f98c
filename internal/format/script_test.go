package format

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
)

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
  try { filter = open(Buffer.from(Frame, "base64")); } catch (e) { return null; }
  const bits = new Uint8Array((Keys + 7) / 8);
  for (let i = 0; i < Keys; i++) if (filter.has(keys[i])) bits[i >> 3] |= 1 << (i & 7);
  return Buffer.from(bits).toString("base64");
})));
`

func askedKey(i int) string {
	if i%2 == 1 {
		return fmt.Sprint("ключ ", i)
	}
	return strings.Repeat("\x00", i%21) + string(binary.LittleEndian.AppendUint64(nil, uint64(i)))
}

// docs/filterfam.mjs must accept the same frames and return the same results as
// the library, for 100,000 keys in filters of each layout, and for frames with
// a damaged byte, some with correct checksums.
func TestTheScriptReturnsTheSameResults(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node")
	}
	all := append(ownFilters(t), damaged(t)...)
	dir := t.TempDir()
	script := read(t, "docs/filterfam.mjs")
	require.LessOrEqual(t, strings.Count(script, "\n"), 130, "lines")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "filterfam.mjs"), []byte(script), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ask.mjs"), []byte(asker), 0o600))
	cmd := exec.Command(node, filepath.Join(dir, "ask.mjs"))
	cmd.Stdin = bytes.NewReader(must(json.Marshal(all)))
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

// requireRecipeRuns runs the script in docs/recipes.md. dir contains
// filterfam.mjs.
func requireRecipeRuns(t *testing.T, node, dir string) {
	blocked := must(static.New(t.Context(), static.Config{FPRate: 0.01}, []hashfam.Digest{hashfam.Family{}.SumString("login.example")}))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "blocked.bin"), must(blocked.MarshalBinary()), 0o600))
	for _, b := range block.FindAllStringSubmatch(read(t, "docs/recipes.md"), -1) {
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
	var f interface {
		structure
		ContainsString(string) bool
	} = bloom.NewReceiver(hashfam.Family{})
	if len(q.Frame) > 4 && q.Frame[4] == 7 {
		f = static.NewReceiver(hashfam.Family{})
	}
	if f.UnmarshalBinary(q.Frame) != nil {
		return nil
	}
	bits := make([]byte, (q.Keys+7)/8)
	for i := range q.Keys {
		bits[i/8] |= byte(one(f.ContainsString(askedKey(i)))) << (i % 8)
	}
	return bits
}

// ownFilters returns questions about filters with 75,000 keys, and about frames
// at the limits of the format.
func ownFilters(t *testing.T) (all []question) {
	var digests []hashfam.Digest
	for i := range 75_000 {
		digests = append(digests, hashfam.Family{}.SumString(askedKey(i)))
	}
	add := func(s structure) { all = append(all, question{must(s.MarshalBinary()), 100_000}) }
	for layout := bloom.Classic; layout <= bloom.Blocked; layout++ {
		f := must(bloom.New(bloom.Config{Capacity: 75_000, FPRate: 0.03, Layout: layout}))
		f.AddAll(digests)
		add(f)
	}
	for _, rate := range []float64{0.8, 0.03, 1e-9} {
		add(must(static.New(t.Context(), static.Config{FPRate: rate}, digests)))
	}
	for _, entry := range strings.Split(read(t, limits(t)[0]), "\n\n") {
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
	for _, path := range files(t, ".bin") {
		frame := []byte(read(t, path))
		all = append(all, question{frame, 200})
		if strings.Contains(path, "keyed") || frame[4] != 1 && frame[4] != 7 {
			continue
		}
		for i := range frame {
			for _, change := range []byte{1, 128} {
				b := bytes.Clone(frame)
				b[i] ^= change
				sealed := bytes.Clone(b)
				binary.LittleEndian.PutUint64(sealed[56:], checksum(sealed[:56]))
				binary.LittleEndian.PutUint64(sealed[len(b)-8:], checksum(sealed[:len(b)-8]))
				all = append(all, question{b, 64}, question{sealed, 64}, question{b[:i], 64})
			}
		}
	}
	return all
}

func checksum(b []byte) uint64 { return uint64(crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))) }
