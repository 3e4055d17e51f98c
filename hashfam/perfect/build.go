package perfect

import (
	"context"
	"fmt"
	"slices"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/ribbon"
)

// maxLevels is the maximum number of levels with buckets. Random digests need
// about six for a billion keys, since each level bumps one key in 25. Only
// digests that somebody chose can need many more: the high bits of their probe
// sequences must agree in every level, and there are few such digests.
const maxLevels = 24

// build completes l for digests, which must be distinct and sorted, and returns
// the structure, whose slots are zero. It does not change digests. ErrParams is
// returned if they need more than the given number of levels, or if there is no
// seed for the last level. If ctx is canceled, build returns its error.
func build(ctx context.Context, l layout, digests []hashfam.Digest, fam hashfam.Family, levels int) (stored, error) {
	l.keys = uint64(len(digests))
	payload := []byte{}
	var used []bitmap
	for len(digests) > maxLast && len(l.bumped) < levels {
		n := uint64(len(digests))
		lv := newLevel(n, 0, l.compact, make([]byte, bucketsOf(n)))
		places, bumped := lv.fill(ctx, digests)
		for i, d := range bumped {
			bumped[i] = hashfam.Digest(d.Probe().Next().Next())
		}
		var err error
		if digests, err = sortDigests(ctx, bumped); err != nil {
			return stored{}, err
		}
		used = append(used, places)
		payload = append(payload, lv.seeds...)
		l.bumped = append(l.bumped, uint64(len(digests)))
	}
	end := lastLevel{n: uint64(len(digests))}
	if len(digests) > maxLast {
		return stored{}, paramError("digests", fmt.Sprintf("%d left after %d levels", len(digests), levels), "random digests: use a keyed Family")
	}
	if !end.search(digests) {
		return stored{}, paramError("digests", fmt.Sprintf("%d in the last level have no seed", len(digests)), "random digests: use a keyed Family")
	}
	l.seed = end.seed
	payload = l.appendList(payload, used)
	return open(l, append(payload, make([]byte, l.bytes()-uint64(len(payload)))...), fam)
}

// appendList appends the list of the places that the first level left free. If
// a place in a later level is used, the list maps it to the next free place.
// Otherwise it maps it to the same one as the previous place.
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
				current = from
				from++
			}
			free.put(i, current)
			i++
		}
	}
	return payload
}

// sortDigests sorts digests and returns the distinct ones, as [ribbon.Sort]
// does. It returns ErrParams if there are too many. If ctx is canceled, it
// returns its error.
func sortDigests(ctx context.Context, digests []hashfam.Digest) ([]hashfam.Digest, error) {
	if err := checkLen(uint64(len(digests))); err != nil {
		return nil, err
	}
	sorted, err := ribbon.Sort(ctx, ribbon.Build{Workers: 1}, digests)
	if err != nil {
		return nil, errs.Errorf("building: %w", err)
	}
	return sorted, nil
}

// checkLen returns ErrParams if there are more than maxKeys keys.
func checkLen(n uint64) error {
	if n > maxKeys {
		return paramError("number of keys", n, fmt.Sprintf("at most %d", uint64(maxKeys)))
	}
	return nil
}
