package cuckoo

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// requireWhole checks that s has all keys of the model, and that its pages hold
// as many fingerprints of each length as it counts.
func requireWhole(t *testing.T, s *Scalable, model map[hashfam.Digest]int) {
	t.Helper()
	n := uint64(0)
	for d, copies := range model {
		n += uint64(copies)
		if s.CountDigest(d) < uint64(copies) || copies > 0 && !s.ContainsDigest(d) {
			require.FailNow(t, "lost a key", "%v counts %d of %d copies", s, s.CountDigest(d), copies)
		}
	}
	require.Equal(t, n, s.Len())
	recount := newScalable(s.config)
	for p := range s.all() {
		q := *p
		q.taken = 0
		require.NoError(t, recount.takeStock(&q))
		require.Equal(t, p.taken, q.taken, "fingerprints in a page")
	}
	require.Equal(t, recount.known, s.known)
	require.Equal(t, n, recount.count)
	decoded := NewScalableReceiver(s.config.Family)
	require.NoError(t, decoded.UnmarshalBinary(encodeOf(t, s)))
	require.True(t, decoded.Equal(s))
}

func encodeOf(t require.TestingT, s *Scalable) []byte {
	b, err := s.MarshalBinary()
	require.NoError(t, err)
	return b
}

// A churn changes a filter and an exact model of it at random.
type churn struct {
	s     *Scalable
	model map[hashfam.Digest]int
	live  []hashfam.Digest // a key for each copy
	r     *rand.Rand
}

func newChurn(t *testing.T, c ScalableConfig, seed uint64) *churn {
	return &churn{mustScale(t, c), map[hashfam.Digest]int{}, nil, rand.New(rand.NewPCG(seed, 99))}
}

// add adds n keys, one in five of which is a copy.
func (c *churn) add(t *testing.T, n int) {
	for range n {
		d := c.pick()
		if err := c.s.AddDigest(d); err != nil {
			pl, k := c.s.locate(d)
			if few := uint64(pl.page(k.bits).taken) < slots*c.s.buckets/8; !few || errors.Is(err, ErrCopies) {
				require.ErrorIs(t, err, ErrCopies)
				require.GreaterOrEqual(t, c.s.CountDigest(d), uint64(8))
			}
			continue
		}
		c.model[d]++
		c.live = append(c.live, d)
		if !c.s.ContainsDigest(d) {
			require.FailNow(t, "lost a key as it was added")
		}
	}
}

// pick returns a new key or, one time in five, one that there is.
func (c *churn) pick() hashfam.Digest {
	if c.r.IntN(5) == 0 && len(c.live) > 0 {
		return c.live[c.r.IntN(len(c.live))]
	}
	return hashfam.Digest(c.r.Uint64())
}

// remove deletes n of the copies.
func (c *churn) remove(t *testing.T, n int) {
	for range n {
		k := c.r.IntN(len(c.live))
		d := c.live[k]
		if !c.s.DeleteDigest(d) {
			require.FailNow(t, "a key that was added could not be deleted")
		}
		c.model[d]--
		last := len(c.live) - 1
		c.live[k], c.live = c.live[last], c.live[:last]
	}
}

// Whatever is added and deleted, in pages that split and through two levels of
// older directories, every copy stays, and all can be deleted.
func TestScalableEqualsAMultiset(t *testing.T) {
	n := 4000
	if conformance.Long(t, 2, 0.1) {
		n = 100_000
	}
	for k, c := range []ScalableConfig{
		{Expected: 1, FPRate: 0.9},
		{Expected: 1, FPRate: 0.9, Compact: true},
		{Expected: 1000, FPRate: 0.01},
		{Expected: 100, FPRate: 1e-6},
		{Expected: 100, FPRate: 1e-5, Compact: true},
	} {
		x := newChurn(t, c, uint64(k))
		for _, share := range []int{2, 3, 1, 10} {
			x.add(t, n)
			requireWhole(t, x.s, x.model)
			x.remove(t, len(x.live)/share)
			requireWhole(t, x.s, x.model)
		}
		x.remove(t, len(x.live))
		requireWhole(t, x.s, x.model)
		require.Zero(t, x.s.Len())
		require.Less(t, x.s.FalsePositiveRate(), 1e-15)
	}
}

// The rate grows with every split and stays below FPRate. What
// FalsePositiveRate says differs from the share of false positives by less than
// five standard deviations of a binomial number and of a sample of families.
func TestScalableKeepsItsRateAsItGrows(t *testing.T) {
	times := []int{1, 3, 10, 30}
	if conformance.Long(t, 0.2, 0.1) {
		times = append(times, 100, 300, 1000)
	}
	for _, c := range []ScalableConfig{{Expected: 2000, FPRate: 0.01}, {Expected: 1000, FPRate: 0.3, Compact: true}} {
		s, r := mustScale(t, c), rand.New(rand.NewPCG(5, 6))
		for _, x := range times {
			for s.Len() < uint64(x)*c.Expected {
				require.NoError(t, s.AddDigest(hashfam.Digest(r.Uint64())))
			}
			const queries = 200_000
			found := 0
			for range queries {
				if s.ContainsDigest(hashfam.Digest(r.Uint64())) {
					found++
				}
			}
			rate := s.FalsePositiveRate()
			t.Logf("%v at %dx: rate %.5f, measured %.5f, %.2f bits per key, %d pages", c, x, rate,
				float64(found)/queries, 8*float64(s.SizeBytes())/float64(s.Len()), s.Pages())
			require.Less(t, rate, c.FPRate)
			require.InDelta(t, rate, float64(found)/queries, 5*math.Sqrt(rate/queries)+0.03*rate)
		}
	}
}

// The rates of the keys of all depths add up to less than FPRate.
func TestPlannedTailsKeepTheRate(t *testing.T) {
	for rate := minScalableRate; rate < 1; rate *= 1.07 {
		tails := planTails(rate)
		sum := tailRate(int(tails[0]))
		for d := 1; d <= maxDepth; d++ {
			require.GreaterOrEqual(t, tails[d], tails[d-1])
			sum += tailRate(int(tails[d])) / 2
		}
		require.LessOrEqual(t, sum, rate, "rate %g", rate)
	}
}

// Eight copies go in, and a ninth does not, also if the first ones have become
// orphans.
func TestScalableTakesEightCopies(t *testing.T) {
	s := mustScale(t, ScalableConfig{Expected: 1, FPRate: 0.9})
	d := hashfam.Digest(12345)
	for range 8 {
		require.NoError(t, s.AddDigest(d))
	}
	before := encodeOf(t, s)
	require.ErrorIs(t, s.AddDigest(d), ErrCopies)
	require.ErrorIs(t, s.AddDigest(d), ErrFull)
	require.Equal(t, before, encodeOf(t, s))
	r := rand.New(rand.NewPCG(7, 8))
	for len(s.plots[0].older) == 0 || s.plots[0].page(0).count(locus{}) > 0 || s.Pages() < 200 {
		if s.AddDigest(hashfam.Digest(r.Uint64())) != nil {
			continue // a key that collides with the copies
		}
		require.GreaterOrEqual(t, s.CountDigest(d), uint64(8))
	}
	_, k := s.locate(d)
	require.Less(t, s.plots[0].page(k.bits).count(k), 8, "copies have become orphans")
	require.ErrorIs(t, s.AddDigest(d), ErrCopies)
	for range 8 {
		require.True(t, s.DeleteDigest(d))
	}
}

// inverse is the inverse of hashfam's multiplier modulo 2^64.
var inverse = func() uint64 {
	m, x := uint64(hashfam.Digest(1).Probe()), uint64(1)
	for range 6 {
		x *= 2 - m*x // Newton's iteration doubles the correct bits
	}
	return x
}()

// Keys that someone chose, all in one page however often it splits, are refused
// at last: memory stays in proportion, and no key is lost.
func TestChosenKeysCannotMakeAScalableHuge(t *testing.T) {
	s, r := mustScale(t, ScalableConfig{Expected: 1, FPRate: 0.01}), rand.New(rand.NewPCG(9, 10))
	var in []hashfam.Digest
	for {
		d := hashfam.Digest((0xABCDEF<<40 | r.Uint64()>>24) * inverse)
		if err := s.AddDigest(d); err != nil {
			require.ErrorIs(t, err, ErrFull)
			require.NotErrorIs(t, err, ErrCopies)
			break
		}
		in = append(in, d)
	}
	t.Logf("%d keys, %d pages, %d bytes", len(in), s.Pages(), s.SizeBytes())
	require.Greater(t, len(in), 400)
	require.Less(t, s.SizeBytes(), uint64(100_000))
	model := map[hashfam.Digest]int{}
	for _, d := range in {
		model[d]++
	}
	requireWhole(t, s, model)
}

// If an orphan finds no room, the page does not split, and those that did find
// room are taken back.
func TestAFailedSplitLosesNoKey(t *testing.T) {
	c := newChurn(t, ScalableConfig{Expected: 1, FPRate: 0.9}, 11)
	for len(c.s.plots[0].older) == 0 {
		c.add(t, 1)
	}
	old := &c.s.plots[0].older[0]
	const depth = 4 // the first orphans know five bits, so these pages cannot split
	full, filled := directory{depth: depth, count: 1 << depth}, uint64(0)
	for n := range 1 << depth {
		p := c.s.newPage(depth, c.s.tails[depth])
		if n >= 1<<depth*7/8 { // room for one or two orphans, the others are empty
			for ; p.taken < c.s.most()-1-uint32(n)%2; p.taken++ {
				p.table.put(uint64(p.taken/slots), (uint64(1+p.taken%partners)<<(p.tail+1)|1)^p.free)
			}
			filled += uint64(p.taken)
		}
		full.pages = append(full.pages, p)
	}
	orphans := old.pages
	*old = full
	refused := 0
	for range 30_000 {
		d := hashfam.Digest(c.r.Uint64())
		pl, k := c.s.locate(d)
		depth := pl.page(k.bits).depth
		if err := c.s.AddDigest(d); err == ErrCopies || err == nil {
			continue
		}
		refused++
		require.Equal(t, depth, pl.page(k.bits).depth, "the page has split")
	}
	require.NotZero(t, refused)
	n := uint64(0)
	for p := range c.s.all() {
		n += uint64(p.taken)
	}
	lost := uint64(0)
	for _, p := range orphans {
		lost += uint64(p.taken)
	}
	require.Equal(t, c.s.Len()-lost+filled, n, "a split that failed left orphans behind")
}

func TestScalableConfigsAreChecked(t *testing.T) {
	for _, c := range []ScalableConfig{
		{FPRate: 0.01}, {Expected: 1}, {Expected: 1, FPRate: 1}, {Expected: 1, FPRate: 9e-7},
		{Expected: 1, FPRate: math.NaN()}, {Expected: math.MaxUint64, FPRate: 0.01}, {Expected: 1 << 46, FPRate: 0.01},
	} {
		s, err := NewScalable(c)
		require.ErrorIs(t, err, ErrParams, fmt.Sprint(c))
		require.Nil(t, s)
	}
}

func TestAZeroScalable(t *testing.T) {
	var s Scalable
	require.True(t, s.ContainsString("x"))
	require.Equal(t, []bool{true}, s.ContainsAllStrings(nil, []string{"x"}))
	require.ErrorIs(t, s.AddString("x"), ErrFull)
	found, err := s.ContainsOrAddString("x")
	require.True(t, found)
	require.NoError(t, err)
	require.False(t, s.DeleteString("x"))
	require.EqualValues(t, 8, s.CountString("x"))
	require.Equal(t, 1.0, s.FalsePositiveRate())
	require.Equal(t, 1.0, s.FillRatio())
	require.Zero(t, s.Pages()+int(s.Len()+s.SizeBytes()))
	s.Reset()
	_, err = s.MarshalBinary()
	require.ErrorIs(t, err, ErrParams)
	require.True(t, s.Equal(s.Clone()))
}

// Copies of a few keys that fill the buckets of others do not make a page split
// that is almost empty.
func TestCopiesDoNotSplitAnEmptyPage(t *testing.T) {
	s, r := mustScale(t, ScalableConfig{Expected: 1, FPRate: 0.01}), rand.New(rand.NewPCG(12, 13))
	for err := error(nil); !errors.Is(err, ErrFull) || errors.Is(err, ErrCopies); {
		for d, n := hashfam.Digest(r.Uint64()), 0; n < 8; n++ {
			if err = s.AddDigest(d); err != nil {
				break
			}
		}
	}
	require.Less(t, s.Len(), slots*s.buckets/8)
	require.Equal(t, 1, s.Pages())
}

// Random keys and operations on filters that someone changed before they were
// encoded: nothing panics, and what is refused is not half done.
func TestForeignDirectoriesDoNotPanic(t *testing.T) {
	for seed := range uint64(20) {
		c := newChurn(t, ScalableConfig{Expected: 1, FPRate: 0.9}, seed)
		for len(c.s.plots[0].older) == 0 {
			c.add(t, 100)
		}
		pl := &c.s.plots[0]
		switch seed % 4 { // directories that growth does not lead to
		case 0:
			pl.older = nil
		case 1:
			pl.older = append(pl.older, pl.directory.clone())
		case 2:
			pl.older[0] = pl.directory.clone()
		case 3:
			pl.directory, pl.older[0] = pl.older[0], pl.directory
		}
		c.s.count = 0
		clear(c.s.known[:])
		for p := range c.s.all() {
			p.taken = 0
			require.NoError(t, c.s.takeStock(p))
		}
		before := c.s.Clone()
		require.NoError(t, c.s.UnmarshalBinary(encodeOf(t, before)))
		require.True(t, c.s.Equal(before))
		for range 5000 {
			d := hashfam.Digest(c.r.Uint64())
			if c.s.AddDigest(d) == nil {
				require.True(t, c.s.ContainsDigest(d))
			}
			if c.r.IntN(3) == 0 {
				c.s.DeleteDigest(hashfam.Digest(c.r.Uint64()))
			}
		}
		n := uint64(0)
		for p := range c.s.all() {
			n += uint64(p.taken)
		}
		require.Equal(t, n, c.s.Len())
	}
}

// The size is known before the filter is made.
func TestScalableConfigsKnowTheSizeOfANewFilter(t *testing.T) {
	for _, c := range []ScalableConfig{
		{Expected: 1, FPRate: 0.5}, {Expected: 10_000, FPRate: 0.01}, {Expected: 123_456, FPRate: 0.0001, Compact: true},
	} {
		s, err := NewScalable(c)
		require.NoError(t, err)
		require.Equal(t, s.SizeBytes(), c.SizeBytes(), "%v", c)
	}
	for _, c := range []ScalableConfig{{}, {Expected: 1}, {Expected: 1 << 62, FPRate: 0.01}} {
		require.Zero(t, c.SizeBytes(), "%v", c)
	}
}
