package perfect

import (
	"context"
	"fmt"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// maxLevels is the largest number of levels of buckets. Random digests need
// about six for a billion keys: each level bumps one key in 25. To fill many
// more, someone has to choose digests whose probe sequences agree in the high
// bits of the values of every level, and there are few of these.
const maxLevels = 24

// build returns the shape and the payload of the mapping of digests, which are
// distinct and sorted. It does not change digests. It returns ErrParams if they
// need more than the given number of levels, or no last seed does.
func build(digests []hashfam.Digest, compact bool, levels int) (shape, []byte, error) {
	s := shape{keys: uint64(len(digests)), compact: compact}
	var payload []byte
	var used []bitmap
	for len(digests) > maxLast {
		if len(s.bumped) == levels {
			return shape{}, nil, tooManyLevels(len(digests))
		}
		l := newLevel(uint64(len(digests)), 0, compact, make([]byte, bucketsOf(uint64(len(digests)))))
		places, bumped := l.fill(digests)
		for i, d := range bumped {
			bumped[i] = hashfam.Digest(d.Probe().Next().Next())
		}
		digests = sortDigests(bumped)
		used = append(used, places)
		payload = append(payload, l.seeds...)
		s.bumped = append(s.bumped, uint64(len(digests)))
	}
	end := last{n: uint64(len(digests))}
	if !end.search(digests) {
		return shape{}, nil, tooManyLevels(len(digests))
	}
	s.seed = end.seed
	payload = s.appendList(payload, used)
	return s, append(payload, make([]byte, s.bytes()-uint64(len(payload)))...), nil
}

// tooManyLevels returns the error of digests that cannot be placed.
func tooManyLevels(left int) error {
	return paramError("digests", fmt.Sprintf("%d left after all levels", left),
		"random digests: use a keyed Family, and distinct keys")
}

// appendList appends the list of the places that the first level left free. If
// a place of a later level is used, it stands for the next free place; if not,
// for the same one as the place before it.
func (s *shape) appendList(payload []byte, used []bitmap) []byte {
	if len(used) == 0 {
		return payload
	}
	size := s.listSize()
	start := len(payload)
	payload = slices.Grow(payload, int(size.bytes()))[:start+int(size.bytes())]
	free := size.over(payload[start:])
	clear(free.low)
	i, from, current := uint64(0), uint64(0), uint64(0)
	for level, n := range s.bumped {
		for place := range n {
			if level == len(s.bumped)-1 || used[level+1].bit(place) != 0 {
				for used[0].bit(from) != 0 {
					from++
				}
				current, from = from, from+1
			}
			free.put(i, current)
			i++
		}
	}
	return payload
}

// sortDigests sorts digests by the first value of their probe sequence, removes
// copies, and returns the shorter list in the same memory.
func sortDigests(digests []hashfam.Digest) []hashfam.Digest {
	digests, _ = ribbon.Sort(context.Background(), ribbon.Build{Workers: 1}, digests) // this context does not end
	return digests
}
