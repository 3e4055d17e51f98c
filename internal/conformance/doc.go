// Package conformance tests the properties that the structures of filterfam
// share. A package declares what is special about its structure, in one of two
// forms, and calls Run, which runs a test for each property:
//
//   - [Suite] is for structures to which keys are added.
//   - [Built] is for structures that are built from a set of keys: no key is
//     lost, however the set is given, and the same set gives the same bytes.
//
// Both embed an [Encoded]. Its properties concern every structure: the encoding
// in all its forms, damage and hostile lengths, views, texts, golden files,
// output that must not show the key, reads at the same time, allocations.
//
// What a structure can do is not declared. The suite finds it by interfaces: a
// [Structure] has the methods that all have; Add, ContainsOrAdd, Delete,
// Remove, Contains, Count, Estimate, Index and Value are tested in every form
// that is there (bytes, String, Digest, All), and so are Merge, Clone, Reset
// and Len. Methods without arguments, or with another structure as the only
// one, are taken for reads: they must not change the structure, and a view must
// return the same. A method whose name looks like a form of a key but which the
// suite does not know is an error. Parameters that differ in one field are made
// by reflection.
//
// A complete declaration, with what is special about Bloom filters:
//
//	var suite = conformance.Suite[*Filter]{
//		Encoded: conformance.Encoded[*Filter]{
//			Receiver:   NewReceiver,
//			ReadParams: conformance.Reader(ReadParams),
//			View:       conformance.Viewer[*Filter](NewView),
//			Writes:     []string{"Fold"},
//			Shown: func(fam hashfam.Family) []any {
//				return []any{Config{Family: fam}}
//			},
//			ClaimHuge: func(params []byte) uint64 {
//				binary.LittleEndian.PutUint64(params, 1<<40)
//				params[8] = 8 // hashes: divides the bits in every layout
//				return 1 << 37
//			},
//			Golden: []conformance.Golden[*Filter]{
//				{File: "classic.bin", Build: goldenClassic},
//				{File: "blocked.bin", Build: goldenBlocked},
//			},
//		},
//		Source: conformance.From(drawParams, NewFromParams),
//		Programs: conformance.Programs[*Filter]{
//			Canonical: func(*Filter) bool { return true },
//			More:      []func(*conformance.Run[*Filter]){intersect, fold},
//		},
//	}
//
//	func TestConformance(t *testing.T) { suite.Run(t) }
//	func FuzzProgram(f *testing.F)     { suite.FuzzProgram(f) }
//	func FuzzFrames(f *testing.F)      { suite.FuzzFrames(f) }
//
// Here drawParams is a func(*rapid.T) Params, whose Family is replaced.
// Structures that answer with estimates add [Estimates] as Questions, and
// constructors that take long are wrapped in [Cached].
//
// Two properties are driven by bytes, which fuzzers know how to change. A
// program is a sequence of any operations, in any form, with copies and
// encodings in between; the structure must always be what the plain operations
// make of another one, and must contain an exact multiset of keys; [Programs]
// declares what else a structure does. Frames are decoded as they are, or
// changed in several places with correct checksums, and what can be decoded is
// used. Their inputs are kept in testdata/fuzz/NAME.txt, see [FuzzBytes].
//
// Every property can fail: the tests of this package run it on structures with
// a defect each.
package conformance
