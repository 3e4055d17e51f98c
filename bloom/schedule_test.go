package bloom

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/filterfam/filterfam/internal/conformance"
)

// Random schedules on small filters: a key whose Add has returned is found,
// only one ContainsOrAdd of a key gets false, and in the end the bits are those
// of the plain filter with the same keys.
func TestSchedulesOfAConcurrentFilter(t *testing.T) {
	const keys = 6
	conformance.Schedules(t, func(r *rand.Rand) conformance.Schedule {
		p := Params{Bits: 64 << r.IntN(4), Hashes: 1 + r.IntN(6), Layout: layouts[r.IntN(3)]}
		switch p.Layout {
		case Partitioned:
			p.Bits = p.Bits / uint64(p.Hashes) * uint64(p.Hashes)
		case Blocked:
			p.Bits = lineBits
		}
		c := newConcurrent(mustNew(t, p))
		var tried, added [keys]atomic.Bool // its Add has begun, has returned
		var first [keys]atomic.Int32       // the number of answers false
		look := func(key uint64, ask func() bool) {
			if before := added[key].Load(); !ask() && before {
				t.Errorf("%v: lost key %d", p, key)
			}
		}
		return conformance.Schedule{
			Step: func(_ int, r *rand.Rand) {
				key := r.Uint64N(keys)
				switch r.IntN(5) {
				case 0:
					tried[key].Store(true)
					c.AddUint64(key)
					added[key].Store(true)
				case 1:
					tried[key].Store(true)
					look(key, func() bool {
						found := c.ContainsOrAddDigest(p.Family.SumUint64(key))
						if !found {
							first[key].Add(1)
						}
						return found
					})
					added[key].Store(true)
				case 2:
					tried[key].Store(true)
					c.AddAllUint64([]uint64{key})
					added[key].Store(true)
				case 3:
					look(key, func() bool { return c.ContainsAllUint64(nil, []uint64{key})[0] })
				default:
					look(key, func() bool { return c.ContainsUint64(key) })
				}
			},
			End: func() {
				plain := mustNew(t, p)
				for key := range uint64(keys) {
					if tried[key].Load() {
						plain.AddUint64(key)
					}
					if n := first[key].Load(); n > 1 {
						t.Errorf("%v: %d calls were the first to add key %d", p, n, key)
					}
				}
				if !c.Snapshot().Equal(plain) {
					t.Errorf("%v: other bits than those of the plain filter", p)
				}
			},
		}
	})
}
