package main

import (
	"fmt"

	ours "github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
)

// The numbers of keys that growing filters get, over those they expect.
var overExpected = []uint64{1, 3, 30}

// growing returns the rows of a growing filter: of one that expects all keys,
// and of others that expect a part of them.
func growing(s structure, build func(expected uint64, rate float64, family hashfam.Family) (filter, error)) []structure {
	var list []structure
	for _, over := range overExpected {
		x := s
		x.over = over
		if over > 1 {
			x.name = fmt.Sprintf("%s-%dx", s.name, over)
		}
		x.build = func(n uint64, rate float64, family hashfam.Family) (filter, error) {
			return build(max(1, n/over), rate, family)
		}
		list = append(list, x)
	}
	return list
}

// bloomScalable adapts bloom.Scalable, whose Add cannot fail.
type bloomScalable struct{ *ours.Scalable }

func (s bloomScalable) Add(key []byte) error {
	s.Scalable.Add(key)
	return nil
}

func newBloomScalable(expected uint64, rate float64, family hashfam.Family) (filter, error) {
	s, err := ours.NewScalable(ours.ScalableConfig{Expected: expected, FPRate: rate, Family: family})
	if err != nil {
		return nil, err
	}
	return bloomScalable{s}, nil
}

func newCuckooScalable(expected uint64, rate float64, family hashfam.Family) (filter, error) {
	return cuckoo.NewScalable(cuckoo.ScalableConfig{Expected: expected, FPRate: rate, Family: family})
}
