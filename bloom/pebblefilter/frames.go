package pebblefilter

import (
	"context"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
)

// A reader queries encoded filters of the same family. If it returns an error,
// the result must be true.
type reader interface {
	ContainsDigest(frame []byte, d hashfam.Digest) (bool, error)
}

// A builder encodes filters.
type builder interface {
	// build appends the encoded filter of digests to dst. It may reorder
	// digests.
	build(dst []byte, digests []hashfam.Digest) ([]byte, error)

	// policy returns a policy for such filters that uses fam.
	policy(fam hashfam.Family) *Policy
}

type ribbons static.Config

func (b ribbons) build(dst []byte, digests []hashfam.Digest) ([]byte, error) {
	return static.AppendFrame(context.Background(), dst, static.Config(b), digests)
}

func (b ribbons) policy(fam hashfam.Family) *Policy {
	b.Family = fam
	return newPolicy("static", fam, static.NewFrameReader(fam), b)
}

type blooms bloom.Config

func (b blooms) build(dst []byte, digests []hashfam.Digest) ([]byte, error) {
	b.Capacity = uint64(len(digests))
	return bloom.AppendFrame(dst, bloom.Config(b), digests)
}

func (b blooms) policy(fam hashfam.Family) *Policy {
	b.Family = fam
	return newPolicy("bloom", fam, bloom.NewFrameReader(fam), b)
}
