package main

import (
	"github.com/filterfam/filterfam/bloom/static"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/perfect"
)

// A staticFilter takes no key once it can be queried: Add only collects keys,
// and Build makes the filter of them all.
type staticFilter interface {
	filter
	Build() error
}

// A knowing filter is told the absent keys, too, before it is built.
type knowing interface {
	staticFilter
	AddAbsent(key []byte)
}

// staticSet adapts static.Filter. One goroutine builds it, as it builds the
// others.
type staticSet struct {
	*static.Filter
	builder *static.Builder
}

func newStatic(n uint64, rate float64, family hashfam.Family) (filter, error) {
	b, err := static.NewBuilder(static.Config{FPRate: rate, Family: family, Workers: 1})
	if err != nil {
		return nil, err
	}
	b.Grow(int(n))
	return &staticSet{builder: b}, nil
}

func (s *staticSet) Add(key []byte) error {
	s.builder.Add(key)
	return nil
}

func (s *staticSet) Build() (err error) {
	s.Filter, err = s.builder.Build()
	s.builder = nil
	return err
}

// staticExact adapts static.Exact.
type staticExact struct {
	*static.Exact
	family          hashfam.Family
	members, absent []hashfam.Digest
}

func newStaticExact(n uint64, _ float64, family hashfam.Family) (filter, error) {
	return &staticExact{family: family, members: make([]hashfam.Digest, 0, n)}, nil
}

func (s *staticExact) Add(key []byte) error {
	s.members = append(s.members, s.family.Sum(key))
	return nil
}

func (s *staticExact) AddAbsent(key []byte) { s.absent = append(s.absent, s.family.Sum(key)) }

func (s *staticExact) Build() (err error) {
	s.Exact, err = static.NewExactFromDigests(static.ExactConfig{Family: s.family}, s.members, s.absent)
	s.members, s.absent = nil, nil
	return err
}

// perfectFilter adapts perfect.Filter.
type perfectFilter struct {
	*perfect.Filter
	config  perfect.FilterConfig
	digests []hashfam.Digest
}

func newPerfect(n uint64, rate float64, family hashfam.Family) (filter, error) {
	return &perfectFilter{
		config:  perfect.FilterConfig{FPRate: rate, Family: family},
		digests: make([]hashfam.Digest, 0, n),
	}, nil
}

func (p *perfectFilter) Add(key []byte) error {
	p.digests = append(p.digests, p.config.Family.Sum(key))
	return nil
}

func (p *perfectFilter) Build() (err error) {
	p.Filter, err = perfect.NewFilterFromDigests(p.config, p.digests)
	p.digests = nil
	return err
}
