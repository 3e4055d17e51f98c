package filterbeam

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/lines"
)

// splitBytes is the size of the pieces when a file is split.
const splitBytes = 64 << 20

// A readFn reads a file's lines and collects them for the plan. It splits a
// file only if the file system can seek in it, since other readers would have
// to read and drop all bytes before a piece. A compressed file is read by the
// piece that contains its start.
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

// splittable reports whether a file can be read from any offset.
func splittable(name string) (ok bool) {
	err := readFile(context.Background(), name, func(file io.Reader) error {
		_, seekable := file.(io.Seeker)
		ok = seekable && lines.Recognize(file, false).Form != lines.Gzip
		return nil
	})
	return ok && err == nil
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
	if err := f.open(emit); err != nil {
		return err
	}
	err := readFile(ctx, name, func(file io.Reader) error {
		content := lines.Recognize(file, f.Spec.Lines.NUL)
		switch content.Form {
		case lines.Plain:
			return f.readPlain(ctx, rt, content.Reader, size)
		case lines.Gzip:
			return f.readCompressed(ctx, rt, content.Reader, size)
		}
		return content.Refusal()
	})
	if err != nil {
		return errs.Errorf("%s: %w", name, err)
	}
	return nil
}

// readPlain adds the lines that start in the piece. It returns an error if the
// file does not have its listed size. For example, a store that decompresses a
// file while it is read makes it longer.
func (f *readFn) readPlain(ctx context.Context, rt *sdf.LockRTracker, file io.Reader, size int64) error {
	r, err := f.linesFrom(file, restriction(rt).Start)
	if err != nil {
		return err
	}
	before := f.tally.Totals[bytesRead]
	err = f.addLines(ctx, r, restriction(rt).Start == 0, func() int { return claim(rt, r.Starts) })
	f.tally.Totals[storedRead] += f.tally.Totals[bytesRead] - before
	ended := len(r.Keys) == 0 || restriction(rt).End == size
	if err == nil && ended && r.Offset != size {
		err = errs.Field(hashfam.ErrParams, "length", r.Offset, fmt.Sprintf("%d bytes, as listed", size))
	}
	return err
}

func restriction(rt *sdf.LockRTracker) offsetrange.Restriction {
	return rt.GetRestriction().(offsetrange.Restriction)
}

// claim claims a batch of lines and returns the number of lines that belong to
// the piece. It claims all of them at once, by the start of the last line,
// which fails if the runner has split the piece. Then only the lines before the
// split belong to the piece.
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
func (f *readFn) linesFrom(file io.Reader, start int64) (*lines.Reader, error) {
	c := lines.Config{MaxLine: maxLine, NUL: f.Spec.Lines.NUL}
	if start == 0 {
		return lines.NewReader(file, c), nil
	}
	c.SkipFirst = true
	before := start - 1 // the line before may end at start
	var err error
	if seeker, ok := file.(io.Seeker); ok {
		_, err = seeker.Seek(before, io.SeekStart)
	} else {
		_, err = io.CopyN(io.Discard, file, before)
	}
	c.Offset = before
	return lines.NewReader(file, c), err
}

// readCompressed adds all lines in a compressed file if the piece contains its
// start.
func (f *readFn) readCompressed(ctx context.Context, rt *sdf.LockRTracker, file io.Reader, size int64) error {
	if restriction(rt).Start == 0 && rt.TryClaim(int64(0)) {
		unzipped, err := lines.Gunzip(file, new(gzip.Reader))
		if err != nil {
			return err
		}
		content := lines.Recognize(unzipped, f.Spec.Lines.NUL)
		if err := content.Refusal(); err != nil {
			return fmt.Errorf("after decompression, it %w", err)
		}
		r, err := f.linesFrom(content.Reader, 0)
		if err != nil {
			return err
		}
		if err := f.addLines(ctx, r, true, func() int { return len(r.Keys) }); err != nil {
			return err
		}
		f.tally.Totals[storedRead] += uint64(size)
	}
	rt.TryClaim(restriction(rt).End)
	return nil
}

// addLines adds lines in batches. For each batch it calls mine, which must
// return the number of lines to add. It stops at the end of the file, or when
// mine returns less than the whole batch. The file is counted by the piece that
// contains its first line, or its start if it has no lines. It may then contain
// a byte order mark. Another piece that starts at 0 is empty.
func (b *bundle) addLines(ctx context.Context, r *lines.Reader, start bool, mine func() int) error {
	for {
		if err := cmp.Or(ctx.Err(), r.Next()); err != nil {
			return err
		}
		all, n := len(r.Keys), mine()
		none := all == 0 && start
		start = false
		if none {
			b.tally.Totals[bytesRead] += uint64(r.Offset)
		}
		if none || n > 0 && r.Starts[0] == 0 {
			b.tally.Totals[filesRead]++
			b.tally.Totals[binaryFiles] += hardlyLines(r.Keys[:n])
		}
		if n > 0 {
			b.tally.Totals[bytesRead] += uint64(append(r.Starts, r.Offset)[n] - r.Starts[0])
			keys := r.Keys[:n]
			if !b.Spec.Lines.Empty {
				keys = slices.DeleteFunc(keys, func(key []byte) bool { return len(key) == 0 })
			}
			if err := b.addKeys(ctx, keys); err != nil {
				return err
			}
		}
		if n < all || all == 0 {
			return nil
		}
	}
}

// hardlyLines returns 1 if a file's first lines contain zero bytes. Otherwise,
// it returns 0.
func hardlyLines(keys [][]byte) uint64 {
	if slices.ContainsFunc(keys, func(key []byte) bool { return bytes.IndexByte(key, 0) >= 0 }) {
		return 1
	}
	return 0
}

// A matchFn lists the files that match the patterns, without duplicates, with
// their sizes, and tallies what must be read. A pattern that matches no file is
// an error, since it is probably a mistake. A pattern that matches the output,
// or a file that a job left, is also an error.
type matchFn struct {
	Out      fileName
	Patterns []fileName
}

func newMatchFn(out string, patterns []string) *matchFn {
	f := &matchFn{Out: fileName(out)}
	for _, pattern := range patterns {
		f.Patterns = append(f.Patterns, fileName(pattern))
	}
	return f
}

func (f *matchFn) ProcessElement(ctx context.Context, _ []byte, file func(string, int64), report func(int, []byte)) error {
	all, err := f.match(ctx)
	if err != nil {
		return err
	}
	listed := tally{Totals: [totals]uint64{listsMade: 1, filesListed: uint64(len(all))}}
	for name, size := range all {
		file(name, size)
		listed.Totals[bytesListed] += uint64(size)
	}
	report(tallyOwner, listed.append(nil))
	return nil
}

// match returns the sizes of all matching files by their canonical names.
func (f *matchFn) match(ctx context.Context) (map[string]int64, error) {
	all := map[string]int64{}
	for _, pattern := range f.Patterns {
		if err := f.list(ctx, string(pattern), all); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, errs.Field(hashfam.ErrParams, "patterns", "none", "at least one that matches a file")
	}
	return all, nil
}

// list adds the files that match a pattern.
func (f *matchFn) list(ctx context.Context, pattern string, all map[string]int64) error {
	fs, err := filesystem.New(ctx, pattern)
	if err != nil {
		return err
	}
	defer fs.Close()
	names, err := fs.List(ctx, pattern)
	if err == nil && len(names) == 0 {
		err = errs.Field(hashfam.ErrParams, "pattern", fmt.Sprintf("%q", pattern), "one that matches a file")
	}
	for _, name := range names {
		if err == nil {
			err = f.check(name)
		}
		if err == nil {
			all[canonical(name)], err = fs.Size(ctx, name)
		}
	}
	return err
}

// check returns ErrParams if a file is the output, or has a name that is used
// by jobs.
func (f *matchFn) check(name string) error {
	switch {
	case canonical(name) == canonical(string(f.Out)):
		return errs.Field(hashfam.ErrParams, "input", name, "a file that is not the output")
	case madeFor(name) != "":
		return errs.Field(hashfam.ErrParams, "input", name, "a file that no job has made: this one is a part of a filter, or was left by a job that failed")
	}
	return nil
}

// canonical returns a name that does not depend on how a local file's name is
// spelled: its cleaned absolute name. Names in a store are unchanged.
func canonical(name string) string {
	if strings.Contains(name, "://") {
		return name
	}
	if absolute, err := filepath.Abs(name); err == nil {
		return absolute
	}
	return filepath.Clean(name)
}

// maxLine is the length of the longest line in bytes. Keys are far shorter, so
// a longer line means that the file does not contain lines.
const maxLine = 16 << 20
