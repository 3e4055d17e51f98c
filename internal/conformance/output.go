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
func (s Structure) secrets(t *rapid.T, _ Encoded, _ []string) {
	fam := hashfam.New(hashfam.Key{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	f, _ := s.filled(t, fam)
	value := s.value(f)
	pointer, _ := json.Marshal(f)
	same, _ := json.Marshal(value)
	requireBytes(t, pointer, same, "the value is not marshaled like the pointer")
	values := []any{s.params(f), f, value, map[string]any{"f": f}, struct{ F any }{value}}
	if s.Reads != nil {
		values = append(values, s.Reads(f)...)
	}
	requireNoKey(t, values...)
	if s.View != nil {
		if v, err := s.View(encode(t, f), fam); err == nil {
			requireNoKey(t, v.pointer, v.value)
		}
	}
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

// pureReads reads in several goroutines. The race detector or different
// encodings reveal writes.
func (s Structure) pureReads(t *rapid.T, f Encoded, keys []string) {
	keys = append(keys, drawSet(t)...)
	before := encode(t, f)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, form := range slices.Concat(s.questions(f)...) {
				form.do(keys...)
			}
			s.reads(f)
			if s.Reads != nil {
				s.Reads(f)
			}
			shown(f)
			s.equal(f, f)
			f.WriteTo(io.Discard)
			if s.clone != nil && s.merge != nil {
				s.merge(s.clone(f), f)
			}
		})
	}
	wg.Wait()
	requireBytes(t, before, encode(t, f), "a read changed the structure")
}

// allocations checks that queries do not allocate, nor insertions when the key
// is already contained. With the tag purego strings can be copied.
func (s Structure) allocations(t *rapid.T, f Encoded, _ []string) {
	key := strings.Repeat("k", rapid.IntRange(0, 300).Draw(t, "length"))
	keys := slices.Repeat([]string{key}, 40) // enough to hash them in blocks
	var forms []Form
	if s.Builders == nil {
		f = s.like(f)
		for range 8 {
			s.adds(f)[0].do(keys...) // so that 8-bit counters are widened now
		}
		forms = append(s.adds(f), ContainsOrAdds(f)...)
	}
	copied := LeastAllocated(5, func() { f.Family().SumString(key) })
	for _, form := range slices.Concat(append(s.questions(f), forms)...) {
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
		require.Zero(t, LeastAllocated(5, func() { ask(b, d) }), "querying a frame allocates")
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
