package lines

import (
	"bufio"
	"errors"
	"io"
)

// A GzipReader is the Reader of a package gzip.
type GzipReader interface {
	io.Reader
	Reset(r io.Reader) error
	Multistream(ok bool)
}

// Gunzip returns a reader that decompresses r using z, which must not be in
// use. It returns the error of z if r does not begin with a gzip header. Like
// the program gzip, the reader reads all members, and ignores zeros after the
// last one, because tapes and some stores fill up their blocks with zeros. If
// other bytes follow, Read returns [ErrNotGzip].
func Gunzip(r io.Reader, z GzipReader) (io.Reader, error) {
	m := &members{bufio.NewReaderSize(r, chunk), z}
	return m, m.begin()
}

// members reads the members of a gzip file one by one.
type members struct {
	from *bufio.Reader
	z    GzipReader
}

// begin begins to read a member.
func (m *members) begin() error {
	if err := m.z.Reset(m.from); err != nil {
		return err
	}
	m.z.Multistream(false)
	return nil
}

func (m *members) Read(b []byte) (int, error) {
	for {
		n, err := m.z.Read(b)
		if err == io.EOF {
			err = m.next()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// ErrNotGzip is returned for the bytes that follow the last member.
var ErrNotGzip = errors.New("other bytes follow the gzip data")

// next begins the next member. It returns io.EOF if there is none.
func (m *members) next() error {
	first, err := m.from.Peek(len(gzipMagic))
	if len(first) == 0 {
		return err
	}
	if first[0] == 0 {
		return m.skipZeros()
	}
	if string(first) != gzipMagic[:len(first)] {
		return ErrNotGzip
	}
	return m.begin()
}

// skipZeros returns io.EOF if only zeros follow, and otherwise an error.
func (m *members) skipZeros() error {
	for {
		b, err := m.from.ReadByte()
		if err != nil {
			return err
		}
		if b != 0 {
			return ErrNotGzip
		}
	}
}
