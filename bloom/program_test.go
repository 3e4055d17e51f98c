package bloom

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/internal/conformance"
)

// What random programs do besides what every structure does.

func init() {
	suite.Programs = conformance.Programs[*Filter]{
		Fresh: func(t *rapid.T, fam hashfam.Family) *Filter {
			p := drawParams(t)
			p.Bits *= rapid.SampledFrom([]uint64{1, 10, 100}).Draw(t, "times")
			p.Family = fam
			return mustNew(t, p)
		},
		Canonical: func(*Filter) bool { return true },
		Share: func(f *Filter) (conformance.Shared[*Filter], error) {
			c, err := NewConcurrentFrom(f)
			return conformance.Shared[*Filter]{Form: c, Has: c.Contains, Snapshot: c.Snapshot}, err
		},
		More: []func(*conformance.Run[*Filter]){intersect, fold, shareWhole},
	}
	scalableSuite.Programs = conformance.Programs[*Scalable]{
		More:  []func(*conformance.Run[*Scalable]){mergePlain},
		Check: checkStages,
	}
	rotatingSuite.Programs = conformance.Programs[*Rotating]{
		Fresh:      drawRotating,
		More:       []func(*conformance.Run[*Rotating]){advance, addAt},
		Remembered: inWindow,
		Check:      checkGenerations,
	}
}

// intersect keeps the keys that are in both filters, and others.
func intersect(r *conformance.Run[*Filter]) {
	other, in := suite.Like(r.F), map[string]bool{}
	for _, key := range r.Keys() {
		other.Add(key)
		in[string(key)] = true
	}
	r.Note("intersect with %d keys", len(in))
	require.NoError(r, r.F.Intersect(other))
	require.NoError(r, r.Twin.Intersect(other))
	for key := range r.Counts {
		if !in[key] {
			delete(r.Counts, key)
		}
	}
	r.Exact = false
}

// fold halves the filter, if it can be halved.
func fold(r *conformance.Run[*Filter]) {
	r.Note("fold")
	before := r.F.Clone()
	if err := r.F.Fold(); err != nil {
		require.ErrorIs(r, err, ErrParams)
		require.True(r, r.F.Equal(before), "a failed Fold changed the filter")
		return
	}
	require.Equal(r, before.Params().Bits, 2*r.F.Params().Bits)
	require.NoError(r, r.Twin.Fold())
}

// shareWhole uses the methods of a concurrent filter on the whole.
func shareWhole(r *conformance.Run[*Filter]) {
	c, err := NewConcurrentFrom(r.F)
	require.NoError(r, err)
	r.ShareWhole(c, func(plain *Filter, key []byte) {
		require.Equal(r, plain.ContainsOrAdd(key), c.ContainsOrAdd(key))
	})
}

// mergePlain merges a plain filter of any size.
func mergePlain(r *conformance.Run[*Scalable]) {
	if r.F.frozen > 3 {
		return
	}
	p := Params{Bits: 64 << r.Intn(6), Hashes: 1 + r.Intn(5), Layout: Classic, Family: r.Family}
	f := mustNew(r, p)
	keys := r.Keys()
	f.AddAll(keys)
	r.Note("merge a plain filter of %d keys", len(keys))
	require.NoError(r, r.F.Merge(f))
	require.NoError(r, r.Twin.Merge(f))
	for _, key := range keys {
		r.Count(key, 1)
	}
}

// checkStages checks that every stage but the newest is for twice as many keys
// as the one before it, and that none is overfull.
func checkStages(r *conformance.Run[*Scalable]) {
	require.Equal(r, len(r.F.stages), r.F.Stages())
	require.LessOrEqual(r, r.F.stored, r.F.capacity())
	room := uint64(0)
	for i := range r.F.grown() {
		room += r.F.config.Expected << i
	}
	if !r.F.last && r.F.frozen == 0 {
		require.LessOrEqual(r, r.F.config.Expected<<(r.F.grown()-1), max(uint64(len(r.Log))*2, r.F.config.Expected), "more stages than the keys need")
	}
	require.GreaterOrEqual(r, room, r.F.stored)
}

// drawRotating draws a small filter that forgets by keys or by time.
func drawRotating(t *rapid.T, fam hashfam.Family) *Rotating {
	r := rotatingSuite.Fresh(t, fam)
	if rapid.Bool().Draw(t, "by keys") {
		c := r.config
		c.Span = 0
		return likeRotating(c)
	}
	return r
}

// advance moves the time on, or back, which does nothing.
func advance(r *conformance.Run[*Rotating]) { advanceTo(r, r.F.Advance, r.Twin.Advance) }

func advanceTo(r *conformance.Run[*Rotating], do ...func(time.Time)) {
	steps := []time.Duration{0, time.Nanosecond, time.Minute, 14 * time.Minute, 15 * time.Minute, 16 * time.Minute, time.Hour, 2 * time.Hour, -time.Hour}
	at := time.Unix(0, r.Now).Add(steps[r.Intn(len(steps))])
	r.Note("advance to %v", at)
	for _, f := range do {
		f(at)
	}
	if r.F.config.Span > 0 {
		r.Advance(at.UnixNano())
	}
}

// addAt advances and adds in one call.
func addAt(r *conformance.Run[*Rotating]) {
	key, form := r.Key(), r.Intn(4)
	advanceTo(r, func(t time.Time) {
		switch form {
		case 0:
			r.F.AddAt(key, t)
		case 1:
			r.F.AddStringAt(string(key), t)
		case 2:
			r.F.ContainsOrAddAt(key, t)
		case 3:
			r.F.ContainsOrAddDigestAt(r.Family.Sum(key), t)
		}
	}, func(t time.Time) { r.Twin.Advance(t); r.Twin.Add(key) })
	r.Count(key, 1)
}

// inWindow returns the keys of the window: the last Capacity of them, or those
// of the last Span.
func inWindow(r *conformance.Run[*Rotating]) map[string]uint64 {
	c, in := r.F.config, map[string]uint64{}
	for i, e := range slices.Backward(r.Log) {
		if c.Span == 0 && uint64(len(r.Log)-i) > c.Capacity || c.Span > 0 && e.At < r.Now-int64(c.Span) {
			break
		}
		in[e.Key]++
	}
	return in
}

// checkGenerations checks that each generation is, bit for bit, the filter of
// the keys that were added in its part of the window, and that older keys have
// left no bit.
func checkGenerations(r *conformance.Run[*Rotating]) {
	c := r.F.config
	newest := int64(0)
	number := func(i int, e conformance.Entry) int64 { return int64(uint64(i) / c.perGeneration()) }
	if c.Span > 0 {
		length := (int64(c.Span)-1)/int64(c.Generations) + 1
		number = func(_ int, e conformance.Entry) int64 { return floor(e.At, length) }
		newest = floor(r.Now, length)
	} else if n := len(r.Log); n > 0 {
		newest = number(n-1, r.Log[n-1])
	}
	want := likeRotating(c).generations
	for i, e := range r.Log {
		if at := int64(len(want)) - 1 - (newest - number(i, e)); at >= 0 {
			want[at].AddString(e.Key)
		}
	}
	for i := range want {
		require.True(r, want[i].Equal(&r.F.generations[i]), "generation %d has other keys", i)
	}
}

// floor returns a/b, rounded down.
func floor(a, b int64) int64 {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}

func FuzzProgram(f *testing.F)         { suite.FuzzProgram(f) }
func FuzzScalableProgram(f *testing.F) { scalableSuite.FuzzProgram(f) }
func FuzzRotatingProgram(f *testing.F) { rotatingSuite.FuzzProgram(f) }
