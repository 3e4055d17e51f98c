package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

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
func allocated[P interface{ SizeBytes() uint64 }, T any](flag string, params func() (P, error), make func(P) (T, error)) (made T, err error) {
	p, err := params()
	if err != nil {
		return made, err
	}
	if err := memory.Check(p.SizeBytes()); err != nil {
		return made, fmt.Errorf("%s: %w", flag, err)
	}
	return make(p)
}

// load returns the structure in a file, and its header.
func (c *command) load(ctx context.Context, name string, fam hashfam.Family) (structure, frame.Header, error) {
	file, err := openInput(ctx, name)
	if err != nil {
		return nil, frame.Header{}, err
	}
	defer closeInput(file)
	rest := interruptible(ctx, file)
	first := make([]byte, frame.MaxHeader)
	n, err := io.ReadFull(rest, first)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, frame.Header{}, inFile(name, err)
	}
	h, err := frame.Identify(first[:n])
	if err != nil {
		return nil, h, inFile(name, notAStructure(first[:n], err))
	}
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
	var from io.Reader = &watched{file, ctx, c.progress}
	if _, err := file.Seek(-int64(n), io.SeekCurrent); err != nil {
		from = io.MultiReader(bytes.NewReader(first[:n]), rest)
	}
	if _, err := s.ReadFrom(from); err != nil {
		return nil, h, inFile(name, err)
	}
	if n, _ := from.Read(first[:1]); n > 0 {
		return nil, h, inFile(name, errors.New("more bytes follow the structure"))
	}
	return s, h, nil
}

// notAStructure returns the error for a file whose header is invalid.
func notAStructure(first []byte, err error) error {
	const magic = "\xf1fam"
	if len(first) < len(magic) || string(first[:len(magic)]) != magic {
		return errors.New("not a file of this library")
	}
	return err
}

// wrongFamily returns the error for a frame that was encoded with another
// family.
func wrongFamily(h frame.Header, fam hashfam.Family) error {
	if fam.Public() {
		return fmt.Errorf("needs the secret key of family %s: want -key-file FILE or %s", h.Family(), keyVariable)
	}
	return fmt.Errorf("has family %s, but the key is for %v", h.Family(), fam)
}
