package main

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/filterfam/filterfam/bloom"
	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/sharded"
	"github.com/filterfam/filterfam/internal/compare/measure"
)

// A shared filter is used by several goroutines.
type shared struct {
	name     string
	add      func([]byte)
	contains func([]byte) bool
}

// sharedFilters returns filters for n keys at 1 % that goroutines may share. A
// filter that is not made for that is behind a lock. plain is not: it is only
// read.
func sharedFilters(n int) []shared {
	c := bloom.Config{Capacity: uint64(n), FPRate: benchRate}
	all := []shared{{"plain", func([]byte) {}, must(bloom.New(c)).Contains}}
	for _, c.Layout = range []bloom.Layout{bloom.Classic, bloom.Blocked} {
		f := must(bloom.NewConcurrent(c))
		all = append(all, shared{c.Layout.String(), f.Add, f.Contains})
	}
	h := must(measure.Named("holiman")[0].Build(uint64(n), benchRate, hashfam.Family{}))
	return append(all, shardedCounting(n), lockedPeer(n), shared{"holiman", func(key []byte) { _ = h.Add(key) }, h.Contains})
}

func shardedCounting(n int) shared {
	const shards = 64
	f := must(sharded.New(shards, func(int) (*counting.Filter, error) {
		return counting.New(counting.Config{Capacity: sharded.Capacity(uint64(n), shards), FPRate: benchRate, Layout: counting.Blocked})
	}))
	return shared{"counting-sharded", func(key []byte) {
		d := hashfam.Family{}.Sum(key)
		f.Do(d, func(shard *counting.Filter) { shard.AddDigest(d) })
	}, func(key []byte) (found bool) {
		d := hashfam.Family{}.Sum(key)
		f.Do(d, func(shard *counting.Filter) { found = shard.ContainsDigest(d) })
		return found
	}}
}

// lockedPeer is bits-and-blooms behind a lock that admits many readers.
func lockedPeer(n int) shared {
	f, lock := must(measure.NewPeerBloom(uint64(n), benchRate, hashfam.Family{})), new(sync.RWMutex)
	return shared{"bnb-rwmutex", func(key []byte) {
		lock.Lock()
		_ = f.Add(key)
		lock.Unlock()
	}, func(key []byte) bool {
		lock.RLock()
		defer lock.RUnlock()
		return f.Contains(key)
	}}
}

// BenchmarkShared measures how many operations one and two goroutines do in a
// microsecond, 90 % Contains and 10 % Add, in filters for a million keys of
// which they have half. plain does only the Contains: it is what the machine
// gives. Half of the queries are for absent keys; all keys added are new.
//
// The contestants run in turn, in many rounds. Each goroutine notes the time
// after every few operations. Only the time counts in which all of them run: a
// longer pause means that the system ran something else.
func BenchmarkShared(b *testing.B) {
	members, absent := benchKeys(b)
	filters, half := sharedFilters(len(members)), len(members)/2
	for _, f := range filters {
		for _, key := range members[:half] {
			f.add(key)
		}
	}
	const rounds = 20
	rates := map[string][]float64{}
	for b.Loop() {
		for round := range rounds * 2 {
			for _, f := range filters {
				goroutines := 1 + round%2
				first := (3*(round/2) + round%2) * sharedOperations
				rate := throughput(goroutines, func(op int) {
					at := (first + op) % half
					switch {
					case op%10 == 0:
						f.add(members[half+(first+op)/10%half])
					case op%2 == 0:
						f.contains(members[at])
					default:
						f.contains(absent[at])
					}
				})
				if rate > 0 {
					unit := fmt.Sprintf("%s-%d/us", f.name, goroutines)
					rates[unit] = append(rates[unit], rate)
				}
			}
		}
	}
	b.ReportMetric(0, "ns/op") // means nothing here
	for unit, list := range rates {
		b.ReportMetric(measure.Median(list), unit)
	}
}

const (
	sharedOperations = 200_000 // of each goroutine in a round
	sharedBlock      = 100     // operations from one time to the next
	longestPause     = 200 * time.Microsecond
)

// throughput returns how many operations goroutines do together in a
// microsecond, or 0 if they did not run at the same time for a millisecond.
func throughput(goroutines int, do func(op int)) float64 {
	var done sync.WaitGroup
	start, stamps := time.Now(), make([][]time.Duration, goroutines)
	for worker := range goroutines {
		stamps[worker] = make([]time.Duration, 0, sharedOperations/sharedBlock)
		done.Go(func() {
			for op := range sharedOperations {
				do(worker*sharedOperations + op)
				if op%sharedBlock == 0 {
					stamps[worker] = append(stamps[worker], time.Since(start))
				}
			}
		})
	}
	done.Wait()
	var time time.Duration
	blocks := 0
	for _, busy := range together(stamps) {
		time += busy.to - busy.from
		for _, list := range stamps {
			from, _ := slices.BinarySearch(list, busy.from)
			to, _ := slices.BinarySearch(list, busy.to)
			blocks += to - from
		}
	}
	if time.Milliseconds() < 1 {
		return 0
	}
	return 1e3 * float64(blocks*sharedBlock) / float64(time)
}

// A span is a time in which goroutines run.
type span struct{ from, to time.Duration }

// together returns the spans in which all lists of times have no pause.
func together(stamps [][]time.Duration) []span {
	common := []span{{0, time.Hour}}
	for _, list := range stamps {
		var both []span
		for _, own := range busy(list) {
			for _, other := range common {
				if s := (span{max(own.from, other.from), min(own.to, other.to)}); s.from < s.to {
					both = append(both, s)
				}
			}
		}
		common = both
	}
	return common
}

// busy returns the spans in which a list of times has no pause.
func busy(list []time.Duration) (spans []span) {
	first := 0
	for i := 1; i <= len(list); i++ {
		if i == len(list) || list[i]-list[i-1] > longestPause {
			spans = append(spans, span{list[first], list[i-1]})
			first = i
		}
	}
	return spans
}

func TestTogetherLeavesOutPauses(t *testing.T) {
	const unit = longestPause / 2
	times := func(list ...int) (stamps []time.Duration) {
		for _, i := range list {
			stamps = append(stamps, time.Duration(i)*unit)
		}
		return stamps
	}
	assert.Equal(t, []span{{2 * unit, 3 * unit}, {11 * unit, 12 * unit}},
		together([][]time.Duration{times(1, 2, 3, 10, 11, 12), times(2, 3, 4, 5, 11, 12, 13)}))
	assert.Empty(t, together([][]time.Duration{times(1, 2), times(4, 5)}))
}
