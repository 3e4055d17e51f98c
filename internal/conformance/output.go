package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// secrets checks that printing, logging or marshaling a structure does not show
// the family's key, and that pointers and values have the same JSON.
func (s Frames[S]) secrets(t *rapid.T, _ S, _ []string) {
	fam := hashfam.New(hashfam.Key{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	f, _ := s.draw(t, fam)
	pointer, _ := json.Marshal(f)
	value, _ := json.Marshal(s.Shown(f)[0])
	requireBytes(t, pointer, value, "the value is not marshaled like the pointer")
	requireNoKey(t, append(s.Shown(f), f, []S{f}, map[string]S{"f": f}, struct{ F S }{f}, []any{s.Shown(f)})...)
	s.decode(t, f, encode(t, f), nil) // including a view
}

// requireNoKey checks that the key in secrets is not shown in any form.
func requireNoKey(t rapid.TB, values ...any) {
	for _, v := range values {
		out := shown(v)
		for _, wrong := range []string{"506097522914230528", "706050403020100", "1084818905618843912", "f0e0d0c0b0a0908",
			"0 1 2 3 4 5 6 7", "0,1,2,3,4,5,6,7", "!ERROR", "PANIC"} {
			require.NotContains(t, out, wrong, "%T", v)
		}
	}
}

// shown returns v as printed with all verbs, marshaled and logged.
func shown(v any) string {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%v %+v %#v %d %x %s %q\n", v, v, v, v, v, v, v)
	b, err := json.Marshal(v)
	fmt.Fprintf(&out, "%s %v\n", b, err)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("here", "v", v)
	slog.New(slog.NewTextHandler(&out, nil)).Info("here", "v", v)
	return out.String()
}

// pureReads reads in several goroutines, for the race detector.
func (s Frames[S]) pureReads(t *rapid.T, f S, keys []string) {
	keys = append(keys, drawSet(t)...)
	before := encode(t, f)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, form := range slices.Concat(questionsOf(f, s.Questions)...) {
				form.do(keys...)
			}
			s.Reads(f)
			shown(f)
			f.Equal(f)
			f.WriteTo(io.Discard)
			if s.Clone != nil && s.Merge != nil {
				s.Merge(s.Clone(f), f)
			}
		})
	}
	wg.Wait()
	requireBytes(t, before, encode(t, f), "a read changed the structure")
}

// allocations checks that queries do not allocate, nor insertions when the key
// is already contained. With the tag purego strings can be copied.
func (s Frames[S]) allocations(t *rapid.T, f S, _ []string) {
	key := strings.Repeat("k", rapid.IntRange(0, 300).Draw(t, "length"))
	keys := slices.Repeat([]string{key}, 40) // enough to hash them in blocks
	var forms []Form
	if s.Builders == nil {
		f = s.Like(f)
		for range 8 {
			s.Add(f)[0].do(keys...) // so that 8-bit counters are widened now
		}
		forms = s.Add(f)
		if s.ContainsOrAdd != nil {
			forms = append(forms, s.ContainsOrAdd(f)...)
		}
	}
	copied := LeastAllocated(5, func() { f.Family().SumString(key) })
	for _, form := range slices.Concat(append(questionsOf(f, s.Questions), forms)...) {
		for _, n := range []int{1, 2, 40} {
			most, call := uint64(0), form.Bind(keys[:n])
			if strings.HasSuffix(form.Name, "String") {
				most = copied * uint64(n)
			}
			took := LeastAllocated(5, func() { call() })
			must(t, took <= most, "%s allocates %d bytes for %d keys", form.Name, took, n)
		}
	}
	if s.Ask != nil {
		ask, b, d := s.Ask(f.Family()), encode(t, f), f.Family().SumString(key)
		require.Zero(t, LeastAllocated(5, func() { ask(b, d) }), "a question to a frame allocates")
	}
}

// LeastAllocated returns how many bytes f allocates. Since other goroutines
// also allocate, it calls f several times and returns the minimum.
func LeastAllocated(runs int, f func()) uint64 {
	least := uint64(math.MaxUint64)
	for ; runs > 0 && least > 0; runs-- {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}
