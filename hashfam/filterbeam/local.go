package filterbeam

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
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
	var err error
	if l.whole, err = p.spec.whole(); err != nil {
		return l.sum, err
	}
	names, err := matchAll(ctx, atLeastOne(patterns))
	if err != nil {
		return l.sum, err
	}
	for _, name := range names {
		if err := l.read(ctx, name); err != nil {
			return l.sum, fmt.Errorf("filterbeam: %s: %w", name, err)
		}
	}
	return l.sum, l.whole.write(ctx, out, &l.sum)
}

// matchAll returns the names of all files that match, each once.
func matchAll(ctx context.Context, patterns []string) ([]string, error) {
	var names []string
	for _, pattern := range patterns {
		err := matchFn{}.ProcessElement(ctx, pattern, func(name string, _ int64) { names = append(names, name) })
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// A local is a build in this process.
type local struct {
	whole  whole
	sum    Summary
	report func(Summary)
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
		if err := l.whole.addKeys(lines.keys); err != nil {
			return err
		}
		l.sum.Keys += uint64(len(lines.keys))
		l.sum.Bytes = read + uint64(lines.offset)
		l.report(l.sum)
	}
}

// A whole takes all keys of a structure in one process.
type whole interface {
	addKeys(keys [][]byte) error
	write(ctx context.Context, out string, sum *Summary) error
}

// whole returns the whole of the plan's structure.
func (s spec) whole() (whole, error) {
	if err := s.single(); err != nil {
		return nil, err
	}
	if s.Kind == cuckooKind || s.Kind == staticKind {
		fam, err := s.family()
		return &digestSet{spec: s, family: fam}, err
	}
	if s.Kind == topkKind {
		s.Windows = 1
		top, err := shards{s}.open()
		return wholeTopK{shards{s}, top}, err
	}
	opened, err := s.open()
	return wholeStructure{opened}, err
}

type wholeStructure struct{ structure }

func (w wholeStructure) write(ctx context.Context, out string, sum *Summary) error {
	return writeStructure(ctx, out, w.structure, sum)
}

// A wholeTopK is the only shard of its keys.
type wholeTopK struct {
	shards shards
	top    *countmin.TopK
}

func (w wholeTopK) addKeys(keys [][]byte) error {
	w.top.AddAll(keys)
	return nil
}

func (w wholeTopK) write(ctx context.Context, out string, sum *Summary) error {
	return w.shards.write(ctx, out, w.top, sum)
}

// A digestSet holds the digests of all keys.
type digestSet struct {
	spec    spec
	family  hashfam.Family
	digests []hashfam.Digest
}

func (d *digestSet) addKeys(keys [][]byte) error {
	d.digests = d.family.SumAll(d.digests, keys)
	return nil
}

func (d *digestSet) write(ctx context.Context, out string, sum *Summary) error {
	digests, err := sorted(ctx, d.digests)
	if err != nil {
		return err
	}
	return d.spec.writeSorted(ctx, out, uint64(len(digests)), sum, func(add func([]hashfam.Digest) error) error {
		return add(digests)
	})
}
