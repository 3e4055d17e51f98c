package measure

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// read adds the lines of a file, or of standard input for "-", to set. It holds
// the keys and one line in memory, never the whole file.
func (s Source) read(flag, name string, set, exclude *keySet) (dropped, error) {
	c, err := s.readFile(flag, name, set, exclude)
	if err != nil {
		err = fmt.Errorf("%s %s: %w", flag, printable(name), Pathless(err))
		if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(name) {
			err = fmt.Errorf("%w; under go run -C internal/compare, relative paths start at internal/compare", err)
		}
	}
	return c, err
}

func (s Source) readFile(flag, name string, set, exclude *keySet) (dropped, error) {
	in, size := s.Stdin, int64(-1)
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return dropped{}, err
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
			set.bytes = slices.Grow(set.bytes, int(min(size, 1<<30))) // growing step by step would need twice the memory
		}
		in = file
	}
	step, finish := s.Progress("reading "+show(name), size)
	defer finish()
	text, err := unpack(reported{in, step})
	if err != nil {
		return dropped{}, err
	}
	if start, _ := text.Peek(8 << 10); bytes.IndexByte(start, 0) >= 0 {
		fmt.Fprintf(s.Warnings, "compare: warning: %s %s looks like a binary file; every line of it is taken as a key\n", flag, printable(name))
	}
	return distinct(set, text, exclude)
}

// A reported reader reports the bytes that were read.
type reported struct {
	io.Reader
	step func(int)
}

func (r reported) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.step(n)
	return n, err
}

// unpack returns the text of a file that may be packed with gzip.
func unpack(in io.Reader) (*bufio.Reader, error) {
	text := bufio.NewReaderSize(in, 1<<16)
	if magic, _ := text.Peek(2); string(magic) != "\x1f\x8b" {
		return text, nil
	}
	z, err := gzip.NewReader(text)
	if err != nil {
		return nil, gzipError(err)
	}
	return bufio.NewReaderSize(unpacker{z}, 1<<16), nil
}

// An unpacker names gzip in its errors.
type unpacker struct{ *gzip.Reader }

func (u unpacker) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = gzipError(err)
	}
	return n, err
}

// gzipError names gzip, which some errors of its package do by themselves.
func gzipError(err error) error {
	if strings.HasPrefix(err.Error(), "gzip: ") {
		return err
	}
	return fmt.Errorf("gzip: %w", err)
}

// Pathless removes the file name from an error: the message has it already.
func Pathless(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func show(name string) string {
	if name == "-" {
		return "standard input"
	}
	return printable(filepath.Base(name))
}

// printable quotes a name that would disturb a terminal.
func printable(name string) string {
	if utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return name
	}
	return strconv.Quote(name)
}

// longestKey bounds the memory that a file without line breaks takes.
const longestKey = 16 << 20

// dropped counts the lines that distinct left out.
type dropped struct {
	repeated, empty, excluded int
	both                      []byte // the first that was excluded
}

// distinct adds each line of text to set unless it is empty, is there already,
// or is in exclude. A line ends with \n or \r\n, the last one perhaps with
// neither; any other byte belongs to the key.
func distinct(set *keySet, text io.Reader, exclude *keySet) (c dropped, err error) {
	lines, number := bufio.NewScanner(text), 1
	lines.Buffer(nil, longestKey)
	for ; lines.Scan(); number++ {
		switch line := lines.Bytes(); {
		case len(line) == 0:
			c.empty++
		case exclude != nil && exclude.has(line):
			if c.excluded++; c.both == nil {
				c.both = bytes.Clone(line)
			}
		case uint64(set.Len()) == mostKeys:
			return c, fmt.Errorf("more than %s keys", Thousands(uint64(mostKeys)))
		case !set.add(line):
			c.repeated++
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return c, fmt.Errorf("line %s is longer than %s bytes: want one key per line", Thousands(number), Thousands(longestKey))
	}
	return c, lines.Err()
}
