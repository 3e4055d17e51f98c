package cuckoo

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// The alternative: the two buckets of a fingerprint add up to a number of its
// own,
//
//	i + j = sum(fingerprint)  mod buckets
//
// so each is the sum less the other (Lang, Neumann, Kemper and Boncz, VLDB 12,
// 2019). The number of buckets is even and all sums are odd, so the two differ.
// It takes a few instructions less than the rotated XOR and is not the step of
// the paper. BenchmarkXorAgainstSum compares whole filters.
type sums relocation

func (r *sums) other(i, fp uint64) uint64 {
	h := (fp ^ r.key) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>32) * 0x94D049BB133111EB
	j, borrow := bits.Sub64(hashfam.Reduce(h, r.buckets)|1, i, 0)
	return j + r.buckets&-borrow
}

// A sumFilter is a Filter with the sum in the place of the rotated XOR: what
// differs in Filter's code, and nothing else.
type sumFilter struct{ Filter }

func (f *sumFilter) sums() *sums { return (*sums)(&f.moves) }

// start returns a key's first bucket, which here need not wait for anything,
// and its fingerprint.
func (f *sumFilter) start(d hashfam.Digest) (i, fp uint64) {
	i, rest := split(uint64(d.Probe()), f.moves.buckets)
	return i, 1 + hashfam.Reduce(rest, f.table.mask)
}

func (f *sumFilter) add(d hashfam.Digest) error { return f.insert(f.start(d)) }

func (f *sumFilter) insert(i, fp uint64) error {
	j := f.sums().other(i, fp)
	if !f.table.putEither(i, j, fp) {
		if err := f.evict(i, j, fp); err != nil {
			return err
		}
	}
	f.count++
	return nil
}

func (f *sumFilter) evict(i, j, fp uint64) error {
	if f.table.copies(i, fp)+f.table.copies(j, fp) == 2*slots {
		return ErrCopies
	}
	var queue [near]uint64
	queue[0], queue[1] = i, j
	if last := f.search(queue[:]); last > 0 {
		f.table.shift(queue[:], last, fp)
		return nil
	}
	return f.evictFar(i, j, fp)
}

//go:noinline
func (f *sumFilter) evictFar(i, j, fp uint64) error {
	var queue [far]uint64
	queue[0], queue[1] = i, j
	last := f.search(queue[:min(far, patience*f.params.Buckets)])
	if last == 0 {
		return errFull
	}
	f.table.shift(queue[:], last, fp)
	return nil
}

func (f *sumFilter) search(queue []uint64) int {
	t, moves := &f.table, *f.sums()
	for from, to := 0, 2; to+slots <= len(queue); from, to = from+1, to+slots {
		i, next := queue[from], queue[to:to+slots]
		if t.kind == single {
			w := t.load(i * t.stride)
			for s := range next {
				j := moves.other(i, w&t.mask)
				w >>= t.width & 63
				next[s] = j
				if t.matches(t.load(j*t.stride), 0) != 0 {
					return to + s
				}
			}
			continue
		}
		a, b := t.lanes(i)
		for s := range next {
			j := moves.other(i, t.lane(a, b, s))
			next[s] = j
			if t.has(j, 0) {
				return to + s
			}
		}
	}
	return 0
}

func (f *sumFilter) Add(key []byte) error {
	return f.insert(f.start(f.params.Family.Sum(key)))
}

func (f *sumFilter) Contains(key []byte) bool {
	return f.find(f.start(f.params.Family.Sum(key)))
}

func (f *sumFilter) find(i, fp uint64) bool {
	return f.table.hasEither(i, f.sums().other(i, fp), fp)
}

func (f *sumFilter) ContainsAll(dst []bool, keys [][]byte) []bool {
	var buf [batch.Size]hashfam.Digest
	dst = slices.Grow(dst, len(keys))
	for len(keys) > 0 {
		n := min(len(keys), batch.Size)
		digests := f.params.Family.SumAll(buf[:0], keys[:n])
		keys = keys[n:]
		dst = dst[:len(dst)+n]
		f.findAll(dst[len(dst)-n:], digests)
	}
	return dst
}

func (f *sumFilter) findAll(found []bool, digests []hashfam.Digest) {
	t := &f.table
	found = found[:len(digests)]
	if t.kind != single {
		for k, d := range digests {
			found[k] = f.find(f.start(d))
		}
		return
	}
	for k, d := range digests {
		i, fp := f.start(d)
		j := f.sums().other(i, fp)
		x := t.matches(t.load(i*t.stride), fp)
		y := t.matches(t.load(j*t.stride), fp)
		found[k] = x|y != 0
	}
}

// Both ways reach the same load. It varies from table to table by 0.22 over the
// root of the number of slots; the means of twenty tables of 3,000 buckets or
// more are a quarter of 0.002 exact. They are more than 0.005 apart, seven
// standard deviations of the difference, with probability below 1e-11.
func TestRotatedXorAndTheSumFillAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	const tables = 20
	for _, m := range []uint64{3000, 4094, 4096, 4098} {
		p := Params{Buckets: m, FingerprintBits: 12}
		r := rand.New(rand.NewPCG(9, m))
		f, g := mustNew(t, p), &sumFilter{*mustNew(t, p)}
		xor, sum := 0, 0
		for range tables {
			f.Reset()
			g.Reset()
			f.moves.key, g.moves.key = r.Uint64(), r.Uint64()
			for f.AddDigest(hashfam.Digest(r.Uint64())) == nil {
				xor++
			}
			for g.add(hashfam.Digest(r.Uint64())) == nil {
				sum++
			}
		}
		s := float64(tables * p.slots())
		t.Logf("m = %d: mean load at the first failure: rotated XOR %.4f, sum %.4f", m, float64(xor)/s, float64(sum)/s)
		require.InDelta(t, float64(sum)/s, float64(xor)/s, 0.005)
		require.InDelta(t, 0.978, float64(xor)/s, 0.005)
	}
}

// A contender is a filter in BenchmarkXorAgainstSum.
type contender interface {
	Add(key []byte) error
	Contains(key []byte) bool
	ContainsAll(dst []bool, keys [][]byte) []bool
	Reset()
	memory() *[]byte
}

func (f *Filter) memory() *[]byte { return &f.table.bytes }

// BenchmarkXorAgainstSum compares the filter with the one that differs only in
// how the second bucket is computed, both in the same memory. A round times the
// two in turns; -benchtime 15x asks for 15 rounds. It prints the medians of the
// times per key, and of the rounds' ratios.
func BenchmarkXorAgainstSum(b *testing.B) {
	for _, n := range []int{1_000_000, 10_000_000} {
		const queries = 1_000_000
		keys := randomKeys(n + queries)
		for _, sorted := range []bool{false, true} {
			c := Config{Capacity: uint64(n), FPRate: 0.01, Compact: sorted}
			f, err := New(c)
			require.NoError(b, err)
			pair := [2]contender{f, &sumFilter{*f.Clone()}}
			fill := func(f contender) {
				f.Reset()
				for _, key := range keys[:n] {
					if err := f.Add(key); err != nil {
						b.Fatal(err)
					}
				}
			}
			fill(pair[0])
			fill(pair[1])
			name := fmt.Sprintf("n=%d/Compact=%v/", n, sorted)
			answers := make([]bool, 0, queries)
			for query, keys := range map[string][][]byte{"hit": keys[:queries], "miss": keys[n:]} {
				duel(b, name+"Contains/"+query, pair, queries, func(f contender) {
					for _, key := range keys {
						f.Contains(key)
					}
				})
				duel(b, name+"ContainsAll/"+query, pair, queries, func(f contender) { f.ContainsAll(answers, keys) })
			}
			duel(b, name+"Add", pair, n, fill)
		}
	}
}

func randomKeys(n int) [][]byte {
	r, flat, keys := rand.New(rand.NewPCG(1, 2)), make([]byte, 0, 16*n), make([][]byte, n)
	for i := range keys {
		flat = binary.LittleEndian.AppendUint64(flat, r.Uint64())
		flat = binary.LittleEndian.AppendUint64(flat, r.Uint64())
		keys[i] = flat[16*i:]
	}
	return keys
}

func duel(b *testing.B, name string, pair [2]contender, keys int, run func(contender)) {
	b.Run(name, func(b *testing.B) {
		shared := slices.Clone(*pair[0].memory())
		var times [2][]time.Duration
		var ratios []float64
		for round := range b.N {
			var took [2]time.Duration
			for k := range pair {
				k = (k + round) % 2
				own := *pair[k].memory()
				copy(shared, own)
				*pair[k].memory() = shared
				start := time.Now()
				run(pair[k])
				took[k] = time.Since(start)
				*pair[k].memory() = own
				times[k] = append(times[k], took[k])
			}
			ratios = append(ratios, float64(took[0])/float64(took[1]))
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(median(times[0]))/float64(keys), "xor-ns/key")
		b.ReportMetric(float64(median(times[1]))/float64(keys), "sum-ns/key")
		b.ReportMetric(median(ratios), "xor/sum")
	})
}

func median[T cmp.Ordered](values []T) T {
	slices.Sort(values)
	return values[len(values)/2]
}
