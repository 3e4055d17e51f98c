package countmin

import (
	"reflect"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/filterfam/filterfam/hashfam"
)

// A zero value into which nothing was decoded is not taken for an empty
// structure: methods with keys, and methods that change it, panic with a text
// that says what to do. All others return, or panic with that text. Clone
// returns another zero value of the same family.
func TestZeroValuesSayWhatToDo(t *testing.T) {
	must := regexp.MustCompile("^(Add|Count|Bounds|Remove|Estimate|Reset|Merge|Halve|Advance|Verify)")
	needed := regexp.MustCompile("^(Format|WriteTo|ReadFrom)$") // an argument, which is nil here
	fam := hashfam.New(hashfam.Key{1})
	for _, zero := range []any{&Sketch{}, NewReceiver(fam), &View{}, &HeavyHitters{}, NewHeavyReceiver(fam),
		&TopK{}, NewTopKReceiver(fam), &Window{}, NewWindowReceiver(fam)} {
		v := reflect.ValueOf(zero)
		for i := range v.NumMethod() {
			name, method := v.Type().Method(i).Name, v.Method(i)
			var args []reflect.Value
			for j := range method.Type().NumIn() {
				if in := method.Type().In(j); in == v.Type() {
					args = append(args, v) // of Equal
				} else if !method.Type().IsVariadic() {
					args = append(args, reflect.Zero(in))
				}
			}
			var results []reflect.Value
			text := recovered(func() { results = method.Call(args) })
			if name == "Clone" {
				require.Nil(t, text, "%T", zero)
				require.Equal(t, zero, results[0].Interface())
			}
			if must.MatchString(name) || text != nil && !needed.MatchString(name) {
				require.Regexp(t, `^countmin: use of a zero \w.*: make it with New.*, or decode into it$`, text, "%T.%s", zero, name)
			}
		}
	}
}

// recovered returns the value that f panics with.
func recovered(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}
