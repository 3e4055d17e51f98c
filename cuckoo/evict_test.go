package cuckoo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// insertPlainly is insert with one queue for all searches. It returns how far
// the search went, if it found room.
func (f *Filter) insertPlainly(d hashfam.Digest) (last int, ok bool) {
	i, j, fp := f.locate(d)
	if !f.table.putEither(i, j, fp) {
		queue := make([]uint64, min(far, patience*f.params.Buckets))
		queue[0], queue[1] = i, j
		if last = f.search(queue, 2); last == 0 {
			return 0, false
		}
		f.table.shift(queue, last, fp)
	}
	f.count++
	return last, true
}

// A search that outgrows its queue continues in a longer one, and finds what a
// search in the longest one finds.
func TestALongSearchContinuesAShortOne(t *testing.T) {
	for _, p := range kinds {
		beyondNear, beyondMiddle := 0, 0
		for _, p.Buckets = range []uint64{2, 4, 10, 250, 500} {
			f, plain := mustNew(t, p), mustNew(t, p)
			for key, failed := uint64(0), 0; failed < 20; key++ {
				d := p.Family.SumUint64(key)
				last, ok := plain.insertPlainly(d)
				require.Equal(t, ok, f.AddDigest(d) == nil, "%v, key %d", f, key)
				require.True(t, f.Equal(plain), "%v, key %d", f, key)
				if last >= near {
					beyondNear++
				}
				if last >= middle {
					beyondMiddle++
				}
				if !ok {
					failed++
				}
			}
		}
		require.Greater(t, beyondNear, 10, "%v", p)
		require.Positive(t, beyondMiddle, "%v", p)
	}
}

// The first bucket with room is the first of which a slot is zero.
func TestFirstFree(t *testing.T) {
	eachKind(t, func(t *testing.T, p Params) {
		for free := range 1 << slots {
			table, want := mustNew(t, p).table, slots
			list := [slots]uint64{7, 2, 9, 0}
			for s, i := range list {
				taken := slots
				if free>>s&1 != 0 {
					taken, want = (free+s)%slots, min(want, s)
				}
				for n := range taken {
					require.True(t, table.put(i, []uint64{1, table.mask, 1 << (p.FingerprintBits - nibble), table.mask - 1}[n]))
				}
			}
			require.Equal(t, want, table.firstFree(&list), "%04b", free)
		}
	})
}
