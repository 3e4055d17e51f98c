package table

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/checks"
	"github.com/filterfam/filterfam/internal/sizing"
)

// A trial is a family and random digests, which are added to a table until one
// of them fails.
type trial struct {
	family  uint64
	digests []hashfam.Digest
	added   int // how many are added before
}

// A splitting estimates the probability that Add fails at one of the first keys
// of a table. Such a failure is rare. Multilevel splitting (Kahn and Harris,
// 1951) multiplies conditional probabilities that are not: it begins with
// random trials, selects those that fail earliest, and moves them at random,
// but so that they never fail later, before it selects again. The moves are
// those of subset simulation (Au and Beck, Probabilistic Engineering Mechanics
// 16, 2001): a Metropolis algorithm replaces some of a trial's digests.
type splitting struct {
	shape  Shape
	trials []trial
	moves  int // of each trial between two selections
	random *rand.Rand
}

// never is the number of digests that are added if the first failure is due to
// nine keys with the same pair of buckets, which is not counted.
const never = math.MaxInt

// run sets added. It stops after the given number of digests.
func (s *splitting) run(t *trial, most int) {
	f := newFilter(s.shape, t.family)
	for n, d := range t.digests[:min(most, len(t.digests))] {
		if f.add(d) {
			continue
		}
		t.added = n
		if f.crowded(t.digests[:n+1]) {
			t.added = never
		}
		return
	}
	t.added = never
}

// crowded reports whether nine keys have the same pair of buckets.
func (f *filter) crowded(digests []hashfam.Digest) bool {
	keys := map[[2]uint64]int{}
	for _, d := range digests {
		i, j, _ := f.locate(d)
		pair := [2]uint64{min(i, j), max(i, j)}
		keys[pair]++
		if keys[pair] > 2*Slots {
			return true
		}
	}
	return false
}

// begin draws the trials. Each has a digest more than the table has slots.
func (s *splitting) begin() {
	for i := range s.trials {
		t := &s.trials[i]
		t.family = s.random.Uint64()
		t.digests = make([]hashfam.Digest, s.shape.Buckets*Slots+1)
		for at := range t.digests {
			t.digests[at] = hashfam.Digest(s.random.Uint64())
		}
		s.run(t, never)
	}
}

// move replaces some digests of a trial, or sometimes its family, unless it
// would then fail later than at the given number of digests.
func (s *splitting) move(t *trial, level int) {
	next := trial{family: t.family, digests: slices.Clone(t.digests)}
	if s.random.IntN(8) == 0 {
		next.family = s.random.Uint64()
	} else {
		for range 1 << s.random.IntN(int(math.Log2(float64(level)))+1) {
			next.digests[s.random.IntN(len(next.digests))] = hashfam.Digest(s.random.Uint64())
		}
	}
	s.run(&next, level+1)
	if next.added <= level {
		*t = next
	}
}

// selectEarliest returns the next level, which about a tenth of the trials
// reach, but not below last, and the fraction of trials that reach it. These
// replace the others, and lose the digests after the level.
func (s *splitting) selectEarliest(level, last int) (next int, fraction float64) {
	slices.SortFunc(s.trials, func(t, u trial) int { return cmp.Compare(t.added, u.added) })
	next = max(min(s.trials[len(s.trials)/10].added, level-1), last)
	reached := 0
	for reached < len(s.trials) && s.trials[reached].added <= next {
		reached++
	}
	for i := range s.trials {
		if reached > 0 {
			from := s.trials[i%reached]
			s.trials[i] = trial{from.family, slices.Clone(from.digests[:next+1]), from.added}
		}
	}
	return next, float64(reached) / float64(len(s.trials))
}

// estimate returns the probability of a failure at one of the first n keys. It
// stops when the result is below 1e-10.
func (s *splitting) estimate(n int) float64 {
	s.begin()
	probability, level := 1.0, never
	for level > n-1 && probability > 1e-10 {
		var fraction float64
		level, fraction = s.selectEarliest(level, n-1)
		probability *= fraction
		if probability == 0 {
			return 0
		}
		for i := range s.trials {
			for range s.moves {
				s.move(&s.trials[i], level)
			}
		}
	}
	return probability
}

// splittings are independent estimates of the same probability.
const splittings = 4

// otherFailures returns the mean of the estimates for n keys, and its standard
// error.
func otherFailures(s Shape, n int) (mean, stderr float64) {
	estimates := make([]float64, splittings)
	for i := range estimates {
		estimates[i] = newSplitting(s, uint64(i)).estimate(n)
	}
	mean, deviation := moments(estimates)
	return mean, deviation / math.Sqrt(splittings-1)
}

func newSplitting(s Shape, seed uint64) *splitting {
	random := rand.New(rand.NewPCG(s.Buckets<<8|uint64(s.Bits), seed))
	return &splitting{shape: s, trials: make([]trial, 300), moves: 10, random: random}
}

// The file contains the tables that cuckoo.Config uses at 40% and 1%: all up to
// 200 keys, and every hundredth up to 10,000. The long form computes its columns
// others and error again, and -v prints all rows.
func TestOtherFailuresAreThoseOfTheFile(t *testing.T) {
	const name = "../../../internal/compare/report/capacity.csv"
	if !checks.Long(t, 25, 0.1) {
		t.Skip("estimates that need minutes")
	}
	file, err := os.ReadFile(name)
	require.NoError(t, err)
	heading, rows, _ := strings.Cut(string(file), "\n")
	for row := range strings.Lines(rows) {
		var n, m uint64
		var f int
		_, err := fmt.Sscanf(row, "%d,%d,%d,", &n, &m, &f)
		require.NoError(t, err)
		t.Run(fmt.Sprintf("m=%d/f=%d", m, f), func(t *testing.T) {
			t.Parallel()
			pairs := sizing.CrowdedPairs(m, f, n)
			shape := Shape{Buckets: m, Bits: f}
			others, stderr := otherFailures(shape, capacity(shape))
			computed := fmt.Sprintf("%d,%d,%d,%.2g,%.2g,%.1g,%.2g\n", n, m, f, pairs, others, stderr, pairs+others+4*stderr)
			t.Log(computed)
			require.Equal(t, row, computed, heading)
		})
	}
}

// For a number of keys with which failures are not very rare, the estimates must
// agree with a simulation. About 70 of 10,000 trials fail, so the simulation's
// standard error is 12%, and that of the mean estimate is 13%. A factor of 2.5
// is five times the standard error of their ratio's logarithm, so a correct
// program exceeds it with probability below 1e-6.
func TestSplittingAgreesWithASimulation(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	const keys = 58
	shape := Shape{Buckets: 16, Bits: 8}
	simulation := newSplitting(shape, splittings)
	simulation.trials = make([]trial, 10_000)
	simulation.begin()
	failed := 0
	for _, t := range simulation.trials {
		if t.added < keys {
			failed++
		}
	}
	simulated := float64(failed) / float64(len(simulation.trials))
	estimated, stderr := otherFailures(shape, keys)
	t.Logf("%d failures, simulated %.3g, estimated %.3g with standard error %.2g", failed, simulated, estimated, stderr)
	require.InDelta(t, 0, math.Log(estimated/simulated), math.Log(2.5))
}
