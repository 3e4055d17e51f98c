package conformance_test

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
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
func (r *recorder) FailNow()                     { runtime.Goexit() }

// record runs a property as a test and returns this test.
func record(property func(rapid.TB)) *recorder {
	r, wg := new(recorder), sync.WaitGroup{}
	wg.Go(func() { property(r) })
	wg.Wait()
	return r
}

// The machine, or the named property, must find each defect. The first failures
// are shrunk, which takes less than a second but may take long on a slow
// machine, and then the message must be short. The seed and the number of
// checks are fixed.
func TestSuiteDetectsEachDefect(t *testing.T) {
	checks, steps := "100", "10"
	if testing.Short() { // rapid divides these numbers
		checks, steps = "500", "20"
	}
	for name, value := range map[string]string{
		"rapid.seed": "2", "rapid.checks": checks, "rapid.nofailfile": "true", "rapid.shrinktime": "10m", "rapid.steps": steps,
	} {
		old := flag.Lookup(name).Value.String()
		require.NoError(t, flag.Set(name, value))
		defer flag.Set(name, old)
	}
	rapid.Check(t, bags("").Run)
	bags("").Test(t)
	bags("in place").Test(t)
	for property, defects := range map[string][]string{
		"": {
			"strings are cut at 64 bytes", "a failed Add removes keys", "CountString stops at 1", "AddAll returns half",
			"batches drop their last key", "Delete removes all copies", "Reset does nothing", "a clone shares memory",
			"a merge keeps the larger count", "all are equal", "CountAll clears its slice", "CountAll has one answer more",
			"Contains finds more than Count", "ContainsOrAdd is always false", "ContainsOrAdd hides its error",
			"a failed Add makes room", "AddAll hides its error", "DeleteString does nothing", "Delete finds absent keys",
			"Reset makes room", "a full merge removes keys", "a full merge has another error", "a merge uses one argument", "a merge reads what it changes",
			"a merge empties its arguments", "AppendBinary overwrites", "old keys are kept",
			"ReadFrom reads on", "an own action fails", "the invariant is broken",
		},
		"structures with different parameters are not equal and cannot be merged": {
			"Equal ignores the room", "an impossible merge removes keys", "an impossible merge removes other keys",
			"a merge names no field", "a merge has another error",
		},
		"bag.bin": {
			"checksums are ignored", "a failed decode resets", "a bit is ignored", "the header reads on", "a view is empty",
			"the header has other parameters", "Verify has no error", "asking finds all",
			"asking returns false", "asking returns another error", "asking fails",
			"in place: a damaged view is encoded", "in place: other bytes are encoded",
			"in place: a decoded view remains a view", "in place: a view is not equal",
		},
		"another version, kind or family is an error":   {"all errors are ErrCorrupt", "the header has no error"},
		"a zero value can decode but cannot be encoded": {"a zero value is encoded", "nil is equal"},
		"queries and insertions do not allocate":        {"a query allocates", "Add allocates", "asking"},
		"errors from streams are returned":              {"a failed decode resets", "all errors are ErrCorrupt"},
		"no output shows the key":                       {"the key is printed", "the key is logged"},
	} {
		for i, defect := range defects {
			shrinks := i < 6
			require.NoError(t, flag.Set("rapid.shrinktime", map[bool]string{true: "10m", false: "1ns"}[shrinks]))
			properties := bags(defect).Properties()
			properties[""] = func(t rapid.TB) { rapid.Check(t, bags(defect).Run) }
			r := record(properties[property])
			out := strings.Join(r.lines, "\n")
			require.True(t, r.failed, "%s: %s", property, defect)
			require.True(t, !shrinks || len(r.lines) <= 40 && strings.Count(out, `"key `) <= 12, out)
		}
	}
}
