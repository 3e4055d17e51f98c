package input

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/internal/frame"
)

const mark = "\ufeff"

// A line is what a batch contains for a line.
type line struct {
	text, key string
	weight    uint64
}

// read returns all lines of a file before an error.
func read(name string, c Config) (all []line, err error) {
	err = Each(context.Background(), name, c, func(b Batch) error {
		for i := range b.Lines {
			l := line{string(b.Lines[i]), string(b.Keys[i]), 1}
			if c.Weight > 0 {
				l.weight = b.Weights[i]
			}
			all = append(all, l)
		}
		return nil
	})
	return all, err
}

// texts returns the lines before an error, without keys.
func texts(name string, c Config) (all []string, err error) {
	lines, err := read(name, c)
	for _, l := range lines {
		all = append(all, l.text)
	}
	return all, err
}

// file writes a file and returns its name.
func file(t testing.TB, name, contents string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(name, []byte(contents), 0o600))
	return name
}

// utf16Bytes returns a text in UTF-16.
func utf16Bytes(text string, bigEndian bool) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		low, high := byte(unit), byte(unit>>8)
		if bigEndian {
			low, high = high, low
		}
		b = append(b, low, high)
	}
	return string(b)
}

func gzipped(t require.TestingT, texts ...string) string {
	var b bytes.Buffer
	for _, text := range texts {
		w := gzip.NewWriter(&b)
		_, err := io.WriteString(w, text)
		require.NoError(t, err)
		require.NoError(t, w.Close())
	}
	return b.String()
}

func zstdData(t require.TestingT, text string, options ...zstd.EOption) string {
	w, err := zstd.NewWriter(nil, options...)
	require.NoError(t, err)
	return string(w.EncodeAll([]byte(text), nil))
}

// by returns what a program such as bzip2 makes of a text, and whether there is
// this program.
func by(t require.TestingT, text string, command ...string) (string, bool) {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return "", false
	}
	cmd := exec.Command(path, command[1:]...)
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	require.NoError(t, err)
	return string(out), true
}

func unhex(t testing.TB, digits string) string {
	b, err := hex.DecodeString(digits)
	require.NoError(t, err)
	return string(b)
}

// encodings are the ways in which a text can be written.
var encodings = map[string]func(text string) string{
	"plain":     func(text string) string { return text },
	"UTF-8":     func(text string) string { return mark + text },
	"UTF-16 LE": func(text string) string { return utf16Bytes(mark+text, false) },
	"UTF-16 BE": func(text string) string { return utf16Bytes(mark+text, true) },
}

// compressions are the ways in which a file can be compressed.
var compressions = map[string]func(t require.TestingT, text string) (string, bool){
	"none": func(_ require.TestingT, text string) (string, bool) { return text, true },
	"gzip": func(t require.TestingT, text string) (string, bool) { return gzipped(t, text), true },
	"members and zeros": func(t require.TestingT, text string) (string, bool) {
		return gzipped(t, text[:len(text)/2], "", text[len(text)/2:]) + strings.Repeat("\x00", 512), true
	},
	"zstd": func(t require.TestingT, text string) (string, bool) { return zstdData(t, text), true },
	"frames": func(t require.TestingT, text string) (string, bool) {
		return "\x50\x2a\x4d\x18\x02\x00\x00\x00ab" + zstdData(t, text[:len(text)/2]) + zstdData(t, text[len(text)/2:]), true
	},
	"xz":    func(t require.TestingT, text string) (string, bool) { return by(t, text, "xz", "-c") },
	"bzip2": func(t require.TestingT, text string) (string, bool) { return by(t, text, "bzip2", "-c") },
}

func names[V any](m map[string]V) *rapid.Generator[string] {
	return rapid.SampledFrom(slices.Sorted(maps.Keys(m)))
}

// The lines of a file are those of its text, however the text is encoded and
// compressed.
func TestLinesAreThoseOfTheText(t *testing.T) {
	name := file(t, "list", "")
	parts := rapid.SliceOf(rapid.SampledFrom([]string{
		"\n", "\n", "\r\n", "\r\n", "\r", "\x00", "a", "b c", "\u00e9", "\u20ac", "\U0001f600", "\xff", "\xe9", mark, strings.Repeat("long", 1000),
	}))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(parts.Draw(t, "text"), "")
		encoding := names(encodings).Draw(t, "encoding")
		c := Config{NUL: rapid.Bool().Draw(t, "NUL"), Empty: rapid.Bool().Draw(t, "empty")}
		if strings.HasPrefix(encoding, "UTF-16") {
			text = strings.ToValidUTF8(text, "?")
			text = strings.TrimLeft(text, "\x00") // a mark and a zero are also the mark of UTF-32
		}
		if encoding == "plain" {
			text = strings.TrimLeft(text, mark)
		}
		data, made := compressions[names(compressions).Draw(t, "compression")](t, encodings[encoding](text))
		if !made {
			return
		}
		require.NoError(t, os.WriteFile(name, []byte(data), 0o600))
		got, err := texts(name, c)
		want, otherEnds := linesOf(text, c)
		if otherEnds {
			require.ErrorContains(t, err, `lines end with a carriage return alone: use tr '\r' '\n'`)
			return
		}
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

// linesOf returns the lines of a text, and whether it has other line ends.
func linesOf(text string, c Config) (all []string, otherEnds bool) {
	end := "\n"
	if c.NUL {
		end = "\x00"
	}
	for l := range strings.SplitAfterSeq(text, end) {
		key := strings.TrimSuffix(l, end)
		if !c.NUL {
			key = strings.TrimSuffix(key, "\r")
		}
		if l != "" && (key != "" || c.Empty) {
			all = append(all, key)
		}
	}
	first := text[:min(len(text), 64<<10)]
	cr := strings.IndexByte(first, '\r')
	return all, !c.NUL && !strings.Contains(first, "\n") && cr >= 0 && cr < len(text)-1
}

// What xz and bzip2 make of three lines.
const (
	xzFile = "fd377a585a000004e6d6b4460200210116000000742fe5a301000e6164610a5a6fc3ab0a67726163650a" +
		"00009882e1cc641258ce0001270fdf1afc6a1fb6f37d010000000004595a"
	bzip2File = "425a6839314159265359c02ca40c0000034394001000102e809000000808002000220d1a1a08069a68" +
		"054da05b066f778bb9229c28486016520600"
)

// The lists that programs of other systems write are read as they are meant.
func TestListsOfOtherSystems(t *testing.T) {
	c := Config{Frames: "use merge"}
	want := []string{"ada", "Zo\u00eb", "grace"}
	for system, contents := range map[string]string{
		"PowerShell 5: 'ada', ... > list": "\xff\xfea\x00d\x00a\x00\r\x00\n\x00Z\x00o\x00\xeb\x00\r\x00\n\x00g\x00r\x00a\x00c\x00e\x00\r\x00\n\x00",
		"Excel: CSV UTF-8":                "\xef\xbb\xbfada\r\nZo\xc3\xab\r\ngrace\r\n",
		"Excel: Unicode text":             utf16Bytes(mark+"ada\r\nZo\u00eb\r\ngrace\r\n", false),
		"Notepad: UTF-16 BE, no last end": utf16Bytes(mark+"ada\r\nZo\u00eb\r\ngrace", true),
		// busybox gzip writes neither a name nor a time, and macOS both.
		"busybox gzip": "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + gzipped(t, "ada\nZo\u00eb\ngrace\n")[10:],
		"macOS gzip":   "\x1f\x8b\x08\x08\x12\x34\x56\x65\x00\x13list.txt\x00" + gzipped(t, "ada\nZo\u00eb\ngrace\n")[10:],
		// Stores append members, and fill up their blocks with zeros.
		"object store": gzipped(t, "ada\nZo", "\u00eb\n", "", "grace\n") + strings.Repeat("\x00", 1000),
		"xz":           unhex(t, xzFile),
		"bzip2":        unhex(t, bzip2File),
		"zstd":         unhex(t, "28b52ffd04587900006164610a5a6fc3ab0a67726163650a2d0f14bb"),
	} {
		got, err := texts(file(t, "list", contents), c)
		require.NoError(t, err, system)
		require.Equal(t, want, got, system)
	}
	_, err := texts(file(t, "list", "ada\rgrace\rZoe\r"), c) // Excel for Mac: text (Macintosh)
	require.ErrorContains(t, err, "carriage return")
}

// Lines that are complete come before the error, which names the file, wherever
// a compressed file ends.
func TestIncompleteFiles(t *testing.T) {
	var text strings.Builder
	for i := range 40_000 {
		fmt.Fprintln(&text, "line", i*i*i)
	}
	for name, compressed := range compressions {
		data, made := compressed(t, text.String())
		if name == "none" || name == "frames" || !made {
			continue
		}
		data = strings.TrimRight(data, "\x00") + "\x00\x00\x00\x00"
		least := 2
		if name == "bzip2" {
			least = 5
		}
		for n := least; n < len(data)-20; n += 1 + n/10*n/100 {
			path := file(t, "cut", data[:n])
			got, err := texts(path, Config{})
			require.Error(t, err, "%s, %d of %d bytes", name, n, len(data))
			require.Equal(t, path+": the compressed data ends too early", err.Error(), "%s, %d of %d bytes", name, n, len(data))
			joined := strings.Join(append(got, ""), "\n")
			require.True(t, strings.HasPrefix(text.String(), joined), name)
			if n > len(data)*9/10 && name != "bzip2" {
				require.Greater(t, len(got), 20_000, "%s, %d of %d bytes", name, n, len(data))
			}
		}
	}
}

// What follows compressed data is an error after all lines.
func TestBytesAfterCompressedData(t *testing.T) {
	for name, compressed := range compressions {
		data, made := compressed(t, "ada\ngrace\n")
		if name == "none" || !made {
			continue
		}
		for _, more := range []string{"x", "xyz\n", strings.Repeat("xyz\n", 100)} {
			path := file(t, "more", data+more)
			got, err := texts(path, Config{})
			require.Equal(t, []string{"ada", "grace"}, got, "%s: %v", name, err)
			require.ErrorContains(t, err, path+": ", "%s, %q", name, more)
			if strings.Contains(name, "g") {
				require.EqualError(t, err, path+": other bytes follow the compressed data", "%s, %q", name, more)
			}
		}
	}
}

// Compressed files that are damaged are errors, and never other lines without
// an error. A program that checks no checksum would fail this.
func TestDamagedFiles(t *testing.T) {
	var text strings.Builder
	for i := range 300 {
		fmt.Fprintln(&text, "line", i*i*i)
	}
	want, err := texts(file(t, "list", text.String()), Config{})
	require.NoError(t, err)
	for name, compressed := range compressions {
		data, made := compressed(t, text.String())
		if name == "none" || !made {
			continue
		}
		damaged := []byte(data)
		for n := 10; n < len(data)-10; n += 1 + len(data)/200 {
			damaged[n] ^= 0x10
			got, err := texts(file(t, "damaged", string(damaged)), Config{})
			damaged[n] ^= 0x10
			if err == nil {
				require.Equal(t, want, got, "%s, byte %d", name, n)
			}
		}
	}
}

// What is not a list is an error that says what to do, also if it is
// compressed.
func TestFilesThatAreNotLists(t *testing.T) {
	f, err := bloom.New(bloom.Config{Capacity: 10, FPRate: 0.01})
	require.NoError(t, err)
	filter, err := f.MarshalBinary()
	require.NoError(t, err)
	c := Config{Frames: "use merge"}
	journal := frame.Magic + "\x10\x01"
	zip := "PK\x03\x04\x14\x00\x00\x00"
	for want, contents := range map[string]string{
		"is a Bloom filter, not lines: use merge":                                            string(filter),
		"after decompression, it is a Bloom filter, not lines: decompress it, and use merge": gzipped(t, string(filter)),
		frame.Kind(16).String(): journal,
		"is a zip archive or a spreadsheet, not lines: use unzip -p FILE, or save it as text": zip,
		"after decompression, it is a zip archive":                                            zstdData(t, zip),
		errTwice.Error():                   gzipped(t, gzipped(t, "ada\n")),
		"is compressed twice":              zstdData(t, gzipped(t, "ada\n")),
		"is UTF-32":                        "\xff\xfe\x00\x00a\x00\x00\x00",
		"lines end with a carriage return": gzipped(t, "ada\rgrace\r"),
		"is not valid UTF-16 at byte 2":    "\xff\xfe\x00\xdc",
	} {
		path := file(t, "not", contents)
		got, err := texts(path, c)
		require.ErrorContains(t, err, want)
		require.True(t, strings.HasPrefix(err.Error(), path+": "), err)
		require.Empty(t, got)
	}
}

// Text that is not valid UTF-16 is an error after the lines before it.
// Otherwise, different lines would become equal.
func TestInvalidUTF16(t *testing.T) {
	for _, bad := range []string{"\x00\xd8", "\x00\xdc", "\x00\xd8a\x00", "\x00\xd8\x00\xd8", "a", "a\x00\x00"} {
		path := file(t, "list", utf16Bytes(mark+"ada\ngra", false)+bad)
		got, err := texts(path, Config{})
		require.ErrorIs(t, err, errUnits, "%q", bad)
		require.ErrorContains(t, err, path+": ")
		require.Equal(t, []string{"ada"}, got)
	}
}

// UTF-16 is decoded as the standard library does it.
func TestUTF16IsDecoded(t *testing.T) {
	name := file(t, "list", "")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.Rune()).Draw(t, "text")
		text = strings.NewReplacer("\n", "", "\r", "", "\x00", "").Replace(strings.ToValidUTF8(text, ""))
		text += strings.Repeat("\U0001f600", rapid.IntRange(0, 40_000).Draw(t, "more"))
		for _, bigEndian := range []bool{false, true} {
			require.NoError(t, os.WriteFile(name, []byte(utf16Bytes(mark+text, bigEndian)), 0o600))
			got, err := texts(name, Config{Empty: true})
			require.NoError(t, err)
			require.True(t, utf8.ValidString(text))
			require.Equal(t, text, strings.Join(got, ""))
		}
	})
}

// An error of the caller's function is returned as it is, and ends the reading.
func TestErrorsOfTheCallerAreReturned(t *testing.T) {
	broken := errors.New("broken")
	for _, contents := range []string{"ada\n", gzipped(t, strings.Repeat("ada\n", 1_000_000))} {
		calls := 0
		err := Each(context.Background(), file(t, "list", contents), Config{}, func(Batch) error {
			calls++
			return broken
		})
		require.True(t, err == broken)
		require.Equal(t, 1, calls)
	}
}

// All bytes of a file are counted, before decompression.
func TestBytesAreCounted(t *testing.T) {
	text := strings.Repeat("ada\n", 200_000)
	for _, contents := range []string{"", "ada\n", text, gzipped(t, text), zstdData(t, text), utf16Bytes(mark+text, true)} {
		read := 0
		c := Config{Read: func(bytes int) { read += bytes }}
		err := Each(context.Background(), file(t, "list", contents), c, func(Batch) error { return nil })
		require.NoError(t, err)
		require.Equal(t, len(contents), read)
	}
}

// A long line is returned whole, and a longer one is an error after the lines
// before it.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, contents := range []string{"ada\n" + long + "\ngrace", gzipped(t, "ada\n"+long+"\ngrace"), utf16Bytes(mark+"ada\n"+long+"\ngrace", false)} {
		path := file(t, "list", contents)
		got, err := texts(path, Config{MaxLine: len(long)})
		require.NoError(t, err)
		require.Equal(t, []string{"ada", long, "grace"}, got)
		got, err = texts(path, Config{MaxLine: len(long) - 1})
		require.Equal(t, []string{"ada"}, got)
		require.ErrorContains(t, err, path+": line at byte ")
		require.ErrorContains(t, err, " has more than 1048575 bytes")
	}
}
