package checks

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// worksOnZero matches the names of methods that never panic on a zero value,
// and mayWork those that panic only on some zero values. Except for Format, all
// other methods must panic. prints matches the methods that print or marshal a
// value.
var (
	worksOnZero = regexp.MustCompile("^(Unmarshal.*|Marshal.*|Append.*|WriteTo|ReadFrom|Verify|ApplyDelta|Clone|Snapshot|Equal|" +
		"String|GoString|LogValue|Params|Config|Family|Len|Pages|Shards|Each|All|SizeBytes|FillRatio|Stuck|Total|" +
		"FalsePositiveRate|ErrorBound|MissBound|.*Estimated.*Len|Jaccard)$")
	mayWork = regexp.MustCompile("^(InnerProduct|Threshold|Complete)$")
	prints  = regexp.MustCompile("^(Format|GoString|String|LogValue|MarshalJSON|MarshalText)$")
)

// ZeroValues checks the methods of values, which are zero values or receivers.
// Each method must panic or work, as the lists above require. A panic must
// match the regular expression text. A clone of a value is checked, too.
// Methods that print or marshal must have value receivers, so that values and
// pointers are printed alike.
func ZeroValues(t *testing.T, text string, values ...any) {
	for at, clones := 0, len(values); at < len(values); at++ {
		v := reflect.ValueOf(values[at])
		for i := range v.NumMethod() {
			method := v.Method(i)
			name := v.Type().Method(i).Name
			var results []reflect.Value
			got := recovered(func() { results = method.Call(dummies(method.Type())) })
			if worksOnZero.MatchString(name) {
				require.Nil(t, got, "%v.%s panics, but is in worksOnZero in internal/checks/zero.go", v.Type(), name)
			} else if name != "Format" && (got != nil || !mayWork.MatchString(name)) { // which has other tests
				require.NotNil(t, got, "%v.%s neither panics nor is in the list of methods that work on a zero value, worksOnZero in internal/checks/zero.go", v.Type(), name)
				require.Regexp(t, text, got, "%v.%s", v.Type(), name)
			}
			if prints.MatchString(name) && v.Kind() == reflect.Pointer {
				_, same := v.Type().Elem().MethodByName(name)
				require.True(t, same, "%v.%s has a pointer as its receiver", v.Type(), name)
			}
			if name == "Clone" && at < clones {
				require.Equal(t, fmt.Sprint(values[at]), fmt.Sprint(results[0]))
				values = append(values, results[0].Interface())
			}
		}
	}
}

// recovered returns the panic of f, or nil.
func recovered(f func()) (got any) {
	defer func() { got = recover() }()
	f()
	return nil
}

// dummies returns arguments for a call of f: slices of eight elements, pointers
// to zero values, an empty stream, and otherwise zeros.
func dummies(f reflect.Type) (list []reflect.Value) {
	for i := range f.NumIn() {
		in := f.In(i)
		if f.IsVariadic() && i == f.NumIn()-1 {
			break // call Merge without arguments
		}
		switch in.Kind() {
		case reflect.Slice:
			list = append(list, reflect.MakeSlice(in, 8, 8))
		case reflect.Pointer:
			list = append(list, reflect.New(in.Elem()))
		case reflect.Interface:
			list = append(list, reflect.ValueOf(new(bytes.Buffer)))
		default:
			list = append(list, reflect.Zero(in))
		}
	}
	return list
}
