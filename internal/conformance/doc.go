// Package conformance tests the properties that all structures share. To
// understand it, read cuckoo/properties_test.go, which declares two structures,
// and then [Machine].
//
// [Structure.Run] calls random actions, for example "add" or "merge". They are
// the actions in actions.go, and those that a package adds. After each action,
// the structure must equal its twin and contain the keys of an exact model.
// [Structure.Test] tests encodings and output, for example golden files,
// damaged and changed frames, broken streams, views, printing, zero values,
// allocations, and structures with different parameters.
//
//	rapid.Check(t, filters.Run)            // in TestFilter
//	filters.Test(t)                        // in TestFilterFrames
//	f.Fuzz(rapid.MakeFuzz(filters.Run))    // in FuzzFilter
//	f.Fuzz(rapid.MakeFuzz(filters.Change)) // in FuzzChangedFrames
//	filters.Fuzz(f)                        // in FuzzFrames
//
// A failure consists of the broken invariant, the parameters, and the actions
// with their keys; docs/contributing.md has an example. To let rapid shrink a
// failure to a few steps, an action should draw everything from m.T and use
// [DrawKey] or [DrawKeys]. The tests of this package check that structures with
// a defect fail.
package conformance
