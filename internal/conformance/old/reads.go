package old

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/filterfam/filterfam/hashfam"
)

// A read is a method without arguments, or with another structure as the only
// one.
type read struct {
	name string
	call func() []any
}

// reads returns all methods of f, a structure or a view, that are taken for
// reads.
func (s Suite[T]) reads(f any) (reads []read) {
	v := reflect.ValueOf(f)
	writes := append([]string{"Reset", "Intersect"}, s.Writes...)
	for i := range v.NumMethod() {
		m, name := v.Method(i), v.Type().Method(i).Name
		var args []reflect.Value
		switch in := m.Type().NumIn(); {
		case slices.Contains(writes, name) || m.Type().IsVariadic() || in > 1 || in == 1 && m.Type().In(0) != v.Type():
			continue
		case in == 1:
			args = []reflect.Value{v}
		}
		reads = append(reads, read{name, func() []any { return results(m.Call(args)) }})
	}
	return reads
}

// results returns what a method returned, with the first elements in place of a
// sequence.
func results(values []reflect.Value) (list []any) {
	for _, v := range values {
		if v.Kind() != reflect.Func || !v.Type().CanSeq2() {
			list = append(list, v.Interface())
			continue
		}
		for key, value := range v.Seq2() {
			if list = append(list, key.Interface(), value.Interface()); len(list) > 10 {
				break
			}
		}
	}
	return list
}

// pureReads runs all reads in several goroutines at the same time. The race
// detector finds a read that writes; so does a comparison of the encodings if
// the detector is off. To merge a structure into another one is to read it.
func (s Suite[T]) pureReads(t *rapid.T, f T, keys [][]byte) {
	keys = append(keys, drawKeys(t)...)
	before := encode(t, f)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, form := range slices.Concat(s.questions(f)...) {
				form.do(keys...)
			}
			for _, read := range s.reads(f) {
				read.call()
			}
			f.WriteTo(io.Discard)
			if c, can := any(f).(cloner[T]); can {
				if m, can := any(c.Clone()).(merger[T]); can {
					m.Merge(f)
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, before, encode(t, f), "a read changed the structure")
}

// secret is a key whose bytes show in any form of output.
var secret = hashfam.Key{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// secrets checks that no way of printing, logging or marshaling a structure,
// its view or its parameters shows the family's key.
func (s Suite[T]) secrets(t *rapid.T, _ T, _ [][]byte) {
	fam := hashfam.New(secret)
	f, _ := s.fill(t, fam)
	values := []any{f, reflect.ValueOf(f).Elem().Interface(), []T{f}, map[string]T{"f": f}, struct{ F T }{f}, parameters(f), []any{parameters(f)}}
	if v := s.viewOf(t, f); v != nil {
		values = append(values, v.View, reflect.ValueOf(v.View).Elem().Interface())
	}
	if s.Shown != nil {
		values = append(values, s.Shown(fam)...)
	}
	for _, v := range values {
		out := shown(t, v)
		for _, half := range []uint64{0x0706050403020100, 0x0f0e0d0c0b0a0908} {
			require.NotContains(t, out, fmt.Sprint(half), "%T", v)
			require.NotContains(t, out, fmt.Sprintf("%x", half), "%T", v)
		}
		for _, wrong := range []string{"0 1 2 3 4 5 6 7", "0,1,2,3,4,5,6,7", "!ERROR", "PANIC"} {
			require.NotContains(t, out, wrong, "%T", v)
		}
	}
}

// shown returns v as all verbs print it, as JSON, and as loggers write it.
func shown(t require.TestingT, v any) string {
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%x", "%s", "%q"} {
		fmt.Fprintf(&out, verb+"\n", v)
	}
	b, err := json.Marshal(v)
	fmt.Fprintf(&out, "%s %v\n", b, err)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("here", "v", v)
	slog.New(slog.NewTextHandler(&out, nil)).Info("here", "v", v)
	return out.String()
}

// allocations checks that no query of a key of any form and length allocates,
// and no insertion of a key that is in the structure already. The exception is
// the copy of a string in a build with the tag purego.
func (s Suite[T]) allocations(t *rapid.T, f T, _ [][]byte) {
	key := make([]byte, rapid.IntRange(0, 300).Draw(t, "length"))
	keys := slices.Repeat([][]byte{key}, 40) // hashed in blocks, not one by one
	fam, text := f.Family(), string(key)
	if s.Builders == nil {
		f = s.Source.Like(f)
		for range 8 {
			insert(f, keys...) // counters of one byte are widened here
		}
	}
	copies := testing.AllocsPerRun(5, func() { fam.SumString(text) })
	for _, form := range slices.Concat(forms(f, slices.Concat(insertions, finders)...), slices.Concat(s.questions(f)...)) {
		for _, keys := range [][][]byte{keys[:1], keys[:2], keys} {
			want, calls := 0.0, form.bind(keys)
			if strings.HasSuffix(form.name, "String") {
				want = copies * float64(len(keys))
			}
			require.LessOrEqual(t, leastAllocs(func() { calls() }), want, "allocations of %s for %d keys", form.name, len(keys))
		}
	}
	if s.Ask != nil {
		ask, b, d := s.Ask(fam), encode(t, f), fam.Sum(key)
		require.Zero(t, leastAllocs(func() { ask(b, d) }), "allocations of a question to a frame")
	}
}

// leastAllocs returns how often do allocates, the least of three counts: they
// include what the runtime allocates meanwhile.
func leastAllocs(do func()) float64 {
	least := testing.AllocsPerRun(5, do)
	for tries := 1; least > 0 && tries < 3; tries++ {
		least = min(least, testing.AllocsPerRun(5, do))
	}
	return least
}
