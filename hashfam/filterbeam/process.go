package filterbeam

import (
	"context"
	"io"

	"github.com/filterfam/filterfam/hashfam"
)

// A process builds a structure in the memory of one process.
type process struct {
	spec    spec
	family  hashfam.Family
	opened  structure        // nil if all digests are sorted first
	digests []hashfam.Digest // all of them, or those of a batch
}

func (s spec) process() (*process, error) {
	fam, err := s.family()
	if err != nil {
		return nil, err
	}
	p := &process{spec: s, family: fam}
	if s.Kind != cuckooKind && s.Kind != staticKind {
		p.opened, err = s.open()
	}
	return p, err
}

// addKeys adds keys.
func (p *process) addKeys(keys [][]byte) error {
	if p.opened == nil {
		p.digests = p.family.SumAll(p.digests, keys)
		return nil
	}
	p.digests = p.family.SumAll(p.digests[:0], keys)
	return p.opened.add(p.digests, keys)
}

// addBlock adds a block of digests.
func (p *process) addBlock(block []byte) error {
	if p.opened == nil {
		p.digests = parseWords(p.digests, block)
		return nil
	}
	p.digests = parseWords(p.digests[:0], block)
	return p.opened.add(p.digests, nil)
}

// finish returns the structure of all keys, and describes it.
func (p *process) finish(ctx context.Context, sum *Summary) (io.WriterTo, error) {
	if p.opened != nil {
		p.opened.describe(sum)
		return p.opened, nil
	}
	digests, err := sorted(ctx, p.digests)
	if err != nil {
		return nil, err
	}
	return p.spec.buildSorted(ctx, uint64(len(digests)), sum, func(add func([]hashfam.Digest) error) error {
		return add(digests)
	})
}
