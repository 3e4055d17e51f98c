// Package conformance tests the properties that the structures of filterfam
// share. Start with counting/properties_test.go, which declares a structure for
// both parts of this package, and then read [Machine].
//
// A [Structure] runs random actions, which are in actions.go: "add", "delete",
// "merge", "encode and decode" and so on, and those that the package declares.
// After each action the structure must equal its twin and contain the keys of
// an exact model. [Frames] tests encodings: golden files, damage, changed
// frames with correct checksums, streams that fail, views, printing, zero
// values, allocations, and structures that differ in one parameter.
//
//	rapid.Check(t, filters.Run)           // in TestFilter
//	frames.Test(t)                        // in TestFilterFrames
//	f.Fuzz(rapid.MakeFuzz(filters.Run))   // in FuzzFilter
//	f.Fuzz(rapid.MakeFuzz(frames.Change)) // in FuzzChangedFrames
//	frames.Fuzz(f)                        // in FuzzFrames
//
// A failure prints the broken invariant, the parameters, and then the actions
// with their keys; docs/contributing.md has an example. An action should draw
// everything that is random from m.T, and use few and short keys, see [DrawKey]
// and [DrawKeys], so that rapid can shrink a failure to a few steps. The tests
// of this package run the properties on bags with one defect each, and each
// must fail.
package conformance
