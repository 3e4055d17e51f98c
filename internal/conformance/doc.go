// Package conformance tests the properties that the structures of filterfam
// share. Start with counting/properties_test.go, which declares a structure for
// both parts of this package, and then read [Machine].
//
// A [Structure] is the machine. It draws a structure and runs random actions:
// "add", "delete", "merge", "clone", "encode and decode" and so on, see
// actions.go, and those that the package declares in Actions. A [Machine]
// contains an exact model, which is the number of copies of each key, and a
// twin to which the same keys are added one by one. After each action the
// structure must equal its twin and contain the keys of the model. A structure
// that is built from a set has the action "build" instead of "add".
//
// [Frames] is the suite of encoded structures: golden files, truncations and
// flipped bits, changed frames with correct checksums, streams that fail,
// views, claimed lengths, output that must not show the family's key, zero
// values, allocations, and structures that differ in one parameter.
//
//	rapid.Check(t, filters.Run)           // in TestFilter
//	frames.Test(t)                        // in TestFilterFrames
//	f.Fuzz(rapid.MakeFuzz(filters.Run))   // in FuzzFilter
//	f.Fuzz(rapid.MakeFuzz(frames.Change)) // in FuzzChangedFrames
//	frames.Fuzz(f)                        // in FuzzFrames
//
// A failure prints the invariant that is broken, the parameters, and then the
// actions with their keys; docs/contributing.md has an example. An action
// should draw everything that is random from m.T, and use few and short keys,
// see [DrawKey] and [DrawKeys], so that rapid can shrink a failure to a few
// steps. The tests of this package run the properties on bags with one defect
// each, and each must fail.
package conformance
