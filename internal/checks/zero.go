package checks

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// worksOnZero matches the methods that a zero value has: ApplyDelta returns an
// error. All others use keys or change the structure.
var worksOnZero = regexp.MustCompile("^(Unmarshal.*|Marshal.*|Append.*|WriteTo|ReadFrom|Verify|Decode|ApplyDelta|Clone|Snapshot|Equal|" +
	"String|GoString|LogValue|Params|Config|Family|Len|Stages|Pages|SizeBytes|FillRatio|FalsePositiveRate|Stuck|.*Estimated.*Len|Jaccard|Cosine)$")

// ZeroValues checks that each method of the zero values, or of receivers that
// nothing was decoded into, panics with a text that names the constructor if it
// uses keys or changes the structure, and works otherwise.
func ZeroValues(t *testing.T, values ...any) {
	for _, value := range values {
		v := reflect.ValueOf(value)
		for i := range v.NumMethod() {
			method, name := v.Method(i), fmt.Sprintf("%T.%s", value, v.Type().Method(i).Name)
			if v.Type().Method(i).Name == "Format" { // is tested with printing
				continue
			}
			got := recovered(func() { method.Call(dummies(method.Type())) })
			if worksOnZero.MatchString(v.Type().Method(i).Name) {
				require.Nil(t, got, name)
			} else {
				require.Regexp(t, "^[a-z]+: use of a zero [A-Z].*: make it with New", got, name)
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

// dummies returns arguments of a function: slices of one element, pointers to
// zero values, and an empty stream.
func dummies(f reflect.Type) (list []reflect.Value) {
	for i := range f.NumIn() {
		in := f.In(i)
		if f.IsVariadic() && i == f.NumIn()-1 {
			in = in.Elem()
		}
		switch in.Kind() {
		case reflect.Slice:
			list = append(list, reflect.MakeSlice(in, 1, 1))
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
