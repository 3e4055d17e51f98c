package lines

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/filterfam/filterfam/internal/frame"
)

// A Form is what a file contains, according to its first bytes.
type Form uint8

const (
	Plain Form = iota // lines, or anything that is not recognized
	Gzip
	Zstd
	XZ
	Bzip2
	UTF16LE // with a byte order mark
	UTF16BE
	Frame // a frame of this library
	utf32
	zipArchive
	zlibData
	tarArchive
	sevenZip
	rar
	lz4
	lzip
	lzma
	compress
)

// gzipMagic are the first bytes of a gzip member.
const gzipMagic = "\x1f\x8b"

// signatures are the first bytes of files that are not plain. A question mark
// in magic matches any byte. A file that ends within magic is incomplete, but
// must not be read as lines, so it is recognized if it has at least the number
// of bytes in least. If least is 0, such a file is not recognized, because it
// could be a text.
var signatures = []struct {
	form  Form
	magic string
	least int
}{
	{Gzip, gzipMagic, 0},
	{Zstd, "\x28\xb5\x2f\xfd", 2},
	{Zstd, "?\x2a\x4d\x18", 0}, // a frame to skip
	{XZ, "\xfd7zXZ\x00", 2},
	{Bzip2, "BZh?1AY&SY", 5},
	{Bzip2, "BZh?\x17\x72\x45\x38\x50\x90", 5}, // of nothing
	{Frame, frame.Magic, 0},
	{utf32, "\xff\xfe\x00\x00", 0},
	{utf32, "\x00\x00\xfe\xff", 0},
	{UTF16LE, "\xff\xfe", 0},
	{UTF16BE, "\xfe\xff", 0},
	{zipArchive, "PK\x03\x04", 0},
	{zipArchive, "PK\x05\x06", 0},
	{sevenZip, "7z\xbc\xaf\x27\x1c", 0},
	{rar, "Rar!\x1a\x07", 0},
	{lz4, "\x04\x22\x4d\x18", 0},
	{lz4, "\x02\x21\x4c\x18", 0},
	{lzip, "LZIP\x01", 0},
	{lzma, "\x5d\x00\x00", 0},
	{compress, "\x1f\x9d", 0},
}

// others are the forms that have no lines, and what to do with them.
var others = map[Form]struct{ name, advice string }{
	Gzip:       {"compressed by gzip", "zcat FILE"},
	Zstd:       {"compressed by zstd", "zstdcat FILE"},
	XZ:         {"compressed by xz", "xzcat FILE"},
	Bzip2:      {"compressed by bzip2", "bzcat FILE"},
	UTF16LE:    {"UTF-16", "iconv -f UTF-16 -t UTF-8 FILE"},
	UTF16BE:    {"UTF-16", "iconv -f UTF-16 -t UTF-8 FILE"},
	utf32:      {"UTF-32", "iconv -f UTF-32 -t UTF-8 FILE"},
	zipArchive: {"a zip archive or a spreadsheet", "unzip -p FILE, or save it as text"},
	zlibData:   {"compressed by zlib", "pigz -dc FILE"},
	tarArchive: {"a tar archive", "tar -xOf FILE"},
	sevenZip:   {"a 7z archive", "7z x -so FILE"},
	rar:        {"a rar archive", "unrar p -inul FILE"},
	lz4:        {"compressed by lz4", "lz4 -dc FILE"},
	lzip:       {"compressed by lzip", "lzip -dc FILE"},
	lzma:       {"compressed by lzma", "xz -dc FILE"},
	compress:   {"compressed by compress", "zcat FILE"},
}

// Refusal returns the error for a file of this form, or nil if it is plain.
func (c *Content) Refusal() error {
	switch c.Form {
	case Plain:
		return nil
	case Frame:
		return fmt.Errorf("is %s, not lines", c.Kind())
	}
	other := others[c.Form]
	return fmt.Errorf("is %s, not lines: use %s", other.name, other.advice)
}

// A Content is the content of a file whose beginning has been read.
type Content struct {
	io.Reader // the whole content
	Form      Form
	first     []byte
}

// Kind returns the kind of structure in a frame, with an article.
func (c *Content) Kind() string {
	if len(c.first) > len(frame.Magic) {
		return frame.Kind(c.first[len(frame.Magic)]).String()
	}
	return "the beginning of a filter"
}

// headBytes is the largest number of bytes that Recognize reads.
const headBytes = 1 << 10

// Recognize determines the form of a file from its first bytes, which it reads
// from r. The Reader of the result yields the whole content. If r returns an
// error other than io.EOF, the Reader returns it again after the first bytes.
// Otherwise, if r can seek, Recognize seeks back, and the Reader is r itself.
//
// Lines end with a zero byte if nul is true. When Recognize has read a line, it
// does not wait for more bytes, unless the file may contain zlib data.
func Recognize(r io.Reader, nul bool) *Content {
	c := &Content{}
	end := byte('\n')
	if nul {
		end = 0
	}
	head := make([]byte, headBytes)
	n := 0
	var err error
	for tries := 0; err == nil && tries < headBytes+patience && undecided(head[:n], end); tries++ {
		var more int
		more, err = r.Read(head[n:])
		n += more
	}
	c.first = head[:n]
	c.Form = form(c.first, err != nil)
	c.Reader = c.rewind(r, err)
	return c
}

// rewind returns a reader for the first bytes and those that r still has. err
// is the error that r has returned.
func (c *Content) rewind(r io.Reader, err error) io.Reader {
	if seeker, ok := r.(io.Seeker); ok && (err == nil || err == io.EOF) {
		if _, err := seeker.Seek(-int64(len(c.first)), io.SeekCurrent); err == nil {
			return r
		}
	}
	first := bytes.NewReader(c.first)
	if err != nil {
		return io.MultiReader(first, failed{err})
	}
	return io.MultiReader(first, r)
}

// A failed reader has returned an error.
type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }

// undecided reports whether more bytes can change the form of a file. When a
// line is complete, it returns false, unless the file is probably not a text.
func undecided(first []byte, end byte) bool {
	switch f := form(first, false); {
	case len(first) == headBytes:
		return false
	case f == UTF16LE:
		return len(first) < len("\xff\xfe\x00\x00")
	case f == Frame:
		return len(first) == len(frame.Magic) // the kind follows
	case f != Plain:
		return false
	case hasZlibHeader(first) && !isText(first):
		return len(first) < zlibBytes || bytes.IndexByte(first, end) < 0
	}
	return bytes.IndexByte(first, end) < 0
}

// form returns the form of a file that begins with first. whole reports whether
// these are all of its bytes.
func form(first []byte, whole bool) Form {
	for _, s := range signatures {
		if len(first) >= len(s.magic) && matches(first[:len(s.magic)], s.magic) {
			return s.form
		}
		if whole && s.least > 0 && len(first) >= s.least && len(first) < len(s.magic) && matches(first, s.magic[:len(first)]) {
			return s.form
		}
	}
	switch {
	case isZlib(first):
		return zlibData
	case isTar(first):
		return tarArchive
	}
	return Plain
}

func matches(first []byte, magic string) bool {
	for i, b := range first {
		if b != magic[i] && magic[i] != '?' {
			return false
		}
	}
	return true
}

// isText reports whether first contains only characters of a text. The last one
// may be incomplete.
func isText(first []byte) bool {
	for len(first) > 0 {
		if !utf8.FullRune(first) {
			return true
		}
		r, size := utf8.DecodeRune(first)
		invalid := r == utf8.RuneError && size == 1
		control := r < ' ' && !strings.ContainsRune("\a\b\t\n\v\f\r\x1b", r)
		if invalid || control {
			return false
		}
		first = first[size:]
	}
	return true
}

// hasZlibHeader reports whether first begins like zlib data in its usual
// format, for example like "x^", which is also the beginning of a formula.
func hasZlibHeader(first []byte) bool {
	return len(first) >= 2 && first[0] == 'x' && (int(first[0])<<8+int(first[1]))%31 == 0 && first[1]&0x20 == 0
}

// zlibBytes is the number of bytes that are enough to recognize zlib data.
const zlibBytes = 128

// isZlib reports whether first is the beginning of zlib data. Since a text can
// also begin with a zlib header, there are two more conditions: first is not a
// text, and it can be decompressed without an error. If first ends before the
// checksum at the end of the data, it must also have at least zlibBytes bytes,
// because a shorter text in an old encoding may happen to pass this test.
func isZlib(first []byte) bool {
	if !hasZlibHeader(first) || isText(first) {
		return false
	}
	r, err := zlib.NewReader(bytes.NewReader(first))
	if err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	return err == nil || errors.Is(err, io.ErrUnexpectedEOF) && len(first) >= zlibBytes
}

// isTar reports whether first begins with a header of a tar archive: a block of
// 512 bytes, which is not a text and contains a checksum as an octal number at
// byte 148. The checksum is the sum of all bytes of the block, in which the
// eight bytes of the checksum are replaced by spaces.
func isTar(first []byte) bool {
	if len(first) < 512 || isText(first[:512]) {
		return false
	}
	field := strings.Trim(string(first[148:156]), " \x00")
	want, err := strconv.ParseUint(field, 8, 32)
	sum := uint64(8 * ' ') // in place of the checksum
	for i, b := range first[:512] {
		if i < 148 || i >= 156 {
			sum += uint64(b)
		}
	}
	return err == nil && sum == want
}
