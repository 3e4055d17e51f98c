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

// build returns the layout and the payload of the mapping of digests, which are
// distinct and sorted. It does not change digests. It returns ErrParams if they
// need more than the given number of levels, or no last seed does, and the
// error of ctx if that ends first.
func build(ctx context.Context, digests []hashfam.Digest, compact bool, levels int) (layout, []byte, error) {
	l := layout{keys: uint64(len(digests)), compact: compact}
	payload := []byte{}
	var used []bitmap
	for len(digests) > maxLast {
		if len(l.bumped) == levels {
			return layout{}, nil, tooManyLevels(len(digests))
		}
		n := uint64(len(digests))
		lv := newLevel(n, 0, compact, make([]byte, bucketsOf(n)))
		places, bumped := lv.fill(ctx, digests)
		for i, d := range bumped {
			bumped[i] = hashfam.Digest(d.Probe().Next().Next())
		}
		var err error
		if digests, err = sortDigests(ctx, bumped); err != nil {
			return layout{}, nil, err
		}
		used = append(used, places)
		payload = append(payload, lv.seeds...)
		l.bumped = append(l.bumped, uint64(len(digests)))
	}
	end := lastLevel{n: uint64(len(digests))}
	if !end.search(digests) {
		return layout{}, nil, tooManyLevels(len(digests))
	}
	l.seed = end.seed
	payload = l.appendList(payload, used)
	return l, append(payload, make([]byte, l.bytes()-uint64(len(payload)))...), nil
}

// tooManyLevels returns the error of digests that cannot be placed.
func tooManyLevels(left int) error {
	return paramError("digests", fmt.Sprintf("%d left after all levels", left),
		"random digests: use a keyed Family, and distinct keys")
}

// appendList appends the list of the places that the first level left free. If
// a place of a later level is used, it stands for the next free place; if not,
// for the same one as the place before it.
func (l *layout) appendList(payload []byte, used []bitmap) []byte {
	if len(used) == 0 {
		return payload
	}
	free := l.free()
	start, size := len(payload), int(free.bytes())
	payload = slices.Grow(payload, size)[:start+size]
	free.use(payload[start:])
	clear(free.low)
	i, from, current := uint64(0), uint64(0), uint64(0)
	for level, n := range l.bumped {
		for place := range n {
			if level == len(l.bumped)-1 || used[level+1].bit(place) != 0 {
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

// sortDigests sorts digests by the first value of their probe sequence and
// returns the distinct ones, as [ribbon.Sort] does. It returns ErrParams if
// they are too many, and the error of ctx if that ends first.
func sortDigests(ctx context.Context, digests []hashfam.Digest) ([]hashfam.Digest, error) {
	if err := checkLen(len(digests)); err != nil {
		return nil, err
	}
	sorted, err := ribbon.Sort(ctx, ribbon.Build{Workers: 1}, digests)
	if err != nil {
		return nil, errs.Errorf("building: %w", err)
	}
	return sorted, nil
}
