package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/perfect"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/memory"
)

// A structure is any structure that a file can contain.
type structure interface {
	io.ReaderFrom
	io.WriterTo
	SizeBytes() uint64
	String() string
}

// Some structures can do more.
type (
	container interface {
		ContainsAll(dst []bool, digests []hashfam.Digest) []bool
	}
	counter interface {
		CountAll(dst []uint64, digests []hashfam.Digest) []uint64
	}
	rated     interface{ FalsePositiveRate() float64 }
	estimator interface {
		EstimateAll(dst []countmin.Estimate, digests []hashfam.Digest) []countmin.Estimate
	}
)

// receiver returns a receiver for a kind of structure, or nil if the frame is
// not a structure of its own.
func receiver(kind frame.Kind, fam hashfam.Family) structure {
	switch kind {
	case frame.Bloom:
		return bloom.NewReceiver(fam)
	case frame.Counting:
		return counting.NewReceiver(fam)
	case frame.Cuckoo:
		return cuckoo.NewReceiver(fam)
	case frame.CountMin:
		return countmin.NewReceiver(fam)
	case frame.HeavyHitters, frame.TopK:
		return countmin.NewHeavyReceiver(fam)
	case frame.Static:
		return static.NewReceiver(fam)
	case frame.Exact:
		return static.NewExactReceiver(fam)
	case frame.PerfectFunction:
		return perfect.NewReceiver(fam)
	case frame.PerfectFilter:
		return perfect.NewFilterReceiver(fam)
	case frame.ScalableBloom:
		return bloom.NewScalableReceiver(fam)
	case frame.ScalableCuckoo:
		return cuckoo.NewScalableReceiver(fam)
	case frame.RotatingBloom:
		return bloom.NewRotatingReceiver(fam)
	case frame.Window:
		return countmin.NewWindowReceiver(fam)
	}
	return nil
}

// allocated returns a structure with the parameters that params returns, unless
// there is too little memory for it. An error names the flag.
func allocated[P interface{ SizeBytes() uint64 }, T structure](flag string, params func() (P, error), make func(P) (T, error)) (structure, error) {
	p, err := params()
	if err != nil {
		return nil, err
	}
	if err := memory.Check(p.SizeBytes()); err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return make(p)
}

// An openFrame is a file whose header has been read.
type openFrame struct {
	file   *os.File
	header frame.Header
	first  []byte    // the bytes that have been read
	rest   io.Reader // the bytes after them
}

// openHeader opens a file and reads its header.
func openHeader(ctx context.Context, name string) (*openFrame, error) {
	file, err := openInput(ctx, name)
	if err != nil {
		return nil, err
	}
	f := &openFrame{file: file, first: make([]byte, frame.MaxHeader), rest: interruptible(ctx, file)}
	n, err := io.ReadFull(f.rest, f.first)
	f.first = f.first[:n]
	if err == nil || err == io.EOF || err == io.ErrUnexpectedEOF {
		f.header, err = frame.Identify(f.first)
		err = notAStructure(f.first, err)
	}
	if err != nil {
		closeInput(file)
		return nil, inFile(name, err)
	}
	return f, nil
}

// whole returns a reader for the whole contents.
func (f *openFrame) whole() io.Reader { return io.MultiReader(bytes.NewReader(f.first), f.rest) }

// load returns the structure in a file, and its header.
func (c *command) load(ctx context.Context, name string, fam hashfam.Family) (structure, frame.Header, error) {
	f, err := openHeader(ctx, name)
	if err != nil {
		return nil, frame.Header{}, err
	}
	defer closeInput(f.file)
	h := f.header
	if h.Check != fam.CheckValue() {
		return nil, h, inFile(name, wrongFamily(h, fam))
	}
	s := receiver(h.Kind, fam)
	if s == nil {
		return nil, h, inFile(name, fmt.Errorf("is %v, which cannot be used here", h.Kind))
	}
	if err := memory.Check(h.Size()); err != nil {
		return nil, h, inFile(name, err)
	}
	var from io.Reader = &watched{f.file, ctx, c.progress}
	if _, err := f.file.Seek(-int64(len(f.first)), io.SeekCurrent); err != nil {
		from = f.whole()
	}
	if _, err := s.ReadFrom(from); err != nil {
		return nil, h, inFile(name, err)
	}
	if n, _ := from.Read(f.first[:1]); n > 0 {
		return nil, h, inFile(name, errors.New("more bytes follow the structure"))
	}
	return s, h, nil
}

// notAStructure returns the error for a file whose header is invalid, or nil if
// err is nil.
func notAStructure(first []byte, err error) error {
	const magic = "\xf1fam"
	if err == nil {
		return nil
	}
	if len(first) < len(magic) || string(first[:len(magic)]) != magic {
		return errors.New("not a file of this library")
	}
	return err
}

// wrongFamily returns the error for a frame that was encoded with another
// family.
func wrongFamily(h frame.Header, fam hashfam.Family) error {
	if fam == (hashfam.Family{}) {
		return fmt.Errorf("needs the secret key of family %s: want -key-file FILE or %s", h.Family(), keyVariable)
	}
	return fmt.Errorf("has family %s, but the key is for %v", h.Family(), fam)
}
