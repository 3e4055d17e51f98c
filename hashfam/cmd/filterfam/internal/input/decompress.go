package input

import (
	"bufio"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/xi2/xz"

	"github.com/filterfam/filterfam/internal/lines"
	"github.com/filterfam/filterfam/internal/memory"
)

func isCompressed(f lines.Form) bool {
	return f == lines.Gzip || f == lines.Zstd || f == lines.XZ || f == lines.Bzip2
}

// A decompressor returns errors that say what is wrong with the file.
type decompressor struct {
	io.Reader
	from *source
}

// A source is a compressed file.
type source struct {
	io.Reader
	err error // of reading it
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	if err != io.EOF {
		s.err = err
	}
	return n, err
}

// decompress returns a reader for the decompressed contents of a file, which
// must be compressed.
func decompress(c *lines.Content) (io.Reader, error) {
	d := &decompressor{from: &source{Reader: c}}
	var err error
	d.Reader, err = newDecompressor(c.Form, bufio.NewReaderSize(d.from, aheadBytes))
	return d, d.inWords(err)
}

// newDecompressor returns the decompressor for a form.
func newDecompressor(f lines.Form, r *bufio.Reader) (io.Reader, error) {
	switch f {
	case lines.Gzip:
		return lines.Gunzip(r, new(gzip.Reader))
	case lines.Zstd:
		window := zstd.WithDecoderMaxWindow(affordable(widestWindow, 4))
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), window)
	case lines.XZ:
		return xz.NewReader(r, uint32(affordable(largestDictionary, 2)))
	}
	return bzip2.NewReader(r), nil
}

// widestWindow is the window of zstd --ultra -22, which is also the widest
// window that zstdcat accepts without a flag.
const widestWindow = 128 << 20

// largestDictionary is more than the dictionary of xz -9, which has 64 MiB.
const largestDictionary = 1 << 30

// affordable returns the largest of the sizes most, most/2, most/4 and so on
// for which a decoder's window fits in memory, but at least 1 MiB. For each
// byte of the window, the decoder needs a number of bytes, which is times.
// affordable leaves room for another 64 MiB, because Go's runtime may reserve
// them for the first lines, before the decoder allocates its window.
func affordable(most, times uint64) uint64 {
	const unit = 64 << 20
	for most > ownBytes/8 && memory.CheckMore(times*most+unit) != nil {
		most /= 2
	}
	return most
}

func (d *decompressor) Read(b []byte) (int, error) {
	n, err := d.Reader.Read(b)
	if err == io.EOF {
		return n, err
	}
	return n, d.inWords(err)
}

// inWords returns an error that says what is wrong with the compressed data. If
// reading the source failed, it returns that error.
func (d *decompressor) inWords(err error) error {
	switch {
	case err == nil:
		return nil
	case d.from.err != nil:
		return d.from.err
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF), err == xz.ErrBuf:
		return errors.New("the compressed data ends too early")
	case err == lines.ErrNotGzip, err == zstd.ErrMagicMismatch, err == xz.ErrFormat:
		return errors.New("other bytes follow the compressed data")
	case err == zstd.ErrWindowSizeExceeded, err == zstd.ErrDecoderSizeExceeded:
		return errors.New("needs a wider window than fits: use zstdcat --long=31 FILE")
	case err == xz.ErrMemlimit:
		return errors.New("needs a larger dictionary than fits in memory: use xzcat FILE")
	}
	return fmt.Errorf("the compressed data is damaged: %w", err)
}
