// Package conformance tests the properties that the structures of filterfam
// share. It has two parts. A package declares each of its structures for both
// in its properties_test.go; package counting is a good example.
//
// A [Structure] is the machine. It draws a structure and runs random actions:
// "add", "add many", "contains or add", "delete", "merge", "clone", "encode and
// decode", "fail to decode", "reset", "all forms agree", and those that the
// package declares in Actions. A [Machine] keeps an exact model, the number of
// copies of each key, and a twin to which the same keys are added one by one.
// After each action the structure must equal its twin and contain the keys of
// the model, see [Machine].check. A structure that is built from a set has the
// action "build" instead of the ones that add keys.
//
// [Frames] is the suite of encoded structures: golden files, truncations and
// flipped bits, changed frames with correct checksums, readers and writers that
// fail, views, claimed lengths, output that must not show the family's key,
// zero values, allocations, and structures that differ in one parameter.
//
//	rapid.Check(t, filters.Run)          // in TestFilter
//	frames.Test(t)                       // in TestFilterFrames
//	f.Fuzz(rapid.MakeFuzz(filters.Run))  // in FuzzFilter
//	f.Fuzz(rapid.MakeFuzz(frames.Change)) // in FuzzChangedFrames
//	frames.Fuzz(f)                       // in FuzzFrames
//
// A failure prints the draws: the parameters, then the actions and their keys.
// An action should draw everything that is random from m.T, and use few and
// short keys, see [DrawKey] and [DrawKeys], so that rapid can shrink a failure
// to a few steps. Every property can fail: the tests of this package run them
// on structures with a defect each.
package conformance
