package lines

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/internal/frame"
)

// The parts of texts that begin like other files.
var beginnings = []string{
	"PK", "PK\x03", "BZ", "BZh", "BZh9", "BZh9\n", "BZh91\n", "x^", "x^2\n", "x^2+1", "x\x01", "x\xda", "x\x9c", "7z", "7z\n", "Rar!", "Rar!\n", "LZIP", "LZIP\n",
	"]", "]\n", "(", "(\n", "\x1f", "\x1f\n", "P*M", "P*M\n", "P*M,", "ustar", "\xfd", "\xff", "\xfe", "\xef\xbb", mark, "\x04", "\n", "\r\n", "", "hC", "8\x1d",
	"\xf1", "\xf1fa\n", "\xf1andu\n", "\xdf\xe4\n",
}

// A list is never taken for another file, even if it begins like one, in any
// encoding of one byte, and however it is read.
func TestListsAreRecognizedAsPlain(t *testing.T) {
	letters := []rune("aexz10 \t,;:^*+-/!(]\u00e9\u00df\u00b5\u20ac")
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.StringOf(rapid.SampledFrom(letters))).Draw(t, "lines")
		text := rapid.SampledFrom(beginnings).Draw(t, "beginning") + strings.Join(lines, "\n")
		if rapid.Bool().Draw(t, "one byte") {
			text = strings.NewReplacer("\u00e9", "\xe9", "\u00df", "\xdf", "\u00b5", "\xb5", "\u20ac", "\x80").Replace(text)
		}
		c := Recognize(drawReader(t, text), rapid.Bool().Draw(t, "NUL"))
		require.Equal(t, Plain, c.Form, "%q", text)
		require.NoError(t, c.Refusal())
		got, err := io.ReadAll(c)
		require.NoError(t, err)
		require.Equal(t, text, string(got))
	})
}

// A text in an old encoding that begins like zlib data is plain. Most of them
// differ from zlib data within a few bytes, so many are tried.
func TestFormulasAreNotZlib(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		text := []byte{'x', "\x01\x5e\x9c\xda"[random.IntN(4)]}
		for range random.IntN(300) {
			text = append(text, "\n\t ,;^+-0123456789abcdefghijklmnopqrstuvwxyz\xe4\xf6\xfc\xe9\xe8\xdf"[random.IntN(50)])
		}
		require.Equal(t, Plain, form(text, true), "%q", text)
	}
}

// Even a text that zlib can decompress so far is a text.
func TestTextsThatCouldBeDecompressed(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	text := []byte("x^")
	for tries := 0; len(text) < 2*zlibBytes; tries++ {
		require.Less(t, tries, 100_000)
		longer := append(text, byte(' '+random.IntN('~'-' '+1)))
		r, err := zlib.NewReader(bytes.NewReader(longer))
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, r)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			text = longer
		case tries%200 == 0: // perhaps no character can follow
			text = text[:max(2, len(text)-4)]
		}
	}
	require.Equal(t, Plain, form(text, true), "%q", text)
}

func zlibbed(t require.TestingT, level int, text string) string {
	var b bytes.Buffer
	w, err := zlib.NewWriterLevel(&b, level)
	require.NoError(t, err)
	_, err = io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

// Data that zlib has compressed is recognized, except for a few very short
// texts.
func TestZlibIsRecognized(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringN(3, -1, -1), 2, -1).Draw(t, "lines")
		data := zlibbed(t, rapid.IntRange(0, 9).Draw(t, "level"), strings.Join(lines, "\n"))
		require.False(t, isText([]byte(data)), "%q", data)
		c := Recognize(strings.NewReader(data), false)
		require.Equal(t, zlibData, c.Form, "%q", data)
		require.ErrorContains(t, c.Refusal(), "is compressed by zlib, not lines: use pigz -dc FILE")
	})
}

func tarred(t testing.TB, format tar.Format) string {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "list.txt", Size: 4, Mode: 0o644, Format: format}))
	_, err := io.WriteString(w, "ada\n")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

func archived(t testing.TB, names ...string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		file, err := w.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(file, "ada\n")
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.String()
}

// Files that are not lines are errors that say what to do, however they are
// read.
func TestOtherFilesAreRefused(t *testing.T) {
	rest := strings.Repeat("\x00\n\xff", 10)
	for want, files := range map[string][]string{
		"is a zip archive or a spreadsheet, not lines: use unzip -p FILE": {archived(t), archived(t, "list.txt")},
		"is a tar archive, not lines: use tar -xOf FILE":                  {tarred(t, tar.FormatUSTAR), tarred(t, tar.FormatPAX), tarred(t, tar.FormatGNU)},
		"is UTF-32, not lines: use iconv -f UTF-32 -t UTF-8 FILE":         {"\xff\xfe\x00\x00a\x00\x00\x00", "\x00\x00\xfe\xff\x00\x00\x00a"},
		"is a 7z archive, not lines: use 7z x -so FILE":                   {"7z\xbc\xaf\x27\x1c" + rest},
		"is a rar archive, not lines: use unrar p -inul FILE":             {"Rar!\x1a\x07\x01\x00" + rest},
		"is compressed by lz4, not lines: use lz4 -dc FILE":               {"\x04\x22\x4d\x18" + rest, "\x02\x21\x4c\x18" + rest},
		"is compressed by lzip, not lines: use lzip -dc FILE":             {"LZIP\x01" + rest},
		"is compressed by lzma, not lines: use xz -dc FILE":               {"\x5d\x00\x00\x80\x00\xff\xff\xff\xff" + rest},
		"is compressed by compress, not lines: use zcat FILE":             {"\x1f\x9d\x90" + rest},
		"is a static filter, not lines":                                   {frame.Magic + string(rune(frame.Static)) + rest},
		"is unknown kind 200, not lines":                                  {frame.Magic + "\xc8" + rest},
		"is the beginning of a filter, not lines":                         {frame.Magic},
	} {
		for _, file := range files {
			for _, from := range []io.Reader{strings.NewReader(file), iotest.OneByteReader(strings.NewReader(file)), iotest.HalfReader(strings.NewReader(file))} {
				require.EqualError(t, Recognize(from, false).Refusal(), clause(want), "%q", file[:4])
			}
		}
	}
}

// clause adds what the error for a zip file says about spreadsheets.
func clause(want string) string {
	if strings.Contains(want, "zip archive") {
		return want + ", or save it as text"
	}
	return want
}

// A compressed file of which only the first bytes are there is not plain.
func TestIncompleteFilesAreRecognized(t *testing.T) {
	for form, magic := range map[Form]string{Gzip: gzipMagic + "\x08", Zstd: "\x28\xb5\x2f\xfd", XZ: "\xfd7zXZ\x00", Bzip2: "BZh91AY&SY"} {
		least := 2
		if form == Bzip2 {
			least = 5 // what is shorter could be a text
		}
		for n := least; n <= len(magic); n++ {
			require.Equal(t, form, Recognize(strings.NewReader(magic[:n]), false).Form, "%q", magic[:n])
		}
	}
	for _, text := range []string{"BZh9", "BZ", "(", "PK", "7z"} {
		require.Equal(t, Plain, Recognize(strings.NewReader(text), false).Form)
	}
}

// A line that is complete does not wait for the bytes after it.
func TestRecognizeDoesNotWait(t *testing.T) {
	for text, nul := range map[string]bool{"ada\n": false, "\n": false, "x^2\n": false, "BZh9\n": false, "PK\n": false, "ada\x00": true, "\x1f\x8b\x08": false} {
		in, out := io.Pipe()
		go io.WriteString(out, text)
		c := Recognize(in, nul)
		got := make([]byte, len(text))
		_, err := io.ReadFull(c, got)
		require.NoError(t, err)
		require.Equal(t, text, string(got))
		out.Close()
	}
}

// An error is returned after the bytes that were read before it.
func TestRecognizeReturnsErrorsLater(t *testing.T) {
	broken := errors.New("broken")
	for _, text := range []string{"", "ada", "ada\n"} {
		once := &failsOnce{strings.NewReader(text), broken}
		c := Recognize(iotest.DataErrReader(once), false)
		got, err := io.ReadAll(c)
		require.ErrorIs(t, err, broken)
		require.Equal(t, text, string(got))
	}
	require.Equal(t, Plain, Recognize(idle{}, false).Form)
}

// A failsOnce reader returns an error at the end, but only once.
type failsOnce struct {
	io.Reader
	err error
}

func (f *failsOnce) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	if err == io.EOF && f.err != nil {
		err = f.err
		f.err = nil
	}
	return n, err
}

// A file that can seek stays the reader, so that it can be read from any
// offset.
func TestRecognizeKeepsFilesThatCanSeek(t *testing.T) {
	file := strings.NewReader("ada\n")
	require.Same(t, file, Recognize(file, false).Reader)
	require.Equal(t, 4, file.Len())
}
