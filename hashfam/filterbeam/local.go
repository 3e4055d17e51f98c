package filterbeam

import (
	"context"
	"io"
	"maps"
	"slices"
)

// Local does what [Files] does, without an engine: one goroutine reads all
// files and adds their keys. Its frame is that of the job, except that a
// Conservative sketch, heavy hitters and a top k can be more accurate. It takes
// the memory of the structure, and 8 bytes per key in addition for a cuckoo or
// a static filter. If report is not nil, Local calls it with the sum so far
// after every block of a file. The program must import its file systems, as for
// Files. O(bytes read) time.
//
// It returns [ErrParams] for the zero Plan, for one in parts, without a
// pattern, and if a pattern matches no file; also the errors of the file
// systems, and that of ctx if it ends. After an error out is as it was, if its
// file system can rename.
func Local(ctx context.Context, p Plan, out string, report func(Summary), patterns ...string) (Summary, error) {
	sum := Summary{Output: out, Complete: true}
	if err := p.spec.single(); err != nil {
		return sum, err
	}
	process, err := p.spec.process()
	if err != nil {
		return sum, err
	}
	names, err := newMatchFn(out, patterns).match(ctx)
	if err != nil {
		return sum, err
	}
	b := bundle{collector: process}
	if b.family, err = p.spec.family(); err != nil {
		return sum, err
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if err := b.readAll(ctx, name, &sum, report); err != nil {
			return sum, errs.Errorf("%s: %w", name, err)
		}
	}
	made, err := process.finish(ctx, &sum)
	if err != nil {
		return sum, err
	}
	return sum, writeFrame(ctx, out, made, &sum)
}

// readAll adds all lines of a file. It reports the sum before each batch of
// lines, and at the end.
func (b *bundle) readAll(ctx context.Context, name string, sum *Summary, report func(Summary)) error {
	return readFile(ctx, name, func(file io.Reader) error {
		lines, err := allLines(file, compressed(name))
		if err != nil {
			return err
		}
		err = b.addLines(ctx, lines, func() int {
			if b.tally.describe(sum); report != nil {
				report(*sum)
			}
			return len(lines.keys)
		})
		b.tally.describe(sum)
		return err
	})
}
