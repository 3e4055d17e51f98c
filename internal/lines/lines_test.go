package lines

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawText draws a text with many line ends.
func drawText(t *rapid.T) string {
	parts := rapid.SliceOf(rapid.SampledFrom([]string{"\n", "\r\n", "\r", "\x00", "a", "bc", "\x1f\x8b", "\xff", mark}))
	return strings.Join(parts.Draw(t, "text"), "")
}

// drawReader draws how the text is read.
func drawReader(t *rapid.T, text string) io.Reader {
	wrap := rapid.SampledFrom([]func(io.Reader) io.Reader{
		func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader,
	})
	return wrap.Draw(t, "reader")(strings.NewReader(text))
}

// all returns all keys and their offsets.
func all(r *Reader) (keys []string, starts []int64, err error) {
	for {
		err := r.Next()
		if err != nil || len(r.Keys) == 0 {
			return keys, starts, err
		}
		for i, key := range r.Keys {
			keys = append(keys, string(key))
			starts = append(starts, r.Starts[i])
		}
	}
}

// linesOf returns the lines of a text and their offsets, without using a
// Reader.
func linesOf(text string, c Config) (keys []string, starts []int64) {
	end := "\n"
	if c.NUL {
		end = "\x00"
	}
	offset := c.Offset
	for i, line := range strings.SplitAfter(text, end) {
		key := strings.TrimSuffix(line, end)
		if !c.NUL {
			key = strings.TrimSuffix(key, "\r")
		}
		if offset == 0 {
			key = strings.TrimPrefix(key, mark)
		}
		onlyMark := offset == 0 && line == mark
		if line != "" && !onlyMark && !(c.SkipFirst && i == 0) && !(c.SkipEmpty && key == "") {
			keys = append(keys, key)
			starts = append(starts, offset)
		}
		offset += int64(len(line))
	}
	return keys, starts
}

// A small buffer must return the same lines as a large one, for any division of
// the bytes among reads.
func TestLinesAreThoseOfTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t)
		c := Config{
			MaxLine:   1 << 10,
			NUL:       rapid.Bool().Draw(t, "NUL"),
			SkipEmpty: rapid.Bool().Draw(t, "skip empty"),
			SkipFirst: rapid.Bool().Draw(t, "skip first"),
			Offset:    rapid.Int64Range(0, 5).Draw(t, "offset"),
		}
		r := NewReader(drawReader(t, text), c)
		r.buffer = make([]byte, rapid.IntRange(1, 8).Draw(t, "buffer"))
		keys, starts, err := all(r)
		if cr := strings.IndexByte(text, '\r'); c.Offset == 0 && !c.NUL && cr >= 0 && cr < len(text)-1 && !strings.Contains(text, "\n") {
			require.ErrorIs(t, err, errOtherEnds)
			require.Empty(t, keys)
			return
		}
		require.NoError(t, err)
		wantKeys, wantStarts := linesOf(text, c)
		require.Equal(t, wantKeys, keys)
		require.Equal(t, wantStarts, starts)
		require.Equal(t, c.Offset+int64(len(text)), r.Offset)
	})
}

// A line can have exactly the length that the error for longer lines names.
func TestLinesOfTheGreatestLength(t *testing.T) {
	const most = 3*chunk + 5
	line := bytes.Repeat([]byte("x"), most)
	for _, end := range []string{"", "\n", "\r\n"} {
		marked := NewReader(strings.NewReader(mark+string(line)+end), Config{MaxLine: most})
		require.NoError(t, marked.Next(), "%q", end)
		require.True(t, len(marked.Keys) == 1 && bytes.Equal(line, marked.Keys[0]), "%q", end)
		r := NewReader(bytes.NewReader(append([]byte("ada\n"), append(line, end...)...)), Config{MaxLine: most})
		require.NoError(t, r.Next(), "%q", end)
		require.Equal(t, [][]byte{[]byte("ada")}, r.Keys)
		require.NoError(t, r.Next(), "%q", end)
		require.True(t, len(r.Keys) == 1 && bytes.Equal(line, r.Keys[0]), "%q", end)
		require.NoError(t, r.Next(), "%q", end)
		require.Empty(t, r.Keys)
		long := NewReader(bytes.NewReader(append([]byte("x"), append(line, end...)...)), Config{MaxLine: most})
		require.ErrorContains(t, long.Next(), "line at byte 0 has more than 393221 bytes", "%q", end)
	}
}

// A line that is too long is refused without reading what follows it.
func TestLongLinesAreRefusedEarly(t *testing.T) {
	endless := &counted{r: endlessReader{}}
	r := NewReader(endless, Config{MaxLine: 10 * chunk})
	require.Error(t, r.Next())
	require.LessOrEqual(t, endless.n, 10*chunk+surplus)
	require.LessOrEqual(t, cap(r.buffer), 10*chunk+surplus)
}

type endlessReader struct{}

func (endlessReader) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

type counted struct {
	r io.Reader
	n int
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += n
	return n, err
}

// Next must return a complete line before it waits for the next one.
func TestLinesAreReturnedAtOnce(t *testing.T) {
	in, out := io.Pipe()
	r := NewReader(in, Config{MaxLine: 100})
	next := make(chan string)
	go func() {
		for r.Next() == nil && len(r.Keys) > 0 {
			next <- string(bytes.Join(r.Keys, []byte(",")))
		}
		close(next)
	}()
	for _, text := range []string{"ada\n", "grace\nedsger\nbar", "bara\n"} {
		_, err := out.Write([]byte(text))
		require.NoError(t, err)
		require.NotEmpty(t, <-next)
	}
	require.NoError(t, out.Close())
	require.Empty(t, <-next)
}

func TestErrorsOfReadersAreReturned(t *testing.T) {
	broken := errors.New("broken")
	_, _, err := all(NewReader(io.MultiReader(strings.NewReader("ada\ngra"), iotest.ErrReader(broken)), Config{MaxLine: 100}))
	require.ErrorIs(t, err, broken)
	_, _, err = all(NewReader(idle{}, Config{MaxLine: 100}))
	require.ErrorIs(t, err, io.ErrNoProgress)
}

// Lines that are complete are returned before an error, also if they have been
// read together with the error or with a line that is too long.
func TestCompleteLinesAreReturnedBeforeAnError(t *testing.T) {
	broken := errors.New("broken")
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ReplaceAll(drawText(t), "\r", "")
		whole := drawReader(t, text)
		keys, _, err := all(NewReader(io.MultiReader(whole, iotest.ErrReader(broken)), Config{MaxLine: 1 << 10}))
		require.ErrorIs(t, err, broken)
		want, _ := linesOf(text[:strings.LastIndex(text, "\n")+1], Config{})
		require.Equal(t, want, keys)
	})
	together := iotest.DataErrReader(io.MultiReader(strings.NewReader("ada\ngra"), iotest.ErrReader(broken)))
	keys, _, err := all(NewReader(together, Config{MaxLine: 1 << 10}))
	require.ErrorIs(t, err, broken)
	require.Equal(t, []string{"ada"}, keys)
	keys, _, err = all(NewReader(strings.NewReader("ada\ngrace hopper\nalan\n"), Config{MaxLine: 5}))
	require.ErrorContains(t, err, "line at byte 4 has more than 5 bytes")
	require.Equal(t, []string{"ada"}, keys)
}

// The error for a line for which there is no memory names the line.
func TestLinesForWhichThereIsNoMemory(t *testing.T) {
	asked := uint64(0)
	fits := func(bytes uint64) error {
		asked = bytes
		if bytes > 4*chunk {
			return errors.New("needs too much")
		}
		return nil
	}
	text := "ada\n" + strings.Repeat("x", 4*chunk+1)
	keys, _, err := all(NewReader(strings.NewReader(text), Config{MaxLine: 1 << 30, Fits: fits}))
	require.EqualError(t, err, "line at byte 4 has more than 524288 bytes: a longer one needs too much")
	require.Equal(t, []string{"ada"}, keys)
	require.EqualValues(t, 8*chunk, asked)
}

// A file without a line feed in its first 64 KiB has other line ends if there
// is a carriage return, however it is read.
func TestOtherLineEndsAreRefused(t *testing.T) {
	x := strings.Repeat("x", otherBytes)
	for text, refused := range map[string]bool{
		"ada\rgrace\r": true, "ada\rgrace": true, "\r\r": true, mark + "ada\rgrace": true, "\ra" + x: true, "\ra" + x + "\n": true,
		"ada\r": false, "\r": false, "ada\rgrace\n": false, "ada\rgrace\r\n": false, x + "\ra\r": false, x + "\r\n": false,
		x[1:] + "\r\nada\r\n": false, x[1:] + "\r": false, x[1:] + "\ra": true,
	} {
		for _, c := range []Config{{MaxLine: 1 << 20}, {MaxLine: 1 << 20, NUL: true}, {MaxLine: 1 << 20, Offset: 1}} {
			for _, from := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
				_, _, err := all(NewReader(from, c))
				require.Equal(t, refused && !c.NUL && c.Offset == 0, errors.Is(err, errOtherEnds), "%.20q of %d, %v", text, len(text), c)
			}
		}
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func BenchmarkNext(b *testing.B) {
	text := strings.Repeat("a line of 20 bytes.\n", 1_000_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r := NewReader(strings.NewReader(text), Config{MaxLine: 1 << 20})
		for r.Next() == nil && len(r.Keys) > 0 {
		}
	}
}
