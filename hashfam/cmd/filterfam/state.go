package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/cmd/filterfam/internal/input"
	"github.com/filterfam/filterfam/hashfam/journal"
	"github.com/filterfam/filterfam/internal/block"
	"github.com/filterfam/filterfam/internal/frame"
)

// openState opens the state file and replaces the contents of lines with the
// lines in the file. It returns a saver and, if the number of lines is limited,
// a likely lower bound for the number of lines in the file (see leastLen).
// Otherwise, this number is 0.
func (c *command) openState(ctx context.Context, f *uniqFlags, names []string, lines seen, fam hashfam.Family) (*saver, uint64, error) {
	if f.state == "-" {
		return nil, 0, errors.New("--state -: want the name of a file")
	}
	s := &saver{output: output{"--state", f.state}, lines: lines}
	if err := s.check(c.inputs(names)); err != nil {
		return nil, 0, err
	}
	want := f.capacity(lines)
	if err := c.checkState(ctx, f.state, lines, fam); err != nil {
		return nil, 0, fmt.Errorf("--state %w", err)
	}
	var err error
	s.journal, err = journal.Open(f.state, lines)
	if errors.Is(err, journal.ErrInUse) {
		err = errors.New("is used by another process")
	}
	if err != nil {
		return nil, 0, s.fail(err)
	}
	if got := f.capacity(lines); got < want-want/8 || got > want+want/8 {
		s.journal.Close()
		return nil, 0, s.fail(errOtherFlags)
	}
	if b, ok := lines.(*bloom.Filter); ok && !f.force {
		return s, leastLen(b), nil
	}
	return s, 0, nil
}

// errOtherFlags is returned for a state that does not fit the flags.
var errOtherFlags = errors.New("was made with another -n, --fpr or --memory")

// capacity returns a number by which openState recognizes a state that was made
// with other flags. For a Bloom filter, it is the number of lines at which the
// rate is --fpr, and for a growing filter, it is the reciprocal of the rate.
// The parameters themselves are not compared, so that a later version that
// computes slightly different ones can continue from a state.
func (f *uniqFlags) capacity(lines seen) uint64 {
	if b, ok := lines.(*bloom.Filter); ok {
		return b.Params().CapacityAt(min(float64(f.rate), 0.99))
	}
	return uint64(1 / lines.(*bloom.Scalable).Config().FPRate)
}

// checkState returns an error if a state file exists that contains another kind
// of structure than lines, or another family, or that needs more memory than
// there is.
func (c *command) checkState(ctx context.Context, name string, lines seen, fam hashfam.Family) error {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 { // a process was killed when it began
		return nil
	}
	f, err := c.openHeader(ctx, name)
	if err != nil {
		return err
	}
	defer f.file.Close()
	if f.header.Check != fam.CheckValue() {
		return input.Named(name, wrongFamily(f.header, fam))
	}
	if f.header.Kind == frame.Journal {
		if err := f.skipStart(); err != nil {
			return input.Named(name, err)
		}
	}
	if err := f.checkKind(lines); err != nil {
		return input.Named(name, err)
	}
	return nil
}

// checkKind returns an error if the file contains another kind of structure
// than lines, or needs more memory than there is.
func (f *openFrame) checkKind(lines seen) error {
	kind := frame.ScalableBloom
	if _, ok := lines.(*bloom.Filter); ok {
		kind = frame.Bloom
	}
	switch {
	case f.header.Kind == kind:
		return f.checkMemory(0)
	case f.header.Kind == frame.Bloom, f.header.Kind == frame.ScalableBloom:
		return errOtherFlags
	}
	return fmt.Errorf("is %v, not a state of uniq", f.header.Kind)
}

// skipStart reads the start of a journal and the header of its first structure,
// so that f then reads this structure.
func (f *openFrame) skipStart() error {
	if _, err := io.CopyN(io.Discard, f, block.StartBytes); err != nil {
		return err
	}
	first := make([]byte, frame.MaxHeader)
	n, err := io.ReadFull(f, first)
	if err != nil && err != io.ErrUnexpectedEOF {
		return err
	}
	first = first[:n]
	f.header, err = frame.Identify(first)
	f.size -= block.StartBytes
	f.from = io.MultiReader(bytes.NewReader(first), f.from)
	return err
}
