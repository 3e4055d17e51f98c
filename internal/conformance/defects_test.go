package conformance_test

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A recorder is a test that can fail.
type recorder struct {
	rapid.TB
	lines  []string
	failed bool
}

func (r *recorder) Helper()                    {}
func (r *recorder) Name() string               { return "bag" }
func (r *recorder) Logf(s string, args ...any) { r.lines = append(r.lines, fmt.Sprintf(s, args...)) }
func (r *recorder) Log(args ...any)            { r.lines = append(r.lines, fmt.Sprint(args...)) }
func (r *recorder) Errorf(s string, args ...any) {
	r.Logf(s, args...)
	r.failed = true
}
func (r *recorder) Fatalf(s string, args ...any) { r.Errorf(s, args...); r.FailNow() }
func (r *recorder) Failed() bool                 { return r.failed }
func (r *recorder) FailNow() {
	r.failed = true
	runtime.Goexit()
}

// record runs a property as a test and returns this test.
func record(property func(rapid.TB)) *recorder {
	r, done := new(recorder), make(chan bool)
	go func() {
		defer close(done)
		property(r)
	}()
	<-done
	return r
}

// Each defect must be found. When the machine finds it, the message must be
// short. The seed and the number of checks are fixed.
func TestSuiteDetectsEachDefect(t *testing.T) {
	checks, steps := "100", "10"
	if testing.Short() { // rapid divides these numbers
		checks, steps = "500", "20"
	}
	for name, value := range map[string]string{
		"rapid.seed": "2", "rapid.checks": checks, "rapid.nofailfile": "true", "rapid.shrinktime": "10s", "rapid.steps": steps,
	} {
		old := flag.Lookup(name).Value.String()
		require.NoError(t, flag.Set(name, value))
		defer flag.Set(name, old)
	}
	rapid.Check(t, bags("").Run)
	bags("").Test(t)
	for defect, property := range map[string]string{
		"strings are cut at 64 bytes":    "",
		"a failed Add removes a key":     "",
		"CountString stops at 1":         "",
		"AddAll returns half":            "",
		"batches drop their last key":    "",
		"Delete removes all copies":      "",
		"Reset does nothing":             "",
		"a clone shares memory":          "",
		"a merge keeps the larger count": "",
		"all are equal":                  "",
		"a query allocates":              "queries and insertions do not allocate",
		"a failed decode resets":         "errors from streams are returned",
		"the key is printed":             "no output shows the key",
		"a zero value is encoded":        "a zero value can decode but cannot be encoded",
		"checksums are ignored":          "bag.bin",
	} {
		check := bags(defect).Properties()[property]
		if check == nil {
			check = func(t rapid.TB) { rapid.Check(t, bags(defect).Run) }
		}
		r := record(check)
		out := strings.Join(r.lines, "\n")
		require.True(t, r.failed, defect)
		if property == "" {
			require.LessOrEqual(t, len(r.lines), 40, out)
			require.LessOrEqual(t, strings.Count(out, `"key `), 12, out)
		}
	}
}
