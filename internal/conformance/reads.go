package conformance

import (
	"io"
	"reflect"
	"runtime"
	"slices"
	"sync"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
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
		switch {
		case v.Kind() == reflect.Func && v.Type().CanSeq2():
			for key, value := range v.Seq2() {
				if list = append(list, key.Interface(), value.Interface()); len(list) > 10 {
					break
				}
			}
		case v.Kind() == reflect.Func && v.Type().CanSeq():
			for value := range v.Seq() {
				if list = append(list, value.Interface()); len(list) > 10 {
					break
				}
			}
		default:
			list = append(list, v.Interface())
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
			s.answers(silent{}, f, f.Family(), keys)
			for _, read := range s.reads(f) {
				read.call()
			}
			f.Equal(f)
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

// A silent test ends the goroutine when it fails.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) FailNow()              { runtime.Goexit() }
