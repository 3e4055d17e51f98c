package countmin_test

import (
	"container/list"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/countmin"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/sharded"
	"github.com/filterfam/filterfam/internal/data"
)

type admission struct {
	seen             *bloom.Filter    // the doorkeeper: requested since the counts last faded
	again            *countmin.Sketch // how often, apart from the first time
	requests, period int
}

func newAdmission(entries int) (a admission, err error) {
	a.period = 10 * entries
	a.seen, err = bloom.New(bloom.Config{Capacity: uint64(a.period), FPRate: 0.01})
	if err == nil {
		a.again, err = countmin.New(countmin.Config{Width: uint64(4 * entries), Depth: 4, CounterBits: 8, Conservative: true})
	}
	return a, err
}

func (a *admission) count(d hashfam.Digest) error {
	if a.seen.ContainsOrAddDigest(d) {
		a.again.AddDigest(d)
	}
	if a.requests++; a.requests%a.period != 0 {
		return nil
	}
	a.seen.Reset()
	return a.again.Halve()
}

func (a *admission) frequency(d hashfam.Digest) uint64 {
	if a.seen.ContainsDigest(d) {
		return a.again.CountDigest(d) + 1
	}
	return a.again.CountDigest(d)
}

// admit reports whether a key may replace the cache's victim.
func (a *admission) admit(d, victim hashfam.Digest) bool {
	return a.frequency(d) >= a.frequency(victim)
}

// hits returns the number of requests whose key is in the cache. The newest
// keys are in the first list. When a key leaves this list, it is either
// admitted to the second list or dropped. Both lists evict the least recently
// used key.
func hits(requests []string, newest, others int, admit func(d, victim hashfam.Digest) bool, count func(hashfam.Digest) error) (hits int) {
	first, second, at := list.New(), list.New(), map[hashfam.Digest]*list.Element{}
	for _, key := range requests {
		d := hashfam.Family{}.SumString(key)
		if err := count(d); err != nil {
			panic(err)
		}
		if e := at[d]; e != nil {
			first.MoveToFront(e) // if it is there
			second.MoveToFront(e)
			hits++
			continue
		}
		at[d] = first.PushFront(d)
		if first.Len() <= newest {
			continue
		}
		left := first.Remove(first.Back()).(hashfam.Digest)
		delete(at, left)
		if second.Len() == others {
			victim := second.Back()
			if victim == nil || !admit(left, victim.Value.(hashfam.Digest)) {
				continue
			}
			delete(at, second.Remove(victim).(hashfam.Digest))
		}
		at[left] = second.PushFront(left)
	}
	return hits
}

// A fifth of the cache is used for a shop's newest pages. The rest admits pages
// that are requested no less often than the page that they displace.
func Example_cacheAdmission() {
	requests := data.RequestsWeb12()
	for _, entries := range []int{300, 1000, 3000} {
		a, err := newAdmission(entries)
		if err != nil {
			fmt.Println(err)
			return
		}
		all := hits(requests, entries, 0, nil, func(hashfam.Digest) error { return nil })
		some := hits(requests, entries/5, entries-entries/5, a.admit, a.count)
		fmt.Printf("%d entries: %.1f%%, with admission %.1f%%, %d bytes\n", entries,
			100*float64(all)/float64(len(requests)), 100*float64(some)/float64(len(requests)), a.seen.SizeBytes()+a.again.SizeBytes())
	}
	// Output:
	// 300 entries: 49.0%, with admission 52.0%, 8400 bytes
	// 1000 entries: 64.7%, with admission 67.7%, 27992 bytes
	// 3000 entries: 76.5%, with admission 77.4%, 83976 bytes
}

// A window of K keys lists the top ten of its requests, and OmittedBound limits
// the count of all others.
func Example_topTen() {
	w := hashfam.Must(countmin.NewWindow(countmin.WindowConfig{K: 10, Keys: 10_000}))
	for _, page := range data.RequestsWeb12() {
		w.AddString(page)
	}
	for page, e := range w.All() {
		fmt.Print(page, " ", e.High, ", ")
	}
	fmt.Println("others at most", w.OmittedBound(), w.Complete())
	// Output: 55 117, 131 111, 153 91, 282 80, 34 78, 68 70, 188 64, 379 63, 4 63, 407 62, others at most 61 true
}

// The list is compared with exact counts of the part that the window covers. A
// tenth of the requests are for a name that is too long for the memory.
func TestTopOfAWindowIsComplete(t *testing.T) {
	long, results := strings.Repeat("long", 2000), map[bool]int{}
	for _, kib := range []int{12, 28, 64} {
		for _, k := range []int{1, 5, 10, 30} {
			w := hashfam.Must(countmin.NewWindow(countmin.WindowConfig{K: k, Keys: 10_000, MemoryBytes: kib << 10}))
			requests := slices.Clone(data.RequestsWeb12())
			for i, page := range requests {
				if kib == 12 && i%10 == 0 {
					page = long
				}
				requests[i] = page
				w.AddString(page)
				if i%5000 > 0 {
					continue
				}
				counts := map[string]uint64{}
				for _, covered := range requests[i+1-int(w.Total()) : i+1] {
					counts[covered]++
				}
				least := uint64(len(requests))
				for key := range w.All() {
					least = min(least, counts[key])
					delete(counts, key)
				}
				complete, bound := w.Complete(), w.OmittedBound()
				results[complete]++
				for key, n := range counts {
					require.LessOrEqual(t, n, bound, "%.9s in %v", key, w)
					require.True(t, !complete || n <= least, "%.9s is more frequent than one of the top %d of %v", key, k, w)
				}
			}
		}
	}
	require.Greater(t, results[true], 20)
	require.Greater(t, results[false], 20)
}

const perMinute = 100

func newMinute(fam hashfam.Family, clients uint64) (*sharded.Of[*countmin.Sketch], error) {
	return sharded.New(64, func(int) (*countmin.Sketch, error) {
		return countmin.New(countmin.Config{Width: clients/128 + 1, Depth: 4, CounterBits: 8, Conservative: true, Family: fam})
	})
}

// refuse reports whether a client has used up its requests for this minute, and
// otherwise counts one.
func refuse(minute *sharded.Of[*countmin.Sketch], client hashfam.Digest) (over bool) {
	minute.Do(client, func(s *countmin.Sketch) {
		if over = s.CountDigest(client) >= perMinute; !over {
			s.AddDigest(client)
		}
	})
	return over
}

// next begins another minute.
func next(minute *sharded.Of[*countmin.Sketch]) error {
	return minute.Each(func(_ int, s *countmin.Sketch) error {
		s.Reset()
		return nil
	})
}

// refuseSliding is like refuse for the last 60 seconds.
func refuseSliding(minute *countmin.Window, client string, now time.Time) bool {
	minute.Advance(now)
	if minute.EstimateString(client).High >= perMinute {
		return true
	}
	minute.AddString(client)
	return false
}

// 200 of 20,000 clients send 200 requests in a minute, of which 100, or almost
// 100, are accepted. The other clients send 20, which are all accepted.
func TestRateLimitsRefuseOnlyExcessRequests(t *testing.T) {
	const clients, greedy = 20_000, 200
	fixed, err := newMinute(hashfam.Family{}, clients)
	require.NoError(t, err)
	sliding, err := countmin.NewWindow(countmin.WindowConfig{Phi: 0.001, Span: time.Minute, MemoryBytes: 10 * clients})
	require.NoError(t, err)
	size, passed, now := uint64(0), [2][2]int{}, time.Unix(0, 0)
	require.NoError(t, fixed.Each(func(_ int, s *countmin.Sketch) error { size += s.SizeBytes(); return nil }))
	for round := range 200 {
		now = now.Add(time.Minute / 201)
		for i := range clients {
			if i >= greedy && round%10 > 0 {
				continue
			}
			client, kind := fmt.Sprint(i), min(i/greedy, 1)
			if !refuse(fixed, hashfam.Family{}.SumString(client)) {
				passed[0][kind]++
			}
			if !refuseSliding(sliding, client, now) {
				passed[1][kind]++
			}
		}
	}
	require.EqualValues(t, 40_192, size)
	require.LessOrEqual(t, sliding.SizeBytes(), uint64(10*clients))
	for way, least := range []int{19_980, 19_600} {
		require.Equal(t, (clients-greedy)*20, passed[way][1], "no other client is refused")
		require.GreaterOrEqual(t, passed[way][0], least)
		require.LessOrEqual(t, passed[way][0], greedy*perMinute)
	}
	require.NoError(t, next(fixed))
	require.False(t, refuse(fixed, hashfam.Family{}.SumString("0")))
}
