// Package conformance tests the properties that all structures share. Start
// with cuckoo/properties_test.go, which declares structures for both parts of
// this package, and then read [Machine].
//
// A [Structure] runs random actions such as "add", "merge" or "encode and
// decode", see actions.go, and those that a package adds. After each action it
// must equal its twin and contain the keys of an exact model. [Frames] tests
// encodings: golden files, damaged and changed frames, broken streams, views,
// printing, zero values, allocations, and structures with different parameters.
//
//	rapid.Check(t, filters.Run)           // in TestFilter
//	frames.Test(t)                        // in TestFilterFrames
//	f.Fuzz(rapid.MakeFuzz(filters.Run))   // in FuzzFilter
//	f.Fuzz(rapid.MakeFuzz(frames.Change)) // in FuzzChangedFrames
//	frames.Fuzz(f)                        // in FuzzFrames
//
// A failure consists of the broken invariant, the parameters, and the actions
// with their keys. docs/contributing.md has an example. To let rapid shrink a
// failure to a few steps, an action should draw everything from m.T and use
// [DrawKey] or [DrawKeys]. The tests of this package check that structures with
// a defect fail.
package conformance
