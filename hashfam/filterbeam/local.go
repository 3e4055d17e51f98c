package filterbeam

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Local does what [Files] does, without an engine: one goroutine reads all
// files and adds their keys. Its frame is that of the job, except that a
// Conservative sketch, heavy hitters and a top k can be more accurate. It takes
// the memory of the structure, and 8 bytes per key in addition for a cuckoo or
// a static filter. If report is not nil, Local calls it with the sum so far
// after every block of a file. The program must import the packages of its file
// systems, as for Files: for local files
// github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local. O(bytes read)
// time.
//
// It returns [ErrParams] for the zero Plan, for one in parts, without a
// pattern, and if a pattern matches no file; also the errors of the file
// systems, and that of ctx if it ends. After an error out is as it was, if its
// file system can rename.
func Local(ctx context.Context, p Plan, out string, report func(Summary), patterns ...string) (Summary, error) {
	l := local{sum: Summary{Output: out, Complete: true}, report: report}
	if l.report == nil {
		l.report = func(Summary) {}
	}
	if err := p.spec.single(); err != nil {
		return l.sum, err
	}
	var err error
	if l.process, err = p.spec.process(); err != nil {
		return l.sum, err
	}
	all, err := newMatchFn(out, patterns).match(ctx)
	if err != nil {
		return l.sum, err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := l.read(ctx, name); err != nil {
			return l.sum, fmt.Errorf("filterbeam: %s: %w", name, err)
		}
	}
	made, err := l.process.finish(ctx, &l.sum)
	if err != nil {
		return l.sum, err
	}
	return l.sum, writeFrame(ctx, out, made, &l.sum)
}

// A local is a build in this process.
type local struct {
	process *process
	sum     Summary
	report  func(Summary)
}

// read adds the lines of a file.
func (l *local) read(ctx context.Context, name string) error {
	return readFile(ctx, name, func(file io.Reader) error {
		l.sum.Files++
		if !compressed(name) {
			return l.readLines(ctx, file)
		}
		unzipped, err := gzip.NewReader(file)
		if err != nil {
			return err
		}
		return l.readLines(ctx, unzipped)
	})
}

func (l *local) readLines(ctx context.Context, r io.Reader) error {
	read := l.sum.Bytes
	for lines := newScanner(r, 0); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := lines.next(); err != nil || len(lines.keys) == 0 {
			return err
		}
		if lines.starts[0] == 0 {
			l.sum.Binary += binaryFiles(lines.keys)
		}
		if err := l.process.addKeys(lines.keys); err != nil {
			return err
		}
		l.sum.Keys += uint64(len(lines.keys))
		l.sum.Bytes = read + uint64(lines.offset)
		l.report(l.sum)
	}
}
