package fault_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/counting"
	"github.com/filterfam/filterfam/cuckoo"
	"github.com/filterfam/filterfam/hashfam"
	"github.com/filterfam/filterfam/hashfam/sharded"
)

// idle are the methods that a zero value has. Every other method panics.
var idle = []string{
	"AppendBinary", "Clone", "Config", "Decode", "Each", "Equal", "EstimatedLen", "FalsePositiveRate", "Family", "FillRatio",
	"Format", "Len", "LogValue", "MarshalBinary", "MarshalText", "Pages", "Params", "ReadFrom", "Shards", "SizeBytes",
	"String", "Stuck", "UnmarshalBinary", "UnmarshalText", "Verify", "WriteTo",
}

// A zero value, and one to decode into, contains nothing to ask or change.
func TestZeroValuesPanic(t *testing.T) {
	fam := hashfam.New(hashfam.Key{1})
	for _, c := range []struct {
		values []any
		text   string
	}{
		{[]any{new(counting.Filter), counting.NewReceiver(fam)},
			"^counting: use of a zero Filter: make it with New, or decode into it$"},
		{[]any{new(cuckoo.Filter), cuckoo.NewReceiver(fam), new(cuckoo.View)},
			"^cuckoo: use of a zero Filter( or View: make it with New or NewView|: make it with New), or decode into it$"},
		{[]any{new(cuckoo.Scalable), cuckoo.NewScalableReceiver(fam)},
			"^cuckoo: use of a zero Scalable: make it with NewScalable, or decode into it$"},
		{[]any{new(sharded.Of[int])}, "^sharded: use of a zero Of: make it with New$"},
	} {
		for _, value := range c.values {
			v := reflect.ValueOf(value)
			for i := range v.NumMethod() {
				if name := v.Type().Method(i).Name; !slices.Contains(idle, name) {
					require.Regexp(t, c.text, panicOf(v.Method(i)), "%T.%s", value, name)
				}
			}
		}
	}
}

// panicOf returns the value with which a call of method panics. Its arguments
// are eight digests, or zero values.
func panicOf(method reflect.Value) (value any) {
	defer func() { value = recover() }()
	var args []reflect.Value
	for i := range method.Type().NumIn() {
		arg := reflect.New(method.Type().In(i)).Elem()
		if arg.Type() == reflect.TypeFor[[]hashfam.Digest]() {
			arg.Set(reflect.MakeSlice(arg.Type(), 8, 8))
		}
		args = append(args, arg)
	}
	if method.Type().IsVariadic() {
		method.CallSlice(args)
	} else {
		method.Call(args)
	}
	return nil
}
