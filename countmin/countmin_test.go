package countmin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/batch"
)

// cells returns the counters as they are, whatever their size.
func (s *Sketch) cells() []uint64 {
	if s.wide != nil {
		return s.wide
	}
	cells := make([]uint64, len(s.narrow))
	for i, c := range s.narrow {
		cells[i] = uint64(c)
	}
	return cells
}

func sum(cells []uint64) uint64 {
	n := uint64(0)
	for _, c := range cells {
		n += c
	}
	return n
}

// The model of a sketch is a map. Whatever happens to both, no count is below
// the truth, every row of a plain sketch adds up to the total, and conservative
// update counts no key higher than plain update does.
func TestSketchesBesideAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t, false)
		plain := mustNew(t, p)
		p.Conservative = true
		careful := mustNew(t, p)
		truth := map[string]uint64{}
		merged := false // then conservative may be above plain
		key := rapid.Custom(func(t *rapid.T) string { return fmt.Sprint(rapid.IntRange(0, 40).Draw(t, "key")) })
		count := rapid.Uint64Range(0, 1000)
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				k := key.Draw(t, "key")
				plain.AddString(k)
				careful.AddString(k)
				truth[k]++
			},
			"add n": func(t *rapid.T) {
				k, n := key.Draw(t, "key"), count.Draw(t, "n")
				plain.AddN([]byte(k), n)
				careful.AddNString(k, n)
				truth[k] += n
			},
			"merge": func(t *rapid.T) {
				a, b := plain.Clone(), careful.Clone()
				a.Reset()
				b.Reset()
				for range 5 {
					k, n := key.Draw(t, "key"), count.Draw(t, "n")
					a.AddNString(k, n)
					b.AddNString(k, n)
					truth[k] += n
				}
				require.NoError(t, plain.Merge(a))
				require.NoError(t, careful.Merge(b))
				merged = true
			},
			"remove": func(t *rapid.T) {
				k := key.Draw(t, "key")
				if truth[k] == 0 {
					return
				}
				n := rapid.Uint64Range(1, truth[k]).Draw(t, "n")
				require.NoError(t, plain.RemoveNString(k, n))
				// The conservative one cannot; it starts again.
				truth[k] -= n
				careful.Reset()
				merged = true
				for k, n := range truth {
					careful.AddNString(k, n)
				}
			},
			"": func(t *rapid.T) {
				total := uint64(0)
				for k, n := range truth {
					total += n
					require.GreaterOrEqual(t, plain.CountString(k), n)
					require.GreaterOrEqual(t, careful.CountString(k), n)
					if !merged {
						require.LessOrEqual(t, careful.CountString(k), plain.CountString(k))
					}
					low, high := plain.BoundsString(k)
					require.Equal(t, plain.CountString(k), high)
					require.Equal(t, high-min(high, plain.ErrorBound()), low)
				}
				require.Equal(t, total, plain.Total())
				require.Equal(t, total, careful.Total())
				w := p.Width
				for row := range uint64(p.Depth) {
					require.Equal(t, total, sum(plain.cells()[row*w:(row+1)*w]), "row %d", row)
					require.LessOrEqual(t, sum(careful.cells()[row*w:(row+1)*w]), total, "row %d", row)
				}
			},
		})
	})
}

// Rows must be independent: keys that share a counter in one row share one in
// another as often as any keys do, and the textbook's mistake of rows that are
// one function XORed with seeds makes them share one in every row. 400,000
// pairs of keys that agree in row a agree in row b 400,000/w times on average;
// six standard deviations happen by chance to less than 1 in 10^8, 36 times
// tried.
func TestRowsAreIndependent(t *testing.T) {
	const w, depth, pairs = 64, 4, 400_000
	for _, construction := range []struct {
		name  string
		rows  func(d hashfam.Digest) [depth]uint64
		sound bool
	}{
		{"the sketch's own", rowsOf(w, depth), true},
		{"XORed with a seed", func(d hashfam.Digest) (at [depth]uint64) {
			for i, seed := range [depth]uint64{0x3f, 0x1234567, 0x89, 0xabcdef} {
				at[i] = (uint64(d) ^ seed) % w
			}
			return at
		}, false},
		{"an arithmetic progression", func(d hashfam.Digest) (at [depth]uint64) {
			for i := range at {
				at[i] = (uint64(uint32(d)) + uint64(i)*uint64(d>>32)) % w
			}
			return at
		}, false},
	} {
		// together[a][b] counts pairs that agree in rows a and b, among pairs
		// that agree in row a; triple those that then agree in a third too.
		var together [depth][depth]int
		triple := 0
		r := rand.New(rand.NewPCG(7, 7))
		for a := range depth {
			var last [w][depth]uint64
			var seen [w]bool
			for n := 0; n < pairs; {
				at := construction.rows(hashfam.Family{}.SumUint64(r.Uint64()))
				if b := at[a]; seen[b] {
					agree := 0
					for j := range depth {
						if at[j] == last[b][j] {
							together[a][j]++
							agree++
						}
					}
					if agree >= 3 {
						triple++
					}
					n++
				}
				last[at[a]], seen[at[a]] = at, true
			}
		}
		sound := true
		within := func(got int, n, share float64) {
			mean := n * share
			if math.Abs(float64(got)-mean) > 6*math.Sqrt(mean) {
				sound = false
			}
		}
		for a := range depth {
			for b := range depth {
				if a != b {
					within(together[a][b], pairs, 1.0/w)
				}
			}
		}
		// Three of four rows: a and any two of three, less what is counted
		// thrice where all agree. Neighboring pairs share a key, which widens
		// the distribution a little; the unsound ones are off by far more.
		within(triple, depth*pairs, 3.0/(w*w)-2.0/(w*w*w))
		require.Equal(t, construction.sound, sound, "%s: %v, %d", construction.name, together, triple)
	}
}

// rowsOf returns the positions at which the sketch counts a key.
func rowsOf(w uint64, depth int) func(hashfam.Digest) [4]uint64 {
	s := must(NewFromParams(Params{Width: w, Depth: depth, CounterBits: 64}))
	return func(d hashfam.Digest) (at [4]uint64) {
		s.AddDigest(d)
		for i, c := range s.wide {
			if c != 0 {
				at[i/int(w)] = uint64(i) % w
			}
		}
		s.Reset()
		return at
	}
}

func TestEachRowIsUniform(t *testing.T) {
	const w, n = 101, 100_000
	s := mustNew(t, Params{Width: w, Depth: 5, CounterBits: 32})
	for i := range uint64(n) {
		s.AddDigest(hashfam.Family{}.SumUint64(i))
	}
	for row := range 5 {
		chi := 0.0
		for _, c := range s.cells()[row*w : (row+1)*w] {
			d := float64(c) - float64(n)/w
			chi += d * d / (float64(n) / w)
		}
		// 100 degrees of freedom: below 185 except once in 10^6, and above 40.
		require.Less(t, chi, 185.0, "row %d", row)
		require.Greater(t, chi, 40.0, "row %d", row)
	}
}

func TestCountersSaturateAndUpdatesAreWhole(t *testing.T) {
	for _, careful := range []bool{false, true} {
		s := mustNew(t, Params{Width: 50, Depth: 4, CounterBits: 32, Conservative: careful})
		s.AddNString("a", math.MaxUint32-1)
		require.Equal(t, uint64(math.MaxUint32-1), s.CountString("a"))
		low, high := s.BoundsString("a")
		require.Equal(t, []uint64{math.MaxUint32 - 1 - s.ErrorBound(), math.MaxUint32 - 1}, []uint64{low, high})
		s.AddString("a")
		for range 3 {
			s.AddNString("a", 1<<40)
			require.Equal(t, uint64(math.MaxUint32), s.CountString("a"), "does not wrap")
		}
		full := 0
		for _, c := range s.cells() {
			require.Contains(t, []uint64{0, math.MaxUint32}, c)
			if c > 0 {
				full++
			}
		}
		require.Equal(t, 4, full, "one counter in every row")
		require.Equal(t, uint64(math.MaxUint32+3<<40), s.Total())
		_, high = s.BoundsString("a")
		require.EqualValues(t, uint64(math.MaxUint64), high, "the maximum says no more than that")
		require.NoError(t, mustNew(t, s.Params()).UnmarshalBinary(must(s.MarshalBinary())))

		s = mustNew(t, Params{Width: 50, Depth: 4, CounterBits: 64, Conservative: careful})
		s.AddNString("a", math.MaxUint64)
		s.AddNString("a", 7)
		require.EqualValues(t, uint64(math.MaxUint64), s.CountString("a"))
		require.EqualValues(t, uint64(math.MaxUint64), s.Total())
		require.NoError(t, s.Merge(s))
		require.EqualValues(t, uint64(math.MaxUint64), s.CountString("a"))
	}
}

// A total of 2^64-1 means that or more: no share of it bounds an error. Here
// the keys count 2^71 together, and most other keys collide with one of them.
func TestAFullTotalBoundsNothing(t *testing.T) {
	s := must(New(Config{Width: 1000, Depth: 5, CounterBits: 64}))
	for key := range uint64(2000) {
		s.AddNUint64(key, 1<<60)
	}
	require.EqualValues(t, uint64(math.MaxUint64), s.Total())
	require.EqualValues(t, uint64(math.MaxUint64), s.ErrorBound())
	for key := uint64(2000); key < 3000; key++ {
		low, _ := s.BoundsUint64(key)
		require.Zero(t, low)
	}
	require.Less(t, s.params.errorBound(math.MaxUint64-1), uint64(math.MaxUint64/300))
}

// A counter at its maximum has forgotten how much it held, so it is never
// decremented: the other keys in it would be counted too low.
func TestAFullCounterIsNotDecremented(t *testing.T) {
	s := mustNew(t, Params{Width: 1, Depth: 1, CounterBits: 32})
	s.AddNString("a", math.MaxUint32)
	s.AddNString("b", 1000)
	require.NoError(t, s.RemoveNString("a", math.MaxUint32))
	require.GreaterOrEqual(t, s.CountString("b"), uint64(1000))
	require.EqualValues(t, 1000, s.Total())
}

func TestARemovalThatCannotBeIsRefusedWhole(t *testing.T) {
	s := mustNew(t, Params{Width: 1000, Depth: 3, CounterBits: 32})
	s.AddNString("a", 5)
	s.AddNString("b", 2)
	before := s.Clone()
	for _, err := range []error{s.RemoveNString("a", 6), s.RemoveString("absent"), s.RemoveN([]byte("b"), math.MaxUint64)} {
		requireField(t, err, ErrParams, "n")
		require.True(t, s.Equal(before))
	}
	require.NoError(t, s.RemoveNDigest(s.Params().Family.SumString("a"), 4))
	require.NoError(t, s.Remove([]byte("a")))
	require.NoError(t, s.RemoveDigest(s.Params().Family.SumString("b")))
	require.EqualValues(t, 0, s.CountString("a"))
	require.EqualValues(t, 1, s.CountString("b"))
	require.EqualValues(t, 1, s.Total())
}

// What conservative update breaks is refused: 50 keys of which 48 would be
// counted too low are what one gets otherwise.
func TestConservativeSketchesRefuseWhatTheyCannotDo(t *testing.T) {
	s := mustNew(t, Params{Width: 10, Depth: 3, CounterBits: 32, Conservative: true})
	s.AddNString("a", 5)
	before := s.Clone()
	requireField(t, s.RemoveString("a"), ErrParams, "Params.Conservative")
	_, err := s.InnerProduct(s)
	requireField(t, err, ErrParams, "Params.Conservative")
	require.True(t, s.Equal(before))
}

// The inner product is never too low, and over 60 families, each of which
// exceeds the bound with probability at most e^-5 = 0.0067, more than 8 exceed
// it with probability below 10^-9.
func TestInnerProductIsWithinItsBound(t *testing.T) {
	above := 0
	for i := range 60 {
		p := must(Config{Epsilon: 0.02, Delta: 0.01, Family: hashfam.Family{}.Derive(fmt.Sprint(i))}.Params())
		a, b := mustNew(t, p), mustNew(t, p)
		truth := uint64(0)
		for k := range uint64(300) {
			x, y := k%17, 1000/(k+1)
			a.AddNDigest(p.Family.SumUint64(k), x)
			b.AddNDigest(p.Family.SumUint64(k), y)
			truth += x * y
		}
		got, err := a.InnerProduct(b)
		require.NoError(t, err)
		require.GreaterOrEqual(t, got, truth)
		least, w := uint64(math.MaxUint64), int(p.Width)
		for row := 0; row < len(a.narrow); row += w {
			dot := uint64(0)
			for j := range w {
				dot += uint64(a.narrow[row+j]) * uint64(b.narrow[row+j])
			}
			least = min(least, dot)
		}
		require.Equal(t, least, got, "the least product of two rows")
		if float64(got) > float64(truth)+p.Epsilon()*float64(a.Total())*float64(b.Total()) {
			above++
		}
	}
	require.LessOrEqual(t, above, 8)
	big := mustNew(t, Params{Width: 3, Depth: 2, CounterBits: 64})
	big.AddNString("a", 1<<40)
	got, err := big.InnerProduct(big)
	require.NoError(t, err)
	require.EqualValues(t, uint64(math.MaxUint64), got, "2^80 does not fit")
	full := mustNew(t, Params{Width: 3, Depth: 2, CounterBits: 32})
	full.AddNString("a", 1<<40)
	got, err = full.InnerProduct(full)
	require.NoError(t, err)
	require.EqualValues(t, uint64(math.MaxUint64), got, "the count behind a full counter is unknown")
	_, err = full.InnerProduct(big)
	requireField(t, err, ErrIncompatible, "Params.CounterBits")
}

func TestSketchBatchesDoWhatSingleCallsDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t, rapid.Bool().Draw(t, "conservative"))
		keys := make([][]byte, rapid.IntRange(0, 3*batch.Size).Draw(t, "n"))
		for i := range keys {
			keys[i] = fmt.Appendf(nil, "key %d", i%50)
		}
		single, all := mustNew(t, p), mustNew(t, p)
		for _, key := range keys {
			single.Add(key)
		}
		all.AddAll(keys)
		require.True(t, all.Equal(single))
		answers := all.CountAll([]uint64{7}, keys)
		require.EqualValues(t, 7, answers[0], "dst is kept")
		for i, key := range keys {
			require.Equal(t, single.Count(key), answers[1+i])
		}
	})
}

func TestAZeroSketchDoesNotPanic(t *testing.T) {
	var s Sketch
	s.AddString("a")
	s.AddAll([][]byte{nil})
	require.EqualValues(t, uint64(math.MaxUint64), s.CountString("a"))
	s.BoundsString("a")
	require.ErrorIs(t, s.RemoveN(nil, 10), ErrParams)
	_, err := s.MarshalBinary()
	require.ErrorIs(t, err, ErrParams)
	require.NoError(t, s.Merge(&Sketch{}))
	_, err = s.InnerProduct(&s)
	require.NoError(t, err)
	require.ErrorIs(t, s.Merge(nil), ErrIncompatible)
	require.False(t, s.Equal(nil))
	s.Reset()
	s.Clone()
}
