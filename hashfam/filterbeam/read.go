package filterbeam

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	beam.RegisterType(reflect.TypeFor[readFn]()) // called once for a piece of a file
	register.Emitter2[int, []byte]()
}

// splitBytes is the size of the pieces of a file that workers read apart.
const splitBytes = 64 << 20

// A readFn reads the lines of a file and collects them for the plan. It splits
// a file only if the file system can seek in it: other readers would have to
// read and drop everything before a piece. A compressed file is one piece.
type readFn struct {
	bundle
}

// compressed reports whether a file is compressed, by its name.
func compressed(name string) bool { return strings.HasSuffix(name, ".gz") }

// CreateInitialRestriction returns the bytes of a file, or a single unit of
// work for a compressed file, whose length is not known.
func (f *readFn) CreateInitialRestriction(name string, size int64) offsetrange.Restriction {
	if compressed(name) {
		size = 1
	}
	return offsetrange.Restriction{Start: 0, End: size}
}

// SplitRestriction cuts a large file into pieces.
func (f *readFn) SplitRestriction(name string, _ int64, r offsetrange.Restriction) []offsetrange.Restriction {
	if r.End-r.Start <= splitBytes || !seekable(name) {
		return []offsetrange.Restriction{r}
	}
	return r.SizedSplits(splitBytes)
}

// seekable reports whether a file can be read from any byte on.
func seekable(name string) (ok bool) {
	err := readFile(context.Background(), name, func(file io.Reader) error {
		_, ok = file.(io.Seeker)
		return nil
	})
	return ok && err == nil
}

// RestrictionSize returns the number of bytes of a piece.
func (f *readFn) RestrictionSize(_ string, _ int64, r offsetrange.Restriction) float64 {
	return r.Size()
}

// CreateTracker returns a tracker of what has been claimed of a piece.
func (f *readFn) CreateTracker(r offsetrange.Restriction) *sdf.LockRTracker {
	return sdf.NewLockRTracker(offsetrange.NewTracker(r))
}

// ProcessElement reads the lines that start in the piece.
func (f *readFn) ProcessElement(ctx context.Context, rt *sdf.LockRTracker, name string, size int64, emit func(int, []byte)) error {
	if err := f.open(); err != nil {
		return err
	}
	before := f.tally.Bytes
	err := readFile(ctx, name, func(file io.Reader) error {
		if compressed(name) {
			return f.readCompressed(ctx, rt, file, emit)
		}
		return f.readPlain(ctx, rt, file, size, emit)
	})
	if !compressed(name) {
		f.tally.Plain += f.tally.Bytes - before
	}
	if err != nil {
		return fmt.Errorf("filterbeam: %s: %w", name, err)
	}
	return nil
}

// readPlain adds the lines that start in the piece.
func (f *readFn) readPlain(ctx context.Context, rt *sdf.LockRTracker, file io.Reader, size int64, emit func(int, []byte)) error {
	start := rt.GetRestriction().(offsetrange.Restriction).Start
	lines, err := linesFrom(file, start)
	if err != nil {
		return err
	}
	return f.readPiece(ctx, rt, lines, size, emit)
}

// linesFrom returns a scanner of the lines of file that start at the byte start
// or later.
func linesFrom(file io.Reader, start int64) (*scanner, error) {
	if start == 0 {
		return newScanner(file, 0), nil
	}
	if err := skip(file, start-1); err != nil { // the line before may end at start
		return nil, err
	}
	s := newScanner(file, start-1)
	return s, s.skipLine()
}

// skip moves to the byte n of file.
func skip(file io.Reader, n int64) error {
	if seeker, ok := file.(io.Seeker); ok {
		_, err := seeker.Seek(n, io.SeekStart)
		return err
	}
	_, err := io.CopyN(io.Discard, file, n)
	return err
}

// readPiece adds the lines that start in the piece. It claims a batch of lines
// at once, by the start of the last one. If the runner has split the piece in
// the meantime, that claim fails, and the lines before the split belong to this
// piece. The piece that has the first line counts the file: others that start
// at 0 are empty.
func (f *readFn) readPiece(ctx context.Context, rt *sdf.LockRTracker, lines *scanner, size int64, emit func(int, []byte)) error {
	for claimed := true; claimed; {
		if err := cmp.Or(ctx.Err(), lines.next()); err != nil {
			return err
		}
		n := len(lines.keys)
		if n == 0 {
			rt.TryClaim(rt.GetRestriction().(offsetrange.Restriction).End)
			if size == 0 {
				f.tally.Files++
			}
			return checkLength(lines.offset, size)
		}
		if claimed = rt.TryClaim(lines.starts[n-1]); !claimed {
			end := rt.GetRestriction().(offsetrange.Restriction).End
			if end == size { // a line starts behind the end
				return checkLength(lines.offset, size)
			}
			n = before(lines.starts, end)
		}
		if n > 0 && lines.starts[0] == 0 {
			f.tally.Files++
			f.tally.Binary += binaryFiles(lines.keys[:n])
		}
		if err := f.addLines(ctx, lines, n, emit); err != nil {
			return err
		}
	}
	return nil
}

// before returns how many starts lie before end.
func before(starts []int64, end int64) int {
	n := len(starts)
	for n > 0 && starts[n-1] >= end {
		n--
	}
	return n
}

// checkLength returns an error unless a file ends where its listing said. A
// store that decompresses a file on the way makes it longer.
func checkLength(end, size int64) error {
	if end != size {
		return errs.Field(ErrParams, "length", end, fmt.Sprintf("%d bytes, as listed", size))
	}
	return nil
}

// readCompressed adds all lines of a compressed file.
func (f *readFn) readCompressed(ctx context.Context, rt *sdf.LockRTracker, file io.Reader, emit func(int, []byte)) error {
	if !rt.TryClaim(int64(0)) {
		return nil
	}
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	f.tally.Files++
	lines := newScanner(unzipped, 0)
	for {
		if err := cmp.Or(ctx.Err(), lines.next()); err != nil {
			return err
		}
		if len(lines.starts) > 0 && lines.starts[0] == 0 {
			f.tally.Binary += binaryFiles(lines.keys)
		}
		if len(lines.keys) == 0 {
			rt.TryClaim(int64(1))
			return nil
		}
		if err := f.addLines(ctx, lines, len(lines.keys), emit); err != nil {
			return err
		}
	}
}

// binaryFiles returns 1 if the first lines of a file do not look like lines,
// and 0 if they do.
func binaryFiles(lines [][]byte) uint64 {
	if len(lines) > 0 && bytes.HasPrefix(lines[0], []byte("\x1f\x8b")) {
		return 1 // gzip
	}
	for _, line := range lines {
		if bytes.IndexByte(line, 0) >= 0 {
			return 1
		}
	}
	return 0
}

// addLines adds the first n lines of the batch.
func (f *readFn) addLines(ctx context.Context, lines *scanner, n int, emit func(int, []byte)) error {
	if n == 0 {
		return nil
	}
	keys, end := lines.keys[:n], lines.offset
	if n < len(lines.keys) {
		end = lines.starts[n]
	}
	f.tally.Bytes += uint64(end - lines.starts[0])
	return f.add(ctx, keys, emit)
}
