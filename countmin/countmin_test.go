package countmin

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
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

// What the rows of the test above say of memory is what the sketch does.
func TestTheSketchCountsInRows(t *testing.T) {
	const w, depth = 271, 5
	s := mustNew(t, Params{Width: w, Depth: depth, CounterBits: 32})
	rows := inRows(w, depth)
	want := make([]uint64, w*depth)
	for i := range uint64(1000) {
		d := hashfam.Family{}.SumUint64(i)
		s.AddDigest(d)
		for _, at := range rows(d) {
			want[at]++
		}
	}
	require.Equal(t, want, s.cells())
}

// inRows is the form of the sketch.
func inRows(w, depth uint64) func(hashfam.Digest) []uint64 {
	return func(d hashfam.Digest) (at []uint64) {
		for row, p := uint64(0), d.Probe(); row < depth; row, p = row+1, p.Next() {
			at = append(at, row*w+hashfam.Reduce(uint64(p), w))
		}
		return at
	}
}

func TestCountersSaturateAndUpdatesAreWhole(t *testing.T) {
	for _, careful := range []bool{false, true} {
		s := mustNew(t, Params{Width: 50, Depth: 4, CounterBits: 32, Conservative: careful})
		s.AddN([]byte("a"), math.MaxUint32-1)
		require.Equal(t, uint64(math.MaxUint32-1), s.CountString("a"))
		low, high := s.Bounds([]byte("a"))
		require.Equal(t, []uint64{math.MaxUint32 - 1 - s.ErrorBound(), math.MaxUint32 - 1}, []uint64{low, high})
		s.AddString("a")
		for range 3 {
			s.AddN([]byte("a"), 1<<40)
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
		_, high = s.Bounds([]byte("a"))
		require.EqualValues(t, uint64(math.MaxUint64), high, "the maximum says no more than that")
		require.NoError(t, mustNew(t, s.Params()).UnmarshalBinary(must(s.MarshalBinary())))

		s = mustNew(t, Params{Width: 50, Depth: 4, CounterBits: 64, Conservative: careful})
		s.AddN([]byte("a"), math.MaxUint64)
		s.AddN([]byte("a"), 7)
		require.EqualValues(t, uint64(math.MaxUint64), s.CountString("a"))
		require.EqualValues(t, uint64(math.MaxUint64), s.Total())
		require.NoError(t, s.Merge(s))
		require.EqualValues(t, uint64(math.MaxUint64), s.CountString("a"))
	}
}

// A key that was not counted has a count if each of its counters is one of a
// counted key: with probability 1-(1-1/w)^n in a row of w.
func TestSmallSketchesOfThousandsOfFamilies(t *testing.T) {
	const width, depth = 250, 3
	for name, conservative := range map[string]bool{"plain": false, "conservative": true} {
		t.Run(name, func(t *testing.T) {
			conformance.SmallSets(t, func(fam hashfam.Family, keys []hashfam.Digest) conformance.Rated {
				s := must(New(Config{Width: width, Depth: depth, Conservative: conservative, Family: fam}))
				for _, d := range keys {
					s.AddDigest(d)
				}
				return conformance.Rated{
					Contains: func(dst []bool, keys []hashfam.Digest) []bool {
						for _, n := range s.CountAll(nil, keys) {
							dst = append(dst, n > 0)
						}
						return dst
					},
					Rate: math.Pow(1-math.Pow(1-1.0/width, float64(len(keys))), depth),
				}
			})
		})
	}
}

// Sketches behind shards err as sketches without. The mean error of 20,000
// counts varies by less than one percent between families (measured: 0.3), so a
// correct program is more than six percent off with probability below 1e-6.
func TestTheErrorBehindAShardIsTheSame(t *testing.T) {
	const n = 20_000
	for _, conservative := range []bool{false, true} {
		usual := 0.0
		for _, s := range conformance.Shardings() {
			sketch, err := New(Config{Width: 4000, Depth: 4, Conservative: conservative})
			require.NoError(t, err)
			r := rand.New(rand.NewPCG(11, 12))
			keys := make([]hashfam.Digest, n)
			for i := range keys {
				keys[i] = s.Draw(r)
				sketch.AddDigest(keys[i])
			}
			excess := 0.0
			for _, d := range keys {
				excess += float64(sketch.CountDigest(d)-1) / n
			}
			t.Logf("conservative %v, %s: mean error %.4f", conservative, s.Name, excess)
			if s.Name == "none" {
				usual = excess
			}
			require.InEpsilon(t, usual, excess, 0.06, s.Name)
		}
	}
}
