package filterbeam

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/lines"
)

// maxLine is the length of the longest line in bytes. Keys are far shorter, so
// a longer line means that the file does not contain lines.
const maxLine = 16 << 20

// splitBytes is the size of the pieces when a file is split.
const splitBytes = 64 << 20

// A readFn reads a file's lines and collects them for the plan. It splits a
// file only if the file system can seek in it, because otherwise each piece
// would have to read all bytes before it. A compressed file is read whole by
// the piece that contains its start.
type readFn struct{ bundle }

// CreateInitialRestriction returns the file's bytes.
func (f *readFn) CreateInitialRestriction(_ string, size int64) offsetrange.Restriction {
	return offsetrange.Restriction{Start: 0, End: size}
}

// SplitRestriction splits a large file into pieces.
func (f *readFn) SplitRestriction(name string, _ int64, r offsetrange.Restriction) []offsetrange.Restriction {
	if r.End-r.Start <= splitBytes || !splittable(name) {
		return []offsetrange.Restriction{r}
	}
	return r.SizedSplits(splitBytes)
}

// splittable reports whether a file can be read from any offset. If it cannot
// be read, ProcessElement will return the error.
func splittable(name string) bool {
	opened, err := open(context.Background(), name)
	if err != nil {
		return false
	}
	defer opened.close()
	_, seekable := opened.Reader.(io.Seeker)
	return seekable && lines.Recognize(opened.Reader, false).Form != lines.Gzip
}

// RestrictionSize returns the number of bytes in a piece.
func (f *readFn) RestrictionSize(_ string, _ int64, r offsetrange.Restriction) float64 {
	return r.Size()
}

// CreateTracker returns a tracker for the claims to a piece.
func (f *readFn) CreateTracker(r offsetrange.Restriction) *sdf.LockRTracker {
	return sdf.NewLockRTracker(offsetrange.NewTracker(r))
}

// ProcessElement reads the lines that start in the piece.
func (f *readFn) ProcessElement(ctx context.Context, rt *sdf.LockRTracker, name string, size int64, emit func(int, []byte)) error {
	if err := f.prepare(emit); err != nil {
		return err
	}
	if err := f.read(ctx, rt, name, size); err != nil {
		return errs.Errorf("%s: %w", name, err)
	}
	return nil
}

func (f *readFn) read(ctx context.Context, rt *sdf.LockRTracker, name string, size int64) error {
	opened, err := open(ctx, name)
	if err != nil {
		return err
	}
	defer opened.close()
	content := lines.Recognize(opened.Reader, f.Spec.Lines.NUL)
	switch content.Form {
	case lines.Plain:
		return f.readPlain(ctx, rt, content.Reader, size)
	case lines.Gzip:
		return f.readCompressed(ctx, rt, content.Reader, size)
	}
	return content.Refusal()
}

// readPlain adds the lines that start in the piece. When it reaches the end of
// the file, it returns an error if the file does not have its listed size. For
// example, a file is longer than listed if a store decompresses it while it is
// read.
func (f *readFn) readPlain(ctx context.Context, rt *sdf.LockRTracker, content io.Reader, size int64) error {
	start := restriction(rt).Start
	r, err := f.linesFrom(content, start)
	if err != nil {
		return err
	}
	n, err := f.addLines(ctx, r, start == 0, func(starts []int64) int { return claim(rt, starts) })
	if err != nil {
		return err
	}
	f.tally.Totals[storedRead] += n
	ended := len(r.Keys) == 0 || restriction(rt).End == size
	if ended && r.Offset != size {
		return wrongLength(r.Offset, size)
	}
	return nil
}

// wrongLength returns the error for a file that does not have its listed size.
func wrongLength(got, listed int64) error {
	return errs.Field(hashfam.ErrParams, "length", got, fmt.Sprintf("%d bytes, as listed", listed))
}

// restriction returns the piece.
func restriction(rt *sdf.LockRTracker) offsetrange.Restriction {
	return rt.GetRestriction().(offsetrange.Restriction)
}

// claim claims a batch of lines, given where they start, and returns the number
// of lines that belong to the piece. It claims the whole batch by claiming the
// start of its last line. This fails if that line starts at or after the end of
// the piece, perhaps because the runner has split the piece. In this case, only
// the lines that start before the end belong to the piece.
func claim(rt *sdf.LockRTracker, starts []int64) int {
	n := len(starts)
	if n > 0 && rt.TryClaim(starts[n-1]) {
		return n
	}
	end := restriction(rt).End
	if n == 0 {
		rt.TryClaim(end)
	}
	n, _ = slices.BinarySearch(starts, end)
	return n
}

// linesFrom returns a reader for the lines that start at or after the given
// offset. It includes empty lines, so that all bytes are counted.
func (f *readFn) linesFrom(content io.Reader, start int64) (*lines.Reader, error) {
	c := lines.Config{MaxLine: maxLine, NUL: f.Spec.Lines.NUL}
	if start == 0 {
		return lines.NewReader(content, c), nil
	}
	c.SkipFirst = true
	before := start - 1 // the line before may end at start
	var err error
	if seeker, ok := content.(io.Seeker); ok {
		_, err = seeker.Seek(before, io.SeekStart)
	} else {
		_, err = io.CopyN(io.Discard, content, before)
	}
	c.Offset = before
	return lines.NewReader(content, c), err
}

// A countingReader counts the bytes that are read.
type countingReader struct {
	io.Reader
	n int64
}

func (r *countingReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.n += int64(n)
	return n, err
}

// readCompressed adds all lines in a compressed file if the piece contains the
// file's start. It then returns an error if the file does not have its listed
// size.
func (f *readFn) readCompressed(ctx context.Context, rt *sdf.LockRTracker, content io.Reader, size int64) error {
	if restriction(rt).Start == 0 && rt.TryClaim(int64(0)) {
		stored := &countingReader{Reader: content}
		if err := f.readAll(ctx, stored); err != nil {
			return err
		}
		if stored.n != size {
			return wrongLength(stored.n, size)
		}
		f.tally.Totals[storedRead] += uint64(size)
	}
	rt.TryClaim(restriction(rt).End)
	return nil
}

// readAll adds all lines in a compressed file.
func (f *readFn) readAll(ctx context.Context, content io.Reader) error {
	unzipped, err := lines.Gunzip(content, new(gzip.Reader))
	if err != nil {
		return err
	}
	inside := lines.Recognize(unzipped, f.Spec.Lines.NUL)
	if err := inside.Refusal(); err != nil {
		return fmt.Errorf("after decompression, it %w", err)
	}
	r, err := f.linesFrom(inside.Reader, 0)
	if err != nil {
		return err
	}
	_, err = f.addLines(ctx, r, true, func(starts []int64) int { return len(starts) })
	return err
}

// addLines adds lines until one belongs to another piece or the file ends, and
// returns the number of bytes in these lines. The function mine returns how
// many lines of a batch belong to this piece; it is called with an empty batch
// at the end of the file. first is true if r starts at the beginning of the
// file.
func (f *readFn) addLines(ctx context.Context, r *lines.Reader, first bool, mine func(starts []int64) int) (uint64, error) {
	before := f.tally.Totals[bytesRead]
	for more := true; more; {
		if err := cmp.Or(ctx.Err(), r.Next()); err != nil {
			return 0, err
		}
		n := mine(r.Starts)
		if first {
			f.countFile(r, n)
			first = false
		}
		if err := f.addBatch(ctx, r, n); err != nil {
			return 0, err
		}
		more = n > 0 && n == len(r.Keys)
	}
	return f.tally.Totals[bytesRead] - before, nil
}

// countFile counts a file when its first batch has been read. n is the number
// of lines in this batch that belong to this piece. If the batch has lines, but
// n is 0, another piece counts the file.
func (f *readFn) countFile(batch *lines.Reader, n int) {
	if n == 0 && len(batch.Keys) > 0 {
		return
	}
	f.tally.Totals[filesRead]++
	f.tally.Totals[binaryFiles] += hardlyLines(batch.Keys[:n])
	if n == 0 { // the file has no lines, but perhaps a byte order mark
		f.tally.Totals[bytesRead] += uint64(batch.Offset)
	}
}

// addBatch adds the first n lines of a batch.
func (f *readFn) addBatch(ctx context.Context, batch *lines.Reader, n int) error {
	if n == 0 {
		return nil
	}
	end := batch.Offset
	if n < len(batch.Starts) {
		end = batch.Starts[n]
	}
	f.tally.Totals[bytesRead] += uint64(end - batch.Starts[0])
	keys := batch.Keys[:n]
	if !f.Spec.Lines.Empty {
		keys = slices.DeleteFunc(keys, func(key []byte) bool { return len(key) == 0 })
	}
	return f.addKeys(ctx, keys)
}

// hardlyLines returns 1 if a file's first lines contain zero bytes. Otherwise,
// it returns 0.
func hardlyLines(keys [][]byte) uint64 {
	if slices.ContainsFunc(keys, func(key []byte) bool { return bytes.IndexByte(key, 0) >= 0 }) {
		return 1
	}
	return 0
}
