package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/cmd/filterfam/internal/input"
	"github.com/filterfam/filterfam/hashfam/perfect"
	"github.com/filterfam/filterfam/internal/frame"
	"github.com/filterfam/filterfam/internal/memory"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A structure is any structure that a file can contain.
type structure interface {
	io.ReaderFrom
	io.WriterTo
	SizeBytes() uint64
	String() string
}

// A planned filter has a rate for each number of keys.
type planned interface{ RateAt(n uint64) float64 }

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

// paramsOf returns the parameters of a filter whose rate follows from the
// number of keys. It returns nil for other structures.
func paramsOf(s structure) planned {
	switch s := s.(type) {
	case *bloom.Filter:
		return s.Params()
	case *counting.Filter:
		return s.Params()
	case *cuckoo.Filter:
		return s.Params()
	}
	return nil
}

// receiver returns a receiver for a kind of frame, or nil if such a frame is
// not a whole structure.
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

// An openFrame reads a file whose header is known. Read begins with the header
// again, and returns an error when ctx is canceled.
type openFrame struct {
	ctx    context.Context
	file   *input.File
	header frame.Header
	from   io.Reader
	size   int64  // the number of bytes in a regular file, or -1
	bytes  uint64 // the number of bytes that have been read
}

// openHeader opens a file and reads its header.
func (c *command) openHeader(ctx context.Context, name string) (*openFrame, error) {
	file, err := input.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	f := &openFrame{ctx: ctx, file: file, size: -1}
	if file.Info.Mode().IsRegular() {
		f.size = file.Info.Size()
	}
	first := make([]byte, frame.MaxHeader)
	n, err := io.ReadFull(file, first)
	first = first[:n]
	if err == nil || err == io.EOF || err == io.ErrUnexpectedEOF {
		f.header, err = frame.Identify(first)
		err = notAStructure(first, err)
	}
	if err != nil {
		file.Close()
		return nil, input.Named(name, err)
	}
	c.progress.read(n)
	f.from = io.MultiReader(bytes.NewReader(first), &counted{file, c.progress})
	return f, nil
}

// checkMemory returns an error unless there is memory for the structure that
// the header describes, beside the given number of bytes.
func (f *openFrame) checkMemory(held uint64) error {
	return memory.Check(sizing.SaturatingAdd(f.header.Memory(f.size), held))
}

func (f *openFrame) Read(b []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := f.from.Read(b)
	f.bytes += uint64(n)
	return n, err
}

// Len returns the number of bytes that a regular file still has, so that a
// decoder can allocate its memory at once. It returns 0 for other files.
func (f *openFrame) Len() int {
	return int(min(max(f.size-int64(f.bytes), 0), math.MaxInt))
}

// load returns the structure in a file, and its header. It returns an error if
// there is no memory for the structure beside the given number of bytes.
func (c *command) load(ctx context.Context, name string, fam hashfam.Family, held uint64) (structure, frame.Header, error) {
	f, err := c.openHeader(ctx, name)
	if err != nil {
		return nil, frame.Header{}, err
	}
	defer f.file.Close()
	h := f.header
	if h.Check != fam.CheckValue() {
		return nil, h, input.Named(name, wrongFamily(h, fam))
	}
	s := receiver(h.Kind, fam)
	if s == nil {
		return nil, h, input.Named(name, fmt.Errorf("is %v, which cannot be used here", h.Kind))
	}
	if err := f.checkMemory(held); err != nil {
		return nil, h, input.Named(name, err)
	}
	if _, err := s.ReadFrom(f); err != nil {
		return nil, h, input.Named(name, err)
	}
	if n, _ := f.Read(make([]byte, 1)); n > 0 {
		return nil, h, input.Named(name, errors.New("more bytes follow the structure"))
	}
	return s, h, nil
}

// magic are the first bytes of all structures.
const magic = "\xf1fam"

// notAStructure returns the error for a file whose header is invalid, or nil if
// err is nil.
func notAStructure(first []byte, err error) error {
	if err == nil {
		return nil
	}
	if len(first) < len(magic) || string(first[:len(magic)]) != magic {
		return errors.New("is not a filter, or another structure that filterfam writes")
	}
	return err
}

// wrongFamily returns the error for a frame that was encoded with another
// family.
func wrongFamily(h frame.Header, fam hashfam.Family) error {
	if fam == (hashfam.Family{}) {
		return fmt.Errorf("needs the secret key of family %s: want --key-file FILE or %s", h.Family(), keyVariable)
	}
	return fmt.Errorf("has family %s, but the key is for %v; families that Derive returns cannot be used", h.Family(), fam)
}

// A counted reader counts the bytes that are read.
type counted struct {
	io.Reader
	progress *progress
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.progress.read(n)
	return n, err
}
