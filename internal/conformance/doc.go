// Package conformance tests the properties that the structures of filterfam
// share. A package declares how the tests call its structure, in one of two
// forms, and calls Run, which runs a test for each property:
//
//   - [Suite] is for structures to which keys are added. Operations that not
//     all of them have, such as Merge and Delete, are fields that may be nil.
//   - [Built] is for structures that are built from a set of keys and do not
//     change: no key is lost, however the set is given, and the same set gives
//     the same bytes.
//
// Both embed an [Encoded], which declares queries, the encodings and all that
// is read. Its properties concern every structure: the encoding in all its
// forms, damage and hostile lengths, views, texts, golden files, output that
// must not show the key, nil receivers, reads at the same time, allocations.
//
// A method that a structure has and its suite does not declare is an error, so
// that nil means that there is no such method.
//
// Two properties are driven by bytes, which fuzzers know how to change. A
// [Suite.Program] is a program of any operations, in any form, with copies,
// encodings and concurrent forms in between; the structure must always be what
// the plain operations make of another one, and must contain an exact multiset
// of keys; [Programs] declares what else a structure does. [Encoded.Mutations]
// changes a frame in several places, corrects the checksums, and goes on to use
// what can be decoded.
//
// Every property is a method that takes a [rapid.T]: it is a test and, by
// [Fuzz], a fuzz target. Every property can fail: the tests of this package run
// it on structures with a defect each.
package conformance
